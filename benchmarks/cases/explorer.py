"""The explorer's time to first paint, and the size of its file.

The graph is a chain of equal Cells, six nodes each, with every rewrite of a pipeline; or the same operators in one
function, which is a flat graph without scopes. "picture" is the time from the request of a new page of a
running Chromium to the first boxes on the screen, "step" from a key press to the next frame. Needs the extra
``browser`` and Chromium.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import minigraph as ms
from minigraph import Tensor, nn, ops
from minigraph.ir.graph import Graph
from viz import explorer

SIZES = (50, 500, 2_000, 20_000)
FLAT_SIZES = (20_000,)  # sizes that are also measured as a flat graph
NODES_PER_CELL = 6  # nodes of one Cell: weight, its transpose, product, tanh, sum, product with a constant
COLUMNS = (
    "graph", "nodes", "write (CPU s)", "file (KiB)", "initial boxes", "first paint (ms)", "step (ms)",
    "slowest action (CPU ms)",
)  # fmt: skip
TITLE = "## The explorer"
ABOUT = """Time to the first paint, and size of the file, of one page with the captured graph, every rewrite of the
default pipeline, and, up to 6,000 nodes, simulated costs; without values. *Write* is from the captured graph to the
file, *first paint* from a new page of a running Chromium to its first boxes, *step* from a key press to the next frame,
*slowest action* the processor time of the page's thread for the slowest of: a step, a pass, the last step, opening all
frames, the next box, fitting, zooming, another colour, values, and, with the text of the graph and with the diff of two
steps open, opening them, the first step, the next, a pass, the last step, and the one before it. Large graphs open
collapsed by scope; a flat graph has none, and is divided into parts of a sequence. Boxes far from the camera are not
drawn, nor counted here."""
STEP_KEYS = ("Home", "ArrowRight", "Shift+ArrowRight", "End", "ArrowLeft")
ACTIONS = (
    *STEP_KEYS[1:4], "h", "v", "o", "Tab", "ArrowLeft", "f", "+", "0", "c",
    "t", *STEP_KEYS, "t", *STEP_KEYS, "t", *STEP_KEYS, "t", *STEP_KEYS,  # the node, the rules, the diff, the text
)  # fmt: skip
AFTER_TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
CAMERA_MOVE_MS = 400  # longer than a camera movement
FIRST_PAINT_SCRIPT = "performance.getEntriesByName('picture')[0].startTime"
TIME_KEY_SCRIPT = """async () => {
  const begun = performance.now();
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - begun;
}"""


class Row(NamedTuple):
    """One page: graph, nodes, CPU seconds to write, KiB, initial boxes, ms to the first paint, a step, an action."""

    graph: str
    nodes: int
    write_cpu_s: float
    size_kib: float
    boxes: int
    first_paint_ms: float
    step_ms: float
    slowest_action_cpu_ms: float


class Block(nn.Cell):
    """Six nodes, with a residual connection."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = ms.Parameter(Tensor(np.ones((size, size), np.float32)))

    def construct(self, x: Tensor) -> Tensor:
        """x + 0.5 tanh(x @ w.T)."""
        return x + ops.tanh(x @ self.weight.T) * 0.5


