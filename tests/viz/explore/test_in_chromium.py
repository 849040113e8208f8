"""The page in a browser: every control by mouse and by key, hostile names, no network requests, contrast."""

import itertools
import json
from importlib.resources import files

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.examples import digits, vit
from minigraph.ir.text import to_text
from tests.chromium import needs_chromium
from tests.viz import graphs
from tests.viz.explore.contrast import contrast
from tests.viz.explore.programs import HOSTILE_NAMES, branching, looping, network, small
from tests.viz.explore.session import Session
from viz import explorer
from viz.common.style import CHANGE_STYLES

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    page = explorer(digits.train_step, *digits.example_inputs(), compare={"unfused": {"pipeline": "cse,dce"}})
    return page.save(tmp_path_factory.mktemp("page") / "page.html")


def spots(view):
    """The position of every box in SVG units, by item."""
    boxes = "[...document.querySelectorAll('.pane.active .box')]"
    return dict(view.page.evaluate(f"{boxes}.map(box => [box.dataset.item, box.getAttribute('transform')])"))


# ---- steps -----------------------------------------------------------------------------------------


def test_the_page_opens_with_the_captured_graph(view):
    assert view.boxes() > 60 and view.boxes(".added") == 0
    assert view.text(".steptext").startswith("0 / ")


def test_the_slider_and_the_keys_step_through_single_rewrites(view):
    view.press("ArrowRight", "ArrowRight")
    assert "2 / " in view.text(".steptext") and "compose_transposes" in view.text(".steptext")
    view.page.locator("input[type=range]").fill("7")
    assert "7 / " in view.text(".steptext")
    view.page.locator(".picture").first.focus()
    view.press("ArrowLeft")
    assert "6 / " in view.text(".steptext")
    view.press("End")
    total = view.text(".steptext").split(" · ")[0].split(" / ")
    assert total[0] == total[1]


def test_whole_passes_are_stepped_with_shift_and_marked(view):
    view.press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    assert "pass fuse_matmul_bias" in view.text(".steptext")
    assert view.boxes(".removed") >= 2 and view.page.locator(".active .added").count() >= 2
    glyphs = view.page.locator(".active .box.removed text").first.inner_html()
    assert glyphs.startswith(CHANGE_STYLES["removed"].glyph)


def test_unchanged_nodes_do_not_move(view):
    before = spots(view)
    view.press("End")
    after = spots(view)
    common = before.keys() & after.keys()
    assert len(common) > 20 and {before[item] for item in common} and all(before[k] == after[k] for k in common)


def test_before_and_after_show_one_graph_each(view):
    view.press("Shift+ArrowRight")
    changes = view.boxes()
    view.press("2")
    assert view.boxes() <= changes and view.boxes(".removed") == 0
    view.press("3")
    assert view.boxes() < changes


def test_rules_show_where_they_applied_and_where_nothing_matched(view):
    view.press("ArrowRight", "ArrowRight")
    view.page.get_by_role("tab", name="Rules").click()
    assert "compose_transposes" in view.text(".rule.fired") and "canonicalize.py:" in view.text(".rule.fired")
    assert "no match" in view.text(".rules")


def test_passes_without_changes_are_hidden_until_requested(view):
    assert "constant_fold" not in view.text(".steps")
    view.page.locator("#quiet").check()
    assert "constant_fold" in view.text(".steps")


# ---- text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fn", [small, branching, network], ids=lambda fn: fn.__name__)
def test_the_text_equals_that_of_python(visit, fn):
    source, x = network(2) if fn is network else (fn, Tensor([1.0, 2.0]))
    jitted = ms.jit(source)
    view = visit(explorer(jitted, x, values=False))
    view.page.get_by_role("tab", name="Text", exact=True).click()
    steps = [("Home", ()), ("End", "default")]
    for step, pipeline in steps if fn is not branching else steps[1:]:  # bodies are shown after all rewrites
        view.page.locator(".picture").first.focus()
        view.press(step)
        shown = view.page.evaluate("[...document.querySelectorAll('#tab-text .line')].map(l => l.textContent)")
        assert without_lines(shown) == without_lines(to_text(jitted.graph(x, pipeline=pipeline), literals=False))
        assert any("  # programs.py:" in line for line in shown)


