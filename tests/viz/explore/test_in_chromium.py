"""The page in a real browser: every control by mouse and by key, hostile names, no request, contrast."""

import itertools
import json
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor
from minigraph.examples import digits
from minigraph.ir.text import to_text
from tests.chromium import needs_chromium, started
from tests.viz import graphs
from tests.viz.explore.contrast import contrast
from tests.viz.explore.programs import HOSTILE_NAMES, branching, looping, network, small
from viz import explorer
from viz.common.style import MARKS

pytestmark = needs_chromium
chromium = pytest.fixture(started, scope="module")


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    made = explorer(digits.train_step, *digits.example_inputs(), compare={"unfused": {"pipeline": "cse,dce"}})
    return made.save(tmp_path_factory.mktemp("page") / "page.html")


class Opened:
    """A page with everything it said and asked for."""

    def __init__(self, page, path, address=""):
        self.page, self.said, self.asked, self.dialogs = page, [], [], []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        page.goto(f"file://{path}{address}")
        page.wait_for_selector("html[data-ready]", state="attached")
        page.wait_for_selector(".picture .boxes")
        page.locator(".picture").first.focus()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.settled()

    def search(self, words):
        self.press("/")
        self.page.keyboard.type(words)

    def settled(self):
        """Redrawn, however busy the machine is: two frames later."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def click(self, where):
        """Click something in a picture, wherever it was moved to."""
        for event in ("pointerdown", "pointerup"):
            self.page.locator(where).first.dispatch_event(event)

    def text(self, where):
        return self.page.locator(where).first.inner_text()

    def exported(self, kind):
        """What the page saves of its picture or chart."""
        with self.page.expect_download() as download:
            self.page.get_by_label("export").select_option(kind)
        return download.value.path().read_bytes()

    def boxes(self, which=""):
        return self.page.locator(f".pane.active .box{which}").count()

    def check(self):
        """It has said nothing and asked for nothing but itself and what it made itself."""
        assert self.said == [] and self.dialogs == []
        assert all(url.startswith(("file:", "data:", "blob:")) for url in self.asked)
        assert sum(url.startswith("file:") for url in self.asked) == 1


@pytest.fixture
def visit(chromium, tmp_path):
    """Opens a page at a path, or that of an explorer, which in the end has to have said nothing."""
    found = []

    def opened(made, address="", **options):
        path = made if isinstance(made, Path) else made.save(tmp_path / "page.html")
        found.append(Opened(chromium.new_page(**options), path, address))
        return found[-1]

    yield opened
    for one in found:
        one.check()
        one.page.close()


@pytest.fixture
def opened(visit, training):
    return visit(training, viewport={"width": 1400, "height": 900})


def spots(opened):
    """Where every box stands, in the picture's own units, by item."""
    found = "[...document.querySelectorAll('.pane.active .box')]"
    return dict(opened.page.evaluate(f"{found}.map(box => [box.dataset.item, box.getAttribute('transform')])"))


# ---- steps -----------------------------------------------------------------------------------------


def test_it_opens_with_the_captured_graph(opened):
    assert opened.boxes() > 60 and opened.boxes(".added") == 0
    assert opened.text(".steptext").startswith("0 / ")


def test_the_slider_and_the_keys_step_through_single_rewrites(opened):
    opened.press("ArrowRight", "ArrowRight")
    assert "2 / " in opened.text(".steptext") and "compose_transposes" in opened.text(".steptext")
    opened.page.locator("input[type=range]").fill("7")
    assert "7 / " in opened.text(".steptext")
    opened.page.locator(".picture").first.focus()
    opened.press("ArrowLeft")
    assert "6 / " in opened.text(".steptext")
    opened.press("End")
    total = opened.text(".steptext").split(" · ")[0].split(" / ")
    assert total[0] == total[1]