class Chain(nn.Cell):
    """Blocks in sequence."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.blocks = nn.CellList([Block(4) for _ in range(depth)])

    def construct(self, x: Tensor) -> Tensor:
        """Apply the blocks in sequence."""
        for block in self.blocks:
            x = block(x)
        return x


def graph_of(nodes: int, flat: bool = False) -> Graph:
    """A captured graph of about ``nodes`` nodes, of Cells or flat."""
    x, depth = Tensor(np.ones((2, 4), np.float32)), max(1, nodes // NODES_PER_CELL)
    graph: Graph = ms.jit(flat_chain(depth) if flat else Chain(depth)).graph(x, pipeline=())
    return graph


def flat_chain(depth: int) -> Callable[[Tensor], Tensor]:
    """One function that computes blocks in sequence, with one weight."""
    weight = Tensor(np.ones((4, 4), np.float32))

    def chain(x: Tensor) -> Tensor:
        for _ in range(depth):
            x = x + ops.tanh(x @ weight.T + 1.0) * 0.5
        return x

    return chain


def page_of(nodes: int, folder: Path, pipeline: Any = "default", flat: bool = False) -> tuple[Path, int, float]:
    """The file of one graph, its number of nodes, and the CPU seconds from the graph to the file."""
    graph = graph_of(nodes, flat)
    start = time.process_time()
    path = explorer(graph, pipeline=pipeline).save(folder / f"{nodes}{'flat' * flat}.html")
    return path, len(graph), time.process_time() - start


def measure_page(browser: Any, path: Path, rounds: int = 5) -> tuple[int, float, float, float]:
    """Boxes at first, the median ms to the first paint and per step, and the CPU ms of the longest action."""
    pictures, steps, boxes = [], [], 0
    for _ in range(rounds):
        page = browser.new_page()
        page.goto(path.as_uri(), wait_until="commit")
        page.wait_for_selector("html[data-ready]", state="attached")
        pictures.append(page.evaluate(FIRST_PAINT_SCRIPT))
        boxes = page.locator(".box").count()
        steps.append(page.evaluate(TIME_KEY_SCRIPT))
        page.close()
    return boxes, statistics.median(pictures), statistics.median(steps), max(action_times(browser, path))


def action_times(browser: Any, path: Path) -> list[float]:
    """The milliseconds of processor time that each of ``ACTIONS`` takes in the thread of the page, in one sequence."""
    page = browser.new_page()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(path.as_uri(), wait_until="commit")
    page.wait_for_selector("html[data-ready]", state="attached")
    page.locator(".picture").first.focus()
    times = []
    for key in ACTIONS:
        page.wait_for_timeout(CAMERA_MOVE_MS)
        before = _task_time(session)
        page.keyboard.press(key)
        page.evaluate(AFTER_TWO_FRAMES)
        times.append(_task_time(session) - before)
    page.close()
    return times


def _task_time(session: Any) -> float:
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1e3 * next(float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration")


def rows(sizes: Sequence[int] = SIZES, pipeline: Any = "default") -> Iterator[Row]:
    """One row per size, and another for ``FLAT_SIZES``; raises ``ImportError`` without the extra ``browser``."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an extra that is needed only here

    with sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        browser = started.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for nodes, flat in [
            (nodes, flat) for nodes in sizes for flat in (False, True) if not flat or nodes in FLAT_SIZES
        ]:
            path, count, written = page_of(nodes, Path(folder), pipeline, flat)
            name, size = "flat" if flat else "Cells", path.stat().st_size / 1024
            yield Row(name, count, written, size, *measure_page(browser, path))
        browser.close()


def chromium() -> str | None:
    """The system's Chromium; ``None``: Playwright's own."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


def markdown(measured: Sequence[Row]) -> str:
    """The rows as a table.

    >>> print(markdown([Row("Cells", 50, 0.01, 60.0, 50, 40.0, 9.0, 12.0)]).splitlines()[-1])
    | Cells | 50 | 0.01 | 60 | 50 | 40 | 9 | 12 |
    """
    head = [f"| {' | '.join(COLUMNS)} |", "|---|" + "---:|" * (len(COLUMNS) - 1)]
    formats = ("{}", "{:,}", "{:.2f}", "{:,.0f}", "{}", "{:,.0f}", "{:,.0f}", "{:,.0f}")
    cells = [" | ".join(form.format(cell) for form, cell in zip(formats, row, strict=True)) for row in measured]
    return "\n".join([*head, *(f"| {row} |" for row in cells)])


def section(sizes: Sequence[int] = SIZES) -> str:
    """The table as a section of RESULTS.md, or the error if no browser can be driven."""
    try:
        table = markdown(list(rows(sizes)))
    except Exception as error:
        table = f"Not measured in this run: {str(error).splitlines()[0]}."
    return f"{TITLE}\n\n{ABOUT}\n\n{table}"