def without_lines(text):
    """A graph's text without source lines, which depend on where it was captured."""
    return [line.partition("  # ")[0] for line in (text.splitlines() if isinstance(text, str) else text)]


def test_the_diff_has_signs(view):
    view.page.get_by_role("tab", name="Text diff").click()
    view.page.locator(".picture").first.focus()
    view.press("Shift+ArrowRight", "Shift+ArrowRight")
    assert view.text("#tab-diff del").startswith("− ") and view.text("#tab-diff ins").startswith("+ ")


# ---- links -----------------------------------------------------------------------------------------


def test_hovering_a_node_highlights_its_line_its_bar_and_the_same_node_of_the_tape(view):
    view.press("s", "End")
    view.page.locator(".chartbox summary").click()
    view.page.locator(".charts .bar").first.wait_for()
    view.page.locator(".pane.active .box.k-cube").first.dispatch_event("pointermove")
    for hot in (".source .hot", ".charts .bar.hot", ".pane:not(.active) .hot"):
        view.page.locator(hot).first.wait_for(state="attached")


def test_hovering_a_line_highlights_its_nodes_and_a_click_selects_one(view):
    line = view.page.locator(".source .linked").first
    line.hover()
    assert view.page.locator(".active .box.hot").count() >= 1
    line.click()
    assert view.page.locator(".active .selected").count() == 1


def test_a_line_of_the_text_and_its_node_highlight_each_other(view):
    view.press("End")
    view.page.get_by_role("tab", name="Text", exact=True).click()
    view.page.locator("#tab-text .line", has_text="= transpose(").first.hover()
    assert view.page.locator(".active .box.hot").count() == 1
    assert view.page.locator(".source .hot").count() >= 1
    view.page.locator("#tab-text .line", has_text="= transpose(").first.click()
    assert view.page.locator(".active .selected").count() == 1
    view.page.locator(".active .box.k-cube").first.dispatch_event("pointermove")
    view.wait_for_redraw()
    assert view.page.locator("#tab-text .line.hot").count() >= 1


def test_a_point_of_the_roofline_highlights_its_line_and_node(view):
    view.press("End", "g", "r")
    view.page.locator("circle.bar").last.dispatch_event("pointerenter")
    assert view.page.locator(".active .hot").count() >= 1 and view.page.locator(".source .hot").count() >= 1
    view.page.locator("circle.bar").last.dispatch_event("click")
    assert view.page.locator(".active .selected").count() == 1


def test_a_bar_highlights_its_node(view):
    view.press("End")
    view.page.locator(".chartbox summary").click()
    bar = view.page.locator(".charts .bar:not(.wait)").first
    bar.dispatch_event("pointerenter")
    assert view.page.locator(".picture .hot").count() >= 1
    view.page.get_by_role("button", name="roofline").click()
    assert view.page.locator("circle.bar").count() >= 5


@pytest.mark.parametrize(("depth", "collapsed"), [(2, 0), (4, 1)])
def test_three_repeated_blocks_start_collapsed_and_two_expanded(visit, depth, collapsed):
    view = visit(explorer(*network(depth)))
    titles = view.page.locator(".pane.active .box.collapsed").all_text_contents()
    assert sum("×" in title for title in titles) == collapsed


def test_keys_work_while_a_slider_or_a_button_has_the_focus_and_sliders_keep_theirs(view):
    slider = view.page.locator("input[type=range]").first
    slider.focus()
    view.press("2")
    assert view.page.locator("[data-view=before]").get_attribute("aria-pressed") == "true"
    view.press("1", "c")
    collapsed = view.boxes()
    slider.focus()
    view.press("o")
    assert view.boxes() > collapsed