def test_whole_passes_are_stepped_with_shift_and_marked(opened):
    opened.press("Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    assert "pass fuse_matmul_bias" in opened.text(".steptext")
    assert opened.boxes(".removed") >= 2 and opened.page.locator(".active .added").count() >= 2
    glyphs = opened.page.locator(".active .box.removed text").first.inner_html()
    assert glyphs.startswith(MARKS["removed"].glyph)


def test_untouched_nodes_do_not_move(opened):
    before = spots(opened)
    opened.press("End")
    after = spots(opened)
    common = before.keys() & after.keys()
    assert len(common) > 20 and {before[item] for item in common} and all(before[k] == after[k] for k in common)


def test_before_and_after_show_one_graph_each(opened):
    opened.press("Shift+ArrowRight")
    changes = opened.boxes()
    opened.press("2")
    assert opened.boxes() <= changes and opened.boxes(".removed") == 0
    opened.press("3")
    assert opened.boxes() < changes


def test_rules_say_where_they_applied_and_why_not(opened):
    opened.press("ArrowRight", "ArrowRight")
    opened.page.get_by_role("tab", name="Rules").click()
    assert "compose_transposes" in opened.text(".rule.fired") and "canonicalize.py:" in opened.text(".rule.fired")
    assert "the pattern was nowhere" in opened.text(".rules")


def test_passes_that_changed_nothing_are_hidden_until_asked_for(opened):
    assert "constant_fold" not in opened.text(".steps")
    opened.page.locator("#quiet").check()
    assert "constant_fold" in opened.text(".steps")


# ---- text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fn", [small, branching, network], ids=lambda fn: fn.__name__)
def test_the_text_is_what_python_prints(visit, fn):
    source, x = network(2) if fn is network else (fn, Tensor([1.0, 2.0]))
    jitted = ms.jit(source)
    found = visit(explorer(jitted, x, values=False))
    found.page.get_by_role("tab", name="Text", exact=True).click()
    steps = [("Home", ()), ("End", "default")]
    for step, pipeline in steps if fn is not branching else steps[1:]:  # bodies are shown as they end
        found.page.locator(".picture").first.focus()
        found.press(step)
        shown = found.page.evaluate("[...document.querySelectorAll('#tab-text .line')].map(l => l.textContent)")
        assert without_lines(shown) == without_lines(to_text(jitted.graph(x, pipeline=pipeline), literals=False))
        assert any("  # programs.py:" in line for line in shown)


def without_lines(text):
    """A graph's text without the user's lines, which say where it was captured."""
    return [line.partition("  # ")[0] for line in (text.splitlines() if isinstance(text, str) else text)]


def test_the_diff_has_signs(opened):
    opened.page.get_by_role("tab", name="Text diff").click()
    opened.page.locator(".picture").first.focus()
    opened.press("Shift+ArrowRight", "Shift+ArrowRight")
    assert opened.text("#tab-diff del").startswith("− ") and opened.text("#tab-diff ins").startswith("+ ")


# ---- links -----------------------------------------------------------------------------------------


def test_a_node_lights_up_its_line_its_bar_and_its_twin_in_the_tape(opened):
    opened.press("s", "End")
    opened.page.locator(".chartbox summary").click()
    opened.page.wait_for_timeout(100)
    opened.page.locator(".pane.active .box.k-cube").first.dispatch_event("pointermove")
    opened.page.wait_for_timeout(50)
    assert opened.page.locator(".source .hot").count() >= 1
    assert opened.page.locator(".charts .bar.hot").count() >= 1
    assert opened.page.locator(".pane:not(.active) .hot").count() >= 1


def test_a_line_lights_up_its_nodes_and_a_click_goes_there(opened):
    line = opened.page.locator(".source .linked").first
    line.hover()
    assert opened.page.locator(".active .box.hot").count() >= 1
    line.click()
    assert opened.page.locator(".active .selected").count() == 1


def test_a_line_of_the_text_and_its_node_light_each_other_up(opened):
    opened.press("End")
    opened.page.get_by_role("tab", name="Text", exact=True).click()
    opened.page.locator("#tab-text .line", has_text="= transpose(").first.hover()
    assert opened.page.locator(".active .box.hot").count() == 1
    assert opened.page.locator(".source .hot").count() >= 1
    opened.page.locator("#tab-text .line", has_text="= transpose(").first.click()
    assert opened.page.locator(".active .selected").count() == 1
    opened.page.locator(".active .box.k-cube").first.dispatch_event("pointermove")
    opened.settled()
    assert opened.page.locator("#tab-text .line.hot").count() >= 1


def test_a_point_of_the_roofline_lights_up_its_line_and_node(opened):
    opened.press("End", "g", "r")
    opened.page.locator("circle.bar").last.dispatch_event("pointerenter")
    assert opened.page.locator(".active .hot").count() >= 1 and opened.page.locator(".source .hot").count() >= 1
    opened.page.locator("circle.bar").last.dispatch_event("click")
    assert opened.page.locator(".active .selected").count() == 1


def test_a_bar_lights_up_its_node(opened):
    opened.press("End")
    opened.page.locator(".chartbox summary").click()
    bar = opened.page.locator(".charts .bar:not(.wait)").first
    bar.dispatch_event("pointerenter")
    assert opened.page.locator(".picture .hot").count() >= 1
    opened.page.get_by_role("button", name="roofline").click()
    assert opened.page.locator("circle.bar").count() >= 5


def test_search_finds_nodes_rules_and_passes(opened):
    opened.search("cross_entropy")
    assert "cross_entropy" in opened.text(".results button")
    opened.press("Enter")
    assert opened.page.locator(".active .selected").count() == 1
    opened.search("compose_transposes")
    opened.press("Enter")
    assert "compose_transposes" in opened.text(".steptext")
    opened.search("no such thing anywhere")
    assert "nothing found" in opened.text(".results")


# ---- frames, panes, looks ----------------------------------------------------------------------------


def test_frames_open_and_close_in_place(opened):
    many = opened.boxes()
    opened.press("c")
    few = opened.boxes()
    assert few < many / 3 and opened.boxes(".closed") >= 3
    opened.press("Tab", "Tab", "o")
    assert opened.boxes() >= many


def test_a_fused_body_opens_by_enter(opened):
    opened.press("End")
    opened.click(".box.closed.k-fused")
    assert opened.page.locator(".frame.k-fused").count() == 1
    opened.press("Enter")
    assert opened.page.locator(".frame.k-fused").count() == 0


def test_a_closed_kernel_has_one_edge_per_operand(visit):
    net, x = network(2)
    found = visit(explorer(net, x, values=False))
    found.press("End", "3")
    assert "×2" not in found.page.locator(".pane.active .edges").text_content()
    assert "false" not in found.text(".legend")
    edges = found.page.locator(".edge").count()
    found.click(".box.closed.k-fused")
    assert found.page.locator(".edge").count() > edges


def test_values_and_gradients_on_demand(opened):
    assert opened.page.locator(".box .value").count() == 0
    opened.press("v")
    assert opened.page.locator(".box .value").count() > 20
    opened.press("v", "s")
    opened.page.locator(".pane").nth(1).locator("svg").focus()
    opened.press("v", "End")
    assert "gradient" in opened.page.locator(".pane").nth(1).inner_text()


def test_two_runs_side_by_side(opened):
    opened.press("s")
    opened.page.locator(".pane").nth(1).locator("select").select_option(label="unfused")
    opened.page.locator(".pane").nth(1).locator("svg").focus()
    opened.press("End")
    assert opened.page.locator(".pane").nth(1).locator(".k-fused").count() == 0
    assert opened.page.locator(".pane").nth(1).locator(".only").count() == 0
    opened.page.locator(".pane").nth(0).locator("svg").focus()
    opened.press("End", "3")
    assert opened.page.locator(".pane").nth(0).locator(".k-fused.only").count() > 5
    assert opened.page.locator(".pane").nth(1).locator(".only").count() > 5
    assert "in this pane only" in opened.text(".legend")


def test_colour_by_cycles(opened):
    opened.press("h")
    assert opened.boxes(".heat-6") >= 1 and opened.boxes(".heat-0") >= 1
    assert "most cycles" in opened.text(".legend")


def test_order_edges_are_dashed_and_can_be_hidden(opened):
    opened.press("Shift+ArrowRight")
    dash = "getComputedStyle(document.querySelector('.edge.order path')).strokeDasharray"
    assert opened.page.evaluate(dash) != "none"
    opened.press("l")
    assert opened.page.locator(".edge.order").first.is_hidden()


def test_light_and_dark(visit, training, opened):
    paper = "getComputedStyle(document.querySelector('.picture')).backgroundColor"
    light = opened.page.evaluate(paper)
    opened.press("d")
    assert opened.page.evaluate(paper) != light
    assert visit(training, color_scheme="dark").page.evaluate(paper) != light


def test_everything_seen_is_in_the_address(visit, training, opened):
    opened.press("ArrowRight", "ArrowRight", "3", "h", "Tab", "d")
    opened.page.wait_for_timeout(100)
    again = visit(training, opened.page.evaluate("location.hash"))
    assert again.text(".steptext") == opened.text(".steptext")
    assert again.page.locator(".selected").count() == opened.page.locator(".selected").count()
    assert again.page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("address", ["#p=99,x,y", "#p=1,-5,0,q,q,2,77777,1.2.x&tab=no&theme=no", "#" + "p=0,1&" * 50])
def test_a_wrong_address_shows_something(visit, training, address):
    assert visit(training, address).boxes() > 0


def test_a_short_address_opens_a_pass(visit, training):
    found = visit(training, "#pass=6")
    assert "pass fuse_matmul_bias" in found.text(".steptext") and found.boxes(".removed") >= 2


def test_a_rule_shows_its_source(visit):
    found = visit(explorer(small, Tensor([1.0, 2.0])))
    found.press("ArrowRight")
    found.page.get_by_role("tab", name="Rules").click()
    assert "def neg_neg(" in found.text(".rule[aria-current=true] details[open] pre.code")
    assert found.page.locator(".rule").first.get_attribute("class") == "rule fired"


def test_runs_beside_each_other_up_to_four(opened):
    opened.press("s", "S", "S", "S")
    assert opened.page.locator(".pane").count() == 4
    assert "unfused" in opened.text(".runs") and opened.page.locator(".runs tr").count() == 3
    opened.page.get_by_label("close this pane").last.click()
    assert opened.page.locator(".pane").count() == 3
    address = opened.page.evaluate("location.hash")
    assert address.count("p=") >= 3
    opened.page.locator(".pane svg.picture").first.focus()
    opened.press("s")
    assert opened.page.locator(".pane").count() == 1 and opened.page.locator(".runs").is_hidden()


def test_tabs_charts_and_runs_by_key(opened):
    opened.press("t", "t")
    assert opened.page.locator("#tab-rules").is_visible()
    opened.press("g")
    assert opened.page.locator("svg.time").is_visible()
    bars = opened.page.locator(".charts .bar").count()
    opened.press("[", "[", "[")
    assert opened.page.locator(".charts .bar").count() < bars
    opened.press("]", "r")
    assert opened.page.locator("svg.roof").is_visible()
    opened.press("n")
    assert opened.text(".pane select option:checked") != "graph"
    opened.press("e")
    assert opened.page.evaluate("document.activeElement.getAttribute('aria-label')") == "export"


def test_names_of_roofs_do_not_lie_on_each_other(opened):
    opened.press("g", "r")
    spots = "[...document.querySelectorAll('.roof .tick.start')].map(t => t.getBBox()).map(b => [b.x, b.y])"
    names = list(opened.page.evaluate(spots))
    upright = [spot for spot in names if spot[0] > names[-1][0] + 100]
    assert len(upright) > 3
    tops = sorted(y for _, y in upright)
    assert all(after - before >= 10 for before, after in itertools.pairwise(tops))


def test_the_chart_is_exported(opened):
    content = opened.exported("chart SVG").decode()
    assert "MTE2" in graphs.texts(content)[2:] or any("MTE2" in text for text in graphs.texts(content))


def test_rewrites_inside_of_bodies_have_a_run_of_their_own(visit):
    found = visit(explorer(looping, Tensor([3.0, 5.0])))
    found.click(".box.closed.k-region")
    found.page.get_by_role("tab", name="Node").click()
    found.page.locator("#tab-node button", has_text="body").first.click()
    found.page.locator(".picture").first.focus()
    found.press("ArrowRight")
    assert "neg_neg" in found.text(".steptext") and found.boxes(".removed") >= 1


BEGINNINGS = {"SVG": b"<svg", "PNG": b"\x89PNG", "DOT": b"digraph", "text": b"graph "}


@pytest.mark.parametrize(("kind", "begins"), BEGINNINGS.items())
def test_any_view_is_exported(opened, kind, begins):
    opened.press("ArrowRight")
    content = opened.exported(kind)
    assert content.startswith(begins)
    if kind == "SVG":
        assert len(graphs.texts(content.decode())) > 50 and b"var(" not in content


def test_the_keys_are_listed(opened):
    opened.press("?")
    assert "Keys" in opened.text("dialog[open]")
    opened.press("Escape")
    assert opened.page.locator("dialog[open]").count() == 0


# ---- hostile names, readers ----------------------------------------------------------------------------


def test_hostile_names_are_text(visit):
    found = visit(explorer(graphs.hostile(), pipeline=""))
    assert found.page.locator("svg script, b, img, main script").count() == 0
    found.press("Tab", "Tab", "Tab", "o", "End")
    found.search("script")
    assert "<script>" in found.text(".results button")


def test_a_rule_leads_to_where_it_was_left_alone(visit):
    def shared(x):
        product, other = x @ x, x @ (x * 2.0)
        return product + x, product * 2.0, other + x

    found = visit(explorer(shared, Tensor(np.ones((1, 1), np.float32)), pipeline="fuse_matmul_bias"))
    found.press("ArrowRight")
    found.page.get_by_role("tab", name="Rules").click()
    assert "left alone 1 time: other uses" in found.text(".rule.fired")
    found.page.locator(".rule.fired button").first.click()
    assert found.page.locator(".active .selected").count() == 1


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=lambda name: json.dumps(name)[:12])
def test_any_name_of_an_input_is_shown_as_it_is(visit, name):
    graph = graphs.chain(2)
    graph.title = name
    graph.nodes[0]["attrs"]["name"] = name
    found = visit(explorer(graph, pipeline=""))
    widest = found.page.evaluate("Math.max(...[...document.querySelectorAll('.box')].map(b => b.getBBox().width))")
    assert found.boxes() == 4 and widest < 500
    graphs.parsed(found.exported("SVG").decode())


