"""Every line and text of saved pictures is readable on the page, in light and in dark."""

import numpy as np
import pytest

import minigraph as ms
import viz
from minigraph import Tensor, ops
from minigraph.npu import simulate
from minigraph.npu.reports import roofline
from tests.chromium import open_browser
from tests.viz.explore.contrast import contrast
from tests.viz.machine.test_landscape import tuning
from viz.common.style import with_dark_mode


def gated(x, w, b):
    y = ops.tanh(x @ w + b)
    return (y * ops.sigmoid(y)).sum()


ARGS = [Tensor(np.ones(shape, np.float32)) for shape in ((64, 256), (256, 256), (256,))]
CAPTURED = ms.jit(gated).graph(*ARGS, pipeline=())
GRAPH = ms.jit(gated).graph(*ARGS)
PICTURES = {
    "graph": lambda report: viz.svg(GRAPH),
    "tape": lambda report: viz.tape(gated, *ARGS)._repr_mimebundle_()["image/svg+xml"],
    "diff": lambda report: viz.diff(CAPTURED, GRAPH)._repr_mimebundle_()["image/svg+xml"],
    "pass_animation": lambda report: viz.pass_animation(ms.jit(gated).records(*ARGS)),
    "timeline": viz.timeline,
    "animation": viz.animation,
    "memory": lambda report: viz.memory_plan(GRAPH),
    "launches": viz.launches,
    "roofline": lambda report: viz.roofline_svg(roofline(report)),
    "landscape": lambda report: viz.landscape_svg(tuning({(k, 1): 1.0 + k / 20 for k in range(60)}, (0, 1), (9, 1))),
}  # fmt: skip
# Each visible line and text with the colour of the topmost filled shape behind its middle.
COLORS_AND_BACKGROUNDS = """() => {
  const shown = (colour) => colour.startsWith("rgb(");
  const shapes = [...document.querySelectorAll("rect, polygon, ellipse, path, circle")];
  const behind = (one) => {
    const box = one.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    let colour = getComputedStyle(document.querySelector("svg")).backgroundColor;
    for (const shape of shapes) {
      if (shape === one || one.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING) continue;
      const area = shape.getBoundingClientRect(), style = getComputedStyle(shape);
      const covers = area.x <= x && x <= area.right && area.y <= y && y <= area.bottom;
      if (covers && shown(style.fill) && style.opacity === "1" && !shape.closest("defs, .glow")) colour = style.fill;
    }
    return colour;
  };
  const texts = [...document.querySelectorAll("text")].filter((one) => one.textContent.trim() && !one.closest(".glow"));
  const lines = [...document.querySelectorAll(".edge path, path.edge, .playhead, line.roof")];
  return [...texts.map((text) => [text.textContent, getComputedStyle(text).fill, behind(text), 4.5]),
    ...lines.map((line) => ["a line", getComputedStyle(line).stroke, behind(line), 3.0])];
}"""


chromium = pytest.fixture(open_browser, scope="module")


@pytest.fixture(scope="module")
def report():
    return simulate(GRAPH, chip="ascend910b1")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("picture", PICTURES)
def test_every_line_and_text_of_a_saved_picture_is_readable(picture, theme, report, chromium, tmp_path):
    path = tmp_path / "picture.svg"
    path.write_text(with_dark_mode(PICTURES[picture](report)), encoding="utf-8")
    page = chromium.new_page(color_scheme=theme)
    page.goto(path.as_uri())
    shown = page.evaluate(COLORS_AND_BACKGROUNDS)
    page.close()
    assert len(shown) > 3
    faint = [
        (label, color, background) for label, color, background, least in shown if contrast(color, background) < least
    ]
    assert not faint