def test_the_selection_is_announced(view):
    view.press("Tab")
    said = view.page.locator(".unseen[aria-live=polite]").inner_text()
    assert said and said != "nothing selected"
    view.press("Escape")
    assert view.page.locator(".unseen[aria-live=polite]").inner_text() == "nothing selected"


OUTSIDE = """() => {
  const frame = document.querySelector(".pane.active svg.picture").getBoundingClientRect();
  const marks = [".added", ".removed", ".rewired", ".now"].map((mark) => `.pane.active .box${mark}`).join();
  const changed = [...document.querySelectorAll(marks)].map((box) => box.getBoundingClientRect());
  const outside = (box) => box.left < frame.left - 2 || box.top < frame.top - 2
    || box.right > frame.right + 2 || box.bottom > frame.bottom + 2;
  return changed.filter(outside).length / Math.max(1, changed.length);
}"""
PROGRAMS = {"digits": digits, "vit": vit}


@pytest.fixture(scope="module", params=PROGRAMS)
def example(request, tmp_path_factory):
    """The page of a training step without values, and its number of rewrites."""
    module = PROGRAMS[request.param]
    page = explorer(module.train_step, *module.example_inputs(), values=False)
    return page.save(tmp_path_factory.mktemp("example") / "page.html"), len(page.data["runs"][0]["steps"]) // 5