def test_a_notebook_shows_it_in_a_frame(chromium, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><title>notebook</title>{explorer(small, Tensor([1.0]))._repr_html_()}", "utf-8")
    page = chromium.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    inside = page.frame_locator("iframe")
    inside.locator(".picture .boxes .box").first.wait_for()
    inside.locator(".picture").focus()
    page.keyboard.press("End")
    inside.locator(".steptext", has_text="·").wait_for()
    assert inside.locator(".box").count() > 3 and said == []
    page.close()


def test_hovering_tells_the_line_of_a_node(opened):
    opened.page.locator(".box.k-cube").first.dispatch_event("pointermove")
    assert " = matmul(" in opened.text(".pane header .soft")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 420])
def test_axe_finds_nothing_to_complain_of(chromium, training, theme, width):
    axe = pytest.importorskip("axe_playwright_python")
    page = chromium.new_page(color_scheme=theme, viewport={"width": width, "height": 900})
    found = Opened(page, training)
    found.press("ArrowRight", "ArrowRight")
    for tab in ("Source", "Rules", "Node", "Text diff"):
        page.get_by_role("tab", name=tab).click()
        page.evaluate((files(axe) / "axe.min.js").read_text("utf-8"))
        result = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
        told = [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in result["violations"]]
        assert told == []
    page.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("colour", ["kind", "cycles"])
def test_every_text_in_a_box_is_readable(visit, training, theme, colour):
    """Contrast of at least 4.5 between the text of a box and its own fill, which axe does not see in SVG."""
    found = visit(training, color_scheme=theme)
    found.press("Shift+ArrowRight", "Shift+ArrowRight", *(["h"] if colour == "cycles" else []))
    pairs = found.page.evaluate(
        "[...document.querySelectorAll('.box')].map(b => [getComputedStyle(b.querySelector('text')).fill, "
        "getComputedStyle(b.querySelector(':not(.behind)')).fill])"
    )
    assert len(pairs) > 50
    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []


# ---- scale -----------------------------------------------------------------------------------------


def test_twenty_thousand_nodes_open_collapsed_and_stay_usable(visit, tmp_path):
    path = explorer(graphs.random_dag(20_000), pipeline="").save(tmp_path / "page.html")
    assert path.stat().st_size < 2_000_000
    found = visit(path)
    assert 5 < found.boxes() <= 200
    found.press("o")
    assert found.boxes() <= 3200
    found.press("c")
    found.search("%19990 ")
    found.press("Enter")
    assert found.page.locator(".selected").count() == 1
