"""Report pages in a real browser (explain, a lesson, saved graphs): contrast, width, console errors, links."""

from importlib.resources import files

import pytest

import minigraph as ms
from minigraph import Tensor, ops
from minigraph.cli.lesson_page import write_lesson_page
from minigraph.cli.output_folder import write_folder
from minigraph.lessons import lesson_named
from tests.chromium import needs_chromium, open_browser
from tests.viz.explore.contrast import contrast

axe = pytest.importorskip("axe_playwright_python", reason="needs the extra 'browser'")
pytestmark = needs_chromium
chromium = pytest.fixture(open_browser, scope="module")
SMALLEST_TEXT_PX = """Math.min(Infinity, ...[...document.querySelectorAll(".picture svg")].flatMap((svg) => {
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [...svg.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
}))"""
RUN_AXE = "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})"


def save_graphs_page(folder):
    """The path of the page that ``save_graphs`` writes."""
    ms.set_context(save_graphs=2, save_graphs_path=str(folder))
    try:
        ms.jit(lambda x: ops.neg(ops.neg(x)) * 2.0)(Tensor([1.0, 2.0]))
    finally:
        ms.set_context(save_graphs=0)
    return next(folder.rglob("index.html"))


WRITERS = {
    "story": lambda story, folder: write_folder(story, folder),
    "lesson": lambda story, folder: write_lesson_page(lesson_named("8"), folder / "lesson.html"),
    "saved graphs": lambda story, folder: save_graphs_page(folder),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_page_is_readable_wide_and_narrow(chromium, story, tmp_path, write, theme):
    path, messages, requests = write(story, tmp_path / "out"), [], []
    for width in (1200, 800, 400):
        page = chromium.new_page(color_scheme=theme, viewport={"width": width, "height": 800})
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        assert messages == [] and requests == [path.as_uri()] * len(requests)
        assert page.evaluate(SMALLEST_TEXT_PX) >= 8.99
        page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate((files(axe) / "axe.min.js").read_text("utf-8"))
        violations = page.evaluate(RUN_AXE)["violations"]
        assert [
            (violation["id"], [node["html"][:160] for node in violation["nodes"]][:3]) for violation in violations
        ] == []
        assert low_contrast_texts(page) == []
        page.close()


def low_contrast_texts(page):
    """Texts of pictures on the page background with a contrast below 4.5."""
    pairs = page.evaluate("""() => [...document.querySelectorAll(".picture :is(.graph, .graph > g) > text")]
      .filter((text) => !text.parentNode.matches(".node, .span, .cluster, .skip, .edge"))
      .filter((text) => text.parentNode.matches(".graph") || !text.parentNode.querySelector("rect, ellipse, path"))
      .map((text) => [text.textContent, getComputedStyle(text).fill,
        getComputedStyle(text.closest("svg").querySelector("polygon")).fill])""")
    return [pair for pair in pairs if contrast(*pair[1:]) < 4.5]


def test_a_pass_in_the_story_links_to_the_explorer_after_that_pass(chromium, story, tmp_path):
    page = chromium.new_page()
    page.goto(write_folder(story, tmp_path / "out").as_uri())
    last = page.locator("td a[href*='explorer.html#pass=']").last
    name = last.inner_text()
    last.click()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert f"pass {name}" in page.locator(".steptext").inner_text()
    page.close()


def test_pages_have_no_smooth_scrolling_and_no_animation_for_readers_who_prefer_reduced_motion(chromium, tmp_path):
    path = write_lesson_page(lesson_named("8"), tmp_path / "lesson.html")
    for motion, display in (("reduce", "none"), ("no-preference", "inline")):
        page = chromium.new_page(reduced_motion=motion)
        page.goto(path.as_uri())
        assert page.evaluate("getComputedStyle(document.querySelector('.cover')).display") == display
        scroll_behavior = page.evaluate("getComputedStyle(document.documentElement).scrollBehavior")
        assert (scroll_behavior == "smooth") == (display != "none")
        page.close()
