"""Draws the pictures of the README: a layer before and after the passes, an animated pipeline, host and device.

Run ``python tutorials/make_pictures.py`` after drawings change; ``--explorer`` also takes the explorer's screenshot.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

import minigraph as ms
import passes
import viz
from minigraph import Parameter, Tensor, ops
from minigraph.examples import digits
from minigraph.ir.graph import Graph
from minigraph.npu import Schedule, cycles

FOLDER = Path(__file__).with_name("pictures")
GRAPH_GAP = 56.0  # px between the two graphs, for the arrow
ARROW = "#5b6675"


WEIGHT = Parameter(Tensor(np.zeros((256, 256), np.float32)), name="weight")
BIAS = Parameter(Tensor(np.zeros(256, np.float32)), name="bias")


def layer(x: Tensor) -> Tensor:
    """A gated dense layer f32[64,256] -> f32[64,256]: five operators, which the passes fuse into two."""
    y = ops.tanh(x @ WEIGHT + BIAS)
    return y * ops.sigmoid(y)


def caption(graph: Graph, stage: str) -> str:
    """The stage of the graph, its number of operators, and their cycles on the simulated chip."""
    count = sum(not graph.op(node).is_leaf for node in graph)
    return f"{stage}: {count} operators\n{cycles(graph):,} cycles on an Ascend 910B"


def side_by_side(left: str, right: str) -> str:
    """Two SVG pictures in one, aligned at the top, with an arrow between them."""
    (wide, high), (wide2, high2) = size(left), size(right)
    height, x, y = max(high, high2), wide + GRAPH_GAP / 2, max(high, high2) / 2
    arrow = f"M {x - 20} {y} h 36 m -10 -8 l 10 8 l -10 8"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="0 0 {wide + GRAPH_GAP + wide2:.0f} {height:.0f}" '
        f'width="{wide + GRAPH_GAP + wide2:.0f}" height="{height:.0f}">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n'
        f"{nested(left, 0)}"
        f'<path d="{arrow}" fill="none" stroke="{ARROW}" stroke-width="3"/>\n'
        f"{nested(right, wide + GRAPH_GAP)}</svg>\n"
    )


def size(svg: str) -> tuple[float, float]:
    """Width and height of an SVG picture, in its own units."""
    box = re.search(r'viewBox="[\d.-]+ [\d.-]+ ([\d.]+) ([\d.]+)"', svg)
    assert box is not None
    return float(box[1]), float(box[2])


def nested(svg: str, x: float) -> str:
    """An SVG picture nested in another at ``x``, one pixel per unit."""
    wide, high = size(svg)
    head, rest = svg.split(">", 1)
    head = re.sub(r'\s(?:width|height)="[^"]*"', "", head)
    return f'{head.replace("<svg", f"""<svg x="{x:.0f}" width="{wide:.0f}" height="{high:.0f}" """, 1)}>{rest}'


def pipeline() -> str:
    """An animation of one cube core that computes a product, tile by tile."""
    x, w = (Tensor(np.zeros(shape, np.float16)) for shape in ((512, 1024), (1024, 512)))
    tiles = Schedule(base=(128, 128, 64))
    return viz.animation(ms.simulate(product, x, w, schedule=tiles), width=960)


def product(x: Tensor, w: Tensor) -> Tensor:
    """f16[512,1024] @ f16[1024,512]."""
    return x @ w


def launches() -> str:
    """Host and device for the dense layer: five launches, or one."""
    return viz.launches(ms.simulate(ms.trace(layer, Tensor(np.zeros((64, 256), np.float32)))), width=960)


def make(folder: Path = FOLDER) -> None:
    """Write all pictures to a folder."""
    before = ms.trace(layer, Tensor(np.zeros((64, 256), np.float32)))
    after = before.clone()
    passes.as_pipeline("default").run(after)
    pictures = [
        viz.dot(before, title=caption(before, "captured")),
        viz.dot(after, title=caption(after, "after the passes")),
    ]
    folder.mkdir(exist_ok=True)
    files = {"fusion": side_by_side(*map(viz.svg, pictures)), "pipeline": pipeline(), "launches": launches()}
    for name, picture in files.items():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")


def screenshot(folder: Path = FOLDER) -> None:
    """The explorer after a pass of the digits program; needs the extras ``browser`` and ``pictures``, and Chromium."""
    from PIL import Image  # noqa: PLC0415 - extras, and only this needs them
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    page = viz.explorer(digits.train_step, *digits.example_inputs())
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as temporary:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 760})
        tab.goto(f"{page.save(Path(temporary) / 'page.html').as_uri()}#pass=6&tab=rules")
        tab.wait_for_selector("html[data-ready]", state="attached")
        shot = tab.screenshot()
        browser.close()
    image = Image.open(io.BytesIO(shot)).convert("RGB").quantize(256, method=Image.Quantize.FASTOCTREE)
    image.save(folder / "explorer.png", optimize=True)


if __name__ == "__main__":
    make()
    if "--explorer" in sys.argv:
        screenshot()