def test_every_rewrite_has_its_changed_boxes_in_view_and_moves_no_other_box(visit, example):
    path, steps = example
    view = visit(path, viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    shares, initial = [], spots(view)
    for _ in range(steps):
        view.press("ArrowRight")
        shares.append(view.page.evaluate(OUTSIDE))
        now = spots(view)
        assert all(initial[item] == now[item] for item in initial.keys() & now.keys())
        initial |= now
    assert len(shares) > 10 and max(shares) <= 0.05


@pytest.mark.parametrize("example", ["vit"], indirect=True)
def test_the_camera_zooms_out_for_a_scattered_change_and_back_for_the_next(visit, example):
    view = visit(example[0], viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    scale = "document.querySelector('.paper').getScreenCTM().a"
    view.press(*["Shift+ArrowRight"] * 4)
    assert "pass dce" in view.text(".steptext") and view.page.evaluate(scale) < 0.6
    view.press("ArrowRight")
    assert "ConvBias" in view.text(".steptext") and view.page.evaluate(scale) >= 0.89


TICKS = """[...document.querySelectorAll(".chartbox text.tick")].map((text) => text.getBoundingClientRect()).map(
  (box) => [box.left, box.right]).sort((one, other) => one[0] - other[0])"""


def test_changed_boxes_stay_in_view_when_a_chart_takes_their_space(visit, training):
    view = visit(training, viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    view.press(*["Shift+ArrowRight"] * 4)
    view.page.locator(".chartbox summary").click()
    view.wait_for_redraw()
    assert view.page.evaluate(OUTSIDE) <= 0.05
    ticks = view.page.evaluate(TICKS)
    assert len(ticks) == 5 and all(left[1] < right[0] for left, right in itertools.pairwise(ticks))


TEXT_PIXELS = """[...document.querySelectorAll('.picture text')].filter((text) => text.getClientRects().length).map(
  (text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""


def test_text_has_nine_pixels_at_first(visit, example):
    view = visit(example[0], viewport={"width": 1400, "height": 900})
    sizes = view.page.evaluate(TEXT_PIXELS)
    assert len(sizes) > 50 and min(sizes) >= 8.99


# Texts that are wider than their box, and pairs of labels of edges that cover each other, at one view.
CROWDED = """() => {
  const boxes = [...document.querySelectorAll(".picture .box")].filter((box) => box.querySelector("text"));
  const wide = boxes.filter((box) => [...box.querySelectorAll("text")].some((text) => {
    const outline = box.querySelector(":scope > :is(rect, ellipse, polygon, path):not(.behind)");
    return text.getBBox().width > outline.getBBox().width - 2;
  })).map((box) => box.textContent);
  const labels = [...document.querySelectorAll(".picture .edge text")].map((text) => text.getBBox());
  const overlap = (one, other) => one.x < other.x + other.width && other.x < one.x + one.width
    && one.y + 2 < other.y + other.height && other.y + 2 < one.y + one.height;
  const pairs = labels.flatMap((one, k) => labels.slice(k + 1).filter((other) => overlap(one, other)));
  return [wide, pairs.length, labels.length];
}"""


@pytest.mark.parametrize("keys", [["c"], [], ["o"]], ids=["collapsed", "at first", "expanded"])
def test_texts_fit_into_their_boxes_and_labels_of_edges_do_not_cover_each_other(visit, example, keys):
    view = visit(example[0], viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    view.press(*keys)
    for _ in range(12):
        wide, overlaps, labels = view.page.evaluate(CROWDED)
        assert not wide and overlaps <= labels / 50
        view.press("ArrowRight")


# The largest number of edges that pass through the label of an edge.
CROSSED = """() => {
  const paths = [...document.querySelectorAll(".picture .edge path")].map((path) => {
    const length = path.getTotalLength();
    return Array.from({ length: Math.ceil(length / 3) }, (_, k) => path.getPointAtLength(3 * k));
  });
  const labels = [...document.querySelectorAll(".picture .edge text")].map((text) => text.getBBox());
  const inside = (box, { x, y }) => x > box.x && x < box.x + box.width && y > box.y + 2 && y < box.y + box.height - 2;
  const crossings = labels.map((box) => paths.filter((points) => points.some((point) => inside(box, point))).length);
  return [labels.length, Math.max(...crossings)];
}"""


def test_where_many_edges_leave_one_box_no_label_lies_on_the_bundle(visit):
    def fan(x):
        return ops.addn([ops.tanh(ops.exp(x)) for _ in range(40)])

    view = visit(explorer(fan, Tensor([1.0])), viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    labels, crossings = view.page.evaluate(CROSSED)
    assert labels > 40 and crossings <= 5  # labels of the edges from exp to tanh; 11 on the bundles


# Edges that pass behind a box, and labels of edges that a box covers.
COVERED = """() => {
  const outlines = [...document.querySelectorAll(".picture .box > :is(rect, ellipse, polygon, path):not(.behind)")];
  const boxes = outlines.map((outline) => outline.getBoundingClientRect());
  const near = (box, { x, y }) => x > box.left - 2 && x < box.right + 2 && y > box.top - 2 && y < box.bottom + 2;
  const inside = (box, { x, y }) => x > box.left + 1 && x < box.right - 1 && y > box.top + 1 && y < box.bottom - 1;
  const covers = (box, text) => box.left + 2 < text.right && text.left + 2 < box.right
    && box.top + 2 < text.bottom && text.top + 2 < box.bottom;
  const behind = [...document.querySelectorAll(".picture .edge path")].filter((path) => {
    const [length, matrix] = [path.getTotalLength(), path.getScreenCTM()];
    const pointAt = (_, k) => path.getPointAtLength(Math.min(5 * k, length)).matrixTransform(matrix);
    const points = Array.from({ length: Math.ceil(length / 5) + 1 }, pointAt);
    const others = boxes.filter((box) => !near(box, points[0]) && !near(box, points[points.length - 1]));
    return points.some((point) => others.some((box) => inside(box, point)));
  });
  const labels = [...document.querySelectorAll(".picture .edge text")].map((text) => text.getBoundingClientRect());
  return [behind.length, labels.filter((text) => boxes.some((box) => covers(box, text))).length, labels.length];
}"""


@pytest.mark.parametrize("keys", [["c"], [], ["End"], ["o"]], ids=["collapsed", "at first", "at the end", "expanded"])
def test_edges_pass_beside_boxes_and_boxes_cover_no_labels(visit, example, keys):
    view = visit(example[0], viewport={"width": 1400, "height": 900}, reduced_motion="reduce")
    view.press(*keys)
    behind, covered, labels = view.page.evaluate(COVERED)
    assert behind == 0 and covered <= labels / 50


def test_the_legend_has_no_empty_levels(visit, tmp_path):
    page = explorer(lambda x: ops.tanh(x) + 1.0, ms.Tensor(np.ones(1, np.float32))).save(tmp_path / "small.html")
    view = visit(page)
    for unit in ("cycles", "bytes"):
        view.press("h")
        levels = view.page.locator(".legend .heat").all_inner_texts()
        ranges = [[int(end.replace(",", "")) for end in text.removesuffix(f" {unit}").split(" – ")] for text in levels]
        ends = [end for pair in ranges for end in (pair[0], pair[-1])]
        assert ends == sorted(ends) and ends[0] == 0, levels


# ---- frames, panes, colours --------------------------------------------------------------------------


def test_frames_open_and_close_in_place(view):
    initial = view.visible_boxes()
    view.press("c")
    few = view.visible_boxes()
    assert few < initial / 3 and view.boxes(".collapsed") >= 3
    view.press("Tab", "Tab", "o")
    assert view.visible_boxes() >= initial


def test_a_fused_body_opens_by_enter(view):
    view.press("End")
    view.click(".box.collapsed.k-fused")
    assert view.page.locator(".frame.k-fused").count() == 1
    view.press("Enter")
    assert view.page.locator(".frame.k-fused").count() == 0


def test_a_collapsed_kernel_has_one_edge_per_operand(visit):
    net, x = network(2)
    view = visit(explorer(net, x, values=False))
    view.press("End", "3")
    assert "×2" not in view.page.locator(".pane.active .edges").text_content()
    assert "false" not in view.text(".legend")
    edges = view.page.locator(".edge").count()
    view.click(".box.collapsed.k-fused")
    assert view.page.locator(".edge").count() > edges


def test_values_and_gradients_on_demand(view):
    assert view.page.locator(".box .value").count() == 0
    view.press("v")
    assert view.page.locator(".box .value").count() > 20
    view.press("v", "s")
    view.page.locator(".pane").nth(1).locator("svg").focus()
    view.press("v", "End")
    assert "gradient" in view.page.locator(".pane").nth(1).inner_text()


def test_two_runs_side_by_side(view):
    view.press("s")
    view.page.locator(".pane").nth(1).locator("select").select_option(label="unfused")
    view.page.locator(".pane").nth(1).locator("svg").focus()
    view.press("End")
    assert view.page.locator(".pane").nth(1).locator(".k-fused").count() == 0
    assert view.page.locator(".pane").nth(1).locator(".only").count() == 0
    view.page.locator(".pane").nth(0).locator("svg").focus()
    view.press("End", "3")
    assert view.page.locator(".pane").nth(0).locator(".k-fused.only").count() > 5
    assert view.page.locator(".pane").nth(1).locator(".only").count() > 5
    assert "only in this pane" in view.text(".legend")


def test_colour_by_cycles(view):
    view.press("h")
    assert view.boxes(".heat-6") >= 1 and view.boxes(".heat-0") >= 1
    ranges = view.page.locator(".legend .heat").all_inner_texts()
    bounds = [int(bound.replace(",", "")) for text in ranges[1:] for bound in text.split(" cycles")[0].split(" – ")]
    assert ranges[0] == "0" and ranges[-1].endswith(" cycles") and bounds == sorted(bounds)
    costs = json.loads(view.page.locator("#data").text_content())["runs"][1]["annotations"]["costs"]
    assert bounds[0] == 1 and bounds[-1] <= sum(cost["cycles"] for cost in costs.values())


def test_order_edges_are_dashed_and_can_be_hidden(view):
    view.press("Shift+ArrowRight")
    dash = "getComputedStyle(document.querySelector('.edge.order path')).strokeDasharray"
    assert view.page.evaluate(dash) != "none"
    view.press("l")
    assert view.page.locator(".edge.order").first.is_hidden()


def test_light_and_dark(visit, training, view):
    paper = "getComputedStyle(document.querySelector('.picture')).backgroundColor"
    light = view.page.evaluate(paper)
    view.press("d")
    assert view.page.evaluate(paper) != light
    assert visit(training, color_scheme="dark").page.evaluate(paper) != light


def test_the_address_restores_the_view(visit, training, view):
    view.press("ArrowRight", "ArrowRight", "3", "h", "Tab", "d")
    view.page.wait_for_function("location.hash.includes('theme=dark')")
    again = visit(training, view.page.evaluate("location.hash"))
    assert again.text(".steptext") == view.text(".steptext")
    assert again.page.locator(".selected").count() == view.page.locator(".selected").count()
    assert again.page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("address", ["#p=99,x,y", "#p=1,-5,0,q,q,2,77777,1.2.x&tab=no&theme=no", "#" + "p=0,1&" * 50])
def test_invalid_parts_of_an_address_are_ignored(visit, training, address):
    assert visit(training, address).boxes() > 0


def test_a_short_address_opens_a_pass(visit, training):
    view = visit(training, "#pass=6")
    assert "pass fuse_matmul_bias" in view.text(".steptext") and view.boxes(".removed") >= 2


def test_a_rule_shows_its_source(visit):
    view = visit(explorer(small, Tensor([1.0, 2.0])))
    view.press("ArrowRight")
    view.page.get_by_role("tab", name="Rules").click()
    assert "def neg_neg(" in view.text(".rule[aria-current=true] details[open] pre.code")
    assert view.page.locator(".rule").first.get_attribute("class") == "rule fired"


def test_up_to_four_panes(view):
    view.press("s", "S", "S", "S")
    assert view.page.locator(".pane").count() == 4
    assert "unfused" in view.text(".runs") and view.page.locator(".runs tr").count() == 3
    view.page.get_by_label("close this pane").last.click()
    assert view.page.locator(".pane").count() == 3
    address = view.page.evaluate("location.hash")
    assert address.count("p=") >= 3
    view.page.locator(".pane svg.picture").first.focus()
    view.press("s")
    assert view.page.locator(".pane").count() == 1 and view.page.locator(".runs").is_hidden()


def test_tabs_charts_and_runs_by_key(view):
    view.press("t", "t")
    assert view.page.locator("#tab-rules").is_visible()
    view.press("g")
    assert view.page.locator("svg.time").is_visible()
    bars = view.page.locator(".charts .bar").count()
    view.press("[", "[", "[")
    assert view.page.locator(".charts .bar").count() < bars
    view.press("]", "r")
    assert view.page.locator("svg.roof").is_visible()
    view.press("n")
    assert view.text(".pane select option:checked") != "graph"
    view.press("e")
    assert view.page.evaluate("document.activeElement.getAttribute('aria-label')") == "export"


def test_labels_of_roofs_do_not_overlap(view):
    view.press("g", "r")
    spots = "[...document.querySelectorAll('.roof .tick.start')].map(t => t.getBBox()).map(b => [b.x, b.y])"
    names = list(view.page.evaluate(spots))
    upright = [spot for spot in names if spot[0] > names[-1][0] + 100]
    assert len(upright) > 3
    tops = sorted(y for _, y in upright)
    assert all(after - before >= 10 for before, after in itertools.pairwise(tops))


def test_an_exported_picture_follows_the_theme_of_its_reader(view):
    content = view.export("SVG").decode()
    assert "@media (prefers-color-scheme: dark)" in content
    papers = []
    for scheme in ("light", "dark"):
        page = view.page.context.browser.new_page(color_scheme=scheme)
        page.set_content(content)
        papers.append(page.evaluate("getComputedStyle(document.querySelector('svg > rect')).fill"))
        page.close()
    assert len(set(papers)) == 2


def test_keys_work_after_a_choice_and_on_summaries(view):
    chart = view.page.locator(".chartbox")
    chart.locator("summary").focus()
    view.page.keyboard.press("Enter")
    assert chart.evaluate("box => box.open")
    colour = view.page.get_by_label("colour")
    colour.select_option("cycles")
    colour.focus()
    view.page.keyboard.press("h")
    assert colour.evaluate("box => box.value") == "bytes"
    colour.dispatch_event("pointerdown")
    colour.select_option("kind")
    assert view.page.evaluate("document.activeElement.classList.contains('picture')")


def test_the_chart_is_exported_with_few_changes_of_the_theme_each_of_which_styles_the_whole_page(view):
    changes = "new MutationObserver((all) => { window.changes = all.length; })"
    view.page.evaluate(f"{changes}.observe(document.documentElement, {{ attributeFilter: ['data-theme'] }})")
    content = view.export("chart SVG").decode()
    assert view.page.evaluate("window.changes") <= 6
    assert "MTE2" in graphs.texts(content)[2:] or any("MTE2" in text for text in graphs.texts(content))


def test_rewrites_of_bodies_are_separate_runs(visit):
    view = visit(explorer(looping, Tensor([3.0, 5.0])))
    view.click(".box.collapsed.k-region")
    view.page.get_by_role("tab", name="Node").click()
    view.page.locator("#tab-node button", has_text="body").first.click()
    view.page.locator(".picture").first.focus()
    view.press("ArrowRight")
    assert "neg_neg" in view.text(".steptext") and view.boxes(".removed") >= 1


BEGINNINGS = {"SVG": b"<svg", "PNG": b"\x89PNG", "DOT": b"digraph", "text": b"graph "}


@pytest.mark.parametrize(("kind", "begins"), BEGINNINGS.items())
def test_any_view_is_exported(view, kind, begins):
    view.press("ArrowRight")
    content = view.export(kind)
    assert content.startswith(begins)
    if kind == "SVG":
        assert len(graphs.texts(content.decode())) > 50 and b"var(" not in content


def test_the_keys_are_listed(view):
    view.press("?")
    assert "Keys" in view.text("dialog[open]")
    view.press("Escape")
    assert view.page.locator("dialog[open]").count() == 0


# ---- hostile names, accessibility ----------------------------------------------------------------------------


def test_hostile_names_are_text(visit):
    view = visit(explorer(graphs.hostile(), pipeline=""))
    assert view.page.locator("svg script, b, img, main script").count() == 0
    view.press("Tab", "Tab", "Tab", "o", "End")
    view.search("script")
    assert "<script>" in view.text(".results button")


def test_a_rule_links_to_its_rejected_matches(visit):
    def shared(x):
        product, other = x @ x, x @ (x * 2.0)
        return product + x, product * 2.0, other + x

    view = visit(explorer(shared, Tensor(np.ones((1, 1), np.float32)), pipeline="fuse_matmul_bias"))
    view.press("ArrowRight")
    view.page.get_by_role("tab", name="Rules").click()
    assert "1 match rejected: other uses" in view.text(".rule.fired")
    view.page.locator(".rule.fired button").first.click()
    assert view.page.locator(".active .selected").count() == 1


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=lambda name: json.dumps(name)[:12])
def test_any_name_of_an_input_is_shown_as_it_is(visit, name):
    graph = graphs.chain(2)
    graph.title = name
    graph.nodes[0]["attrs"]["name"] = name
    view = visit(explorer(graph, pipeline=""))
    widest = view.page.evaluate("Math.max(...[...document.querySelectorAll('.box')].map(b => b.getBBox().width))")
    assert view.boxes() == 4 and widest < 500
    graphs.parse_svg(view.export("SVG").decode())


def test_a_notebook_shows_it_in_a_frame(chromium, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><title>notebook</title>{explorer(small, Tensor([1.0]))._repr_html_()}", "utf-8")
    page = chromium.new_page()
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(path.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator(".picture .boxes .box").first.wait_for()
    inside.locator(".picture").focus()
    page.keyboard.press("End")
    inside.locator(".steptext", has_text="·").wait_for()
    assert inside.locator(".box").count() > 3 and messages == []
    page.close()


def test_hovering_a_node_shows_its_line_of_text(view):
    view.page.locator(".box.k-cube").first.dispatch_event("pointermove")
    assert " = matmul(" in view.text(".pane header .soft")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 420])
def test_axe_reports_no_violations(chromium, training, theme, width):
    axe = pytest.importorskip("axe_playwright_python")
    page = chromium.new_page(color_scheme=theme, viewport={"width": width, "height": 900})
    view = Session(page, training)
    view.press("ArrowRight", "ArrowRight")
    for tab in ("Source", "Rules", "Node", "Text diff"):
        page.get_by_role("tab", name=tab).click()
        page.evaluate((files(axe) / "axe.min.js").read_text("utf-8"))
        result = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
        violations = [
            (violation["id"], [node["html"][:120] for node in violation["nodes"]][:3])
            for violation in result["violations"]
        ]
        assert violations == []
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("color", ["kind", "cycles"])
def test_every_text_in_a_box_is_readable(visit, training, theme, color):
    """Contrast of at least 4.5 between the text and the fill of a box, which axe does not check in SVG."""
    view = visit(training, color_scheme=theme)
    view.press("Shift+ArrowRight", "Shift+ArrowRight", *(["h"] if color == "cycles" else []))
    pairs = view.page.evaluate(
        "[...document.querySelectorAll('.box')].map(b => [getComputedStyle(b.querySelector('text')).fill, "
        "getComputedStyle(b.querySelector(':not(.behind)')).fill])"
    )
    assert len(pairs) > 50
    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []


# ---- scale -----------------------------------------------------------------------------------------


def test_twenty_thousand_nodes_start_collapsed_and_stay_usable(visit, tmp_path):
    path = explorer(graphs.random_dag(20_000), pipeline="").save(tmp_path / "page.html")
    assert path.stat().st_size < 2_000_000
    view = visit(path)
    assert 5 < view.boxes() <= 200
    view.press("o")
    view.wait_for_redraw()
    assert int(view.text(".pane header .soft").split()[0].replace(",", "")) > 2000
    assert 5 < view.boxes() <= 400 and view.page.locator(".box text").count() > 5  # only elements close to the camera
    view.press("f")
    view.wait_for_redraw()
    assert view.boxes() > 2000 and view.page.locator(".box text").count() == 0  # shapes that are too small for text
    assert len(graphs.texts(view.export("SVG").decode())) > 2000
    view.press("Tab", "Tab", "0")
    assert view.page.locator(".selected").count() <= 1 and view.boxes() <= 400
    view.press("c")
    view.search("%19990 ")
    view.press("Enter")
    assert view.page.locator(".selected").count() == 1


def test_long_edges_are_drawn_only_where_the_camera_is_and_lines_count_captured_nodes(visit):
    weight = Tensor(np.ones((4, 4), np.float32))

    def chain(x):
        for _ in range(600):
            x = x + ops.tanh(x @ weight) * 0.5
        return x

    view = visit(explorer(chain, Tensor(np.ones((2, 4), np.float32)), values=False))
    boxes, points = view.page.evaluate("""[document.querySelector('.picture').getAttribute('aria-label'),
      Math.max(...[...document.querySelectorAll('.edge path')].map((e) => e.getAttribute('d').split('C').length))]""")
    assert int(boxes.split(": ")[1].split(" ")[0]) > 40 and points < 40  # an edge to the last box passes all others
    assert view.page.locator(".source .linked").first.inner_text().split()[1] == "2402"  # not those of later steps
