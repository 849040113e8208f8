"""The workbench in a browser: one request per action, records and pictures that follow, errors, the static page."""

from importlib.resources import files

import pytest

from minigraph.examples import digits
from tests.chromium import needs_chromium, open_browser
from tests.viz.explore.session import Session
from viz import workbench
from viz.editor.server import serve_in_thread

pytestmark = needs_chromium
chromium = pytest.fixture(open_browser, scope="module")


@pytest.fixture(scope="module")
def bench():
    return workbench(digits.train_step, *digits.example_inputs(), values=False)


@pytest.fixture(scope="module")
def server(bench):
    with serve_in_thread(bench) as running:
        yield running


class Editor(Session):
    """An open workbench."""

    def settle(self, state="ready"):
        self.page.wait_for_selector(f".editor[data-state={state}]")
        self.wait_for_redraw()

    def record(self, name):
        return self.page.locator(".passes li", has_text=name).first.locator("small").inner_text()

    def write(self, pipeline):
        self.page.get_by_label("pipeline as text").fill(pipeline)
        self.page.keyboard.press("Enter")

    @property
    def totals(self):
        return self.text(".totals")

    @property
    def runs(self):
        return [url for url in self.requests if url.endswith("/run")]


@pytest.fixture
def live(chromium, server):
    page = chromium.new_page(viewport={"width": 1400, "height": 900})
    view = Editor(page, server.url)
    yield view
    assert view.messages == [] and all(url.startswith((server.url, "data:")) for url in view.requests)
    page.close()


@pytest.fixture
def static(chromium, bench, tmp_path):
    page = chromium.new_page(viewport={"width": 1400, "height": 900})
    view = Editor(page, bench.save(tmp_path / "page.html"))
    yield view
    view.check()
    page.close()


def test_it_opens_with_the_final_graph_of_the_pipeline_and_its_records(live):
    assert live.boxes(".k-fused") > 5 and "rewrites" in live.record("fuse_elementwise")
    assert "→ 59 nodes" in live.totals and live.runs == []


def test_a_pass_that_is_off_leaves_records_cycles_and_the_picture_and_costs_one_request(live):
    fused = live.boxes(".k-fused")
    live.page.get_by_label("fuse_elementwise", exact=True).uncheck()
    live.settle()
    assert len(live.runs) == 1 and live.boxes(".k-fused") < fused
    assert live.record("fuse_elementwise") == "off" and "against the initial pipeline" in live.totals
    assert live.page.evaluate("document.activeElement.dataset.key") == "on 7"
    live.page.keyboard.press("Space")
    live.settle()
    assert len(live.runs) == 2 and live.boxes(".k-fused") == fused
    assert "against" not in live.totals


def test_passes_are_moved_removed_added_and_reset(live):
    names = "[...document.querySelectorAll('.passes label')].map((label) => label.textContent)"
    initial = live.page.evaluate(names)
    live.page.get_by_label("move cse up").click()
    live.settle()
    assert live.page.evaluate(names) == [*initial[:2], "cse", "constant_fold", *initial[4:]]
    live.page.get_by_label("remove lower_depend").click()
    live.settle()
    live.page.get_by_label("add a pass").select_option("fuse_epilogue")
    live.settle()
    assert live.page.evaluate(names) == ["canonicalize", "cse", "constant_fold", *initial[4:], "fuse_epilogue"]
    live.page.get_by_role("button", name="reset").click()
    live.settle()
    assert live.page.evaluate(names) == initial and len(live.runs) == 4


def test_errors_are_shown_as_in_a_terminal_and_the_picture_stays(live):
    boxes = live.boxes()
    live.write("cse,dec")
    live.settle("error")
    assert live.text(".problem") == "no pass 'dec'; did you mean 'dce'?\n  cse,dec\n      ^"
    assert live.boxes() == boxes and "last pipeline that ran" in live.totals
    live.write("cse,dce")
    live.settle()
    assert live.text(".problem") == "" and live.page.locator(".passes li").count() == 2


def test_a_server_that_stopped_is_an_error(chromium, bench):
    page = chromium.new_page()
    with serve_in_thread(bench) as running:
        view = Editor(page, running.url)
    view.write("cse")
    view.settle("error")
    assert "does not answer; start it again" in view.text(".problem")
    page.close()


def test_panes_colours_and_theme_survive_a_run_and_keys_act_once(live):
    live.press("s", "h", "d")
    live.page.get_by_label("fuse_matmul_bias", exact=True).uncheck()
    live.settle()
    assert live.page.locator(".pane").count() == 2 and live.page.locator(".heat-6").count() >= 1
    assert live.page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert live.page.locator(".pane").nth(1).locator("option:checked").inner_text() == "initial pipeline"
    assert 0 < live.page.locator(".pane").nth(1).locator(".k-fused.only").count() < live.boxes(".k-fused") + 5
    live.page.locator(".pane svg.picture").first.focus()
    live.press("ArrowLeft")
    step, total = live.text(".steptext").split(" · ")[0].split(" / ")
    assert int(step) == int(total) - 1


def test_a_static_page_switches_between_precomputed_pipelines_without_a_request(static):
    fused = static.boxes(".k-fused")
    static.page.get_by_label("fuse_elementwise", exact=True).uncheck()
    static.settle()
    assert static.boxes(".k-fused") < fused and "against the initial pipeline" in static.totals
    assert static.page.get_by_label("cse", exact=True).is_disabled()  # only one change was precomputed
    static.page.get_by_role("button", name="reset").click()
    static.settle()
    static.page.get_by_label("move cse up").click()
    static.settle()
    assert "cse" in static.text(".passes li:nth-child(3)")
    assert static.page.get_by_label("pipeline as text").is_hidden() and static.runs == []


def test_it_is_accessible(live):
    axe = pytest.importorskip("axe_playwright_python")
    live.write("cse,dec")
    live.settle("error")
    live.page.evaluate((files(axe) / "axe.min.js").read_text("utf-8"))
    result = live.page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
    assert [
        (violation["id"], [node["html"][:120] for node in violation["nodes"]]) for violation in result["violations"]
    ] == []
