"""Draws the memory plan of a compiled program: the live ranges of values, by buffer.

One row is one buffer, one column one step; larger buffers have higher rows. Values in the same row reuse the same
memory, also where an operator works in place. The rows below are allocated per call: results of the program, and values
whose operators allocate their own memory.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import NamedTuple

from minigraph.core.errors import RenderError
from minigraph.core.types import TensorType
from minigraph.execute.compile import Program, compile_graph
from minigraph.execute.live_ranges import LiveRange
from minigraph.execute.plan import Plan, Step
from minigraph.ir.graph import Graph
from viz.common.elements import document, element, label, message_svg, rectangle, svg_or_error, tooltip
from viz.common.labels import truncate
from viz.common.style import NODE_STYLES, PAGE, kind_of

PICTURE_WIDTH, LEFT, RIGHT, TOP = 960.0, 96.0, 24.0, 60.0  # px
MIN_ROW_HEIGHT, MAX_ROW_HEIGHT = 26.0, 56.0  # px, for the smallest and the largest buffer
ROW_GAP = 4.0  # px
MAX_STEPS = 2000  # of a program in one picture
PER_CALL = "per call"  # row label of memory allocated at each call


class Allocation(NamedTuple):
    """One value in memory: its operator, size, first and last step (inclusive), and buffer."""

    name: str
    kind: str
    nbytes: int
    first: int
    last: int
    buffer: int | None
    text: str


def memory_plan(source: object, *args: object, width: float = PICTURE_WIDTH) -> str:
    """The buffers of a compiled graph over its steps as SVG text; errors become a picture of text.

    ``source`` is a ``Graph``, its compiled ``Program``, or a function under ``@jit`` with its arguments. Sizes are
    those of the memory plan; inputs, Parameters, and values computed in place of these are not included.
    """
    return svg_or_error(lambda: _draw(_program_of(source, *args), width))


def allocations_of(program: Program) -> list[Allocation]:
    """The values that steps allocate, in step order.

    Where a step works in place, the live range of the old value ends one step earlier.
    """
    plan, spans, allocations = program.plan, program.live_ranges(), list[Allocation]()
    for step in plan.steps:
        for out, type in zip(step.outs, step.types, strict=True):
            if out in spans and (step.op.unit != "none" or out in plan.buffer_of):
                allocations.append(_allocation(step, type, spans[out], plan.buffer_of.get(out)))
    next_first: dict[int, int] = {}
    for i in range(len(allocations) - 1, -1, -1):
        value = allocations[i]
        if value.buffer is not None:
            allocations[i] = value._replace(last=min(value.last, next_first.get(value.buffer, value.last + 1) - 1))
            next_first[value.buffer] = value.first
    return allocations


def _allocation(step: Step, type: TensorType, life: LiveRange, buffer: int | None) -> Allocation:
    location = f"\n{step.loc[0]}  {step.loc[0].text}" if step.loc else ""
    text = f"{step.op} {type}, {size_text(life.nbytes)}{location}"
    return Allocation(step.op.name, kind_of(step.op), life.nbytes, life.first, life.last, buffer, text)


def peak_bytes(allocations: Iterable[Allocation]) -> int:
    """The maximum of live bytes over all steps, a lower bound of any memory plan.

    >>> peak_bytes([Allocation("a", "", 8, 0, 1, 0, ""), Allocation("b", "", 4, 1, 2, 1, "")])
    12
    """
    changes: Counter[int] = Counter()
    for value in allocations:
        changes[value.first] += value.nbytes
        changes[value.last + 1] -= value.nbytes
    return max(accumulate((changes[step] for step in sorted(changes)), initial=0))


def size_text(nbytes: float) -> str:
    """A size in bytes as text.

    >>> size_text(12), size_text(262144), size_text(5.5 * 2**20)
    ('12 B', '256 KiB', '5.5 MiB')
    """
    for unit in ("B", "KiB", "MiB"):
        if nbytes < 1024:
            return f"{nbytes:.3g} {unit}" if nbytes < 999.5 else f"{nbytes:.0f} {unit}"
        nbytes /= 1024
    return f"{nbytes:.3g} GiB"


# ---- drawing ---------------------------------------------------------------------------------------


def _program_of(source: object, *args: object) -> Program:
    if isinstance(source, Program):
        return source
    graph = source if isinstance(source, Graph) else source.graph(*args) if hasattr(source, "graph") else None
    if graph is None:
        expected = "pass a graph, a program, or a function under @jit and its arguments"
        raise RenderError(f"memory_plan: {type(source).__name__} has no buffers; {expected}")
    return compile_graph(graph)


def _draw(program: Program, width: float) -> str:
    plan, allocations = program.plan, allocations_of(program)
    if not allocations:
        return message_svg("no buffers: no step allocates memory")
    if len(plan.steps) > MAX_STEPS:
        return message_svg(f"{len(plan.steps):,} steps are too many for a picture; at most {MAX_STEPS:,}")
    column = (width - LEFT - RIGHT) / (max(value.last for value in allocations) + 1)
    rows = _rows(plan, allocations)
    height = _height_of([value.nbytes for value in allocations] + plan.buffers)
    parts, y = [], TOP
    for name, nbytes, values in rows:
        row_height = height(nbytes)
        parts += _row(name, nbytes, y, row_height, width)
        parts += [_allocation_box(value, y, row_height, column) for value in values]
        y += row_height + ROW_GAP
    return document(width, y + 30, [*_title(plan, allocations), *parts, *_axis(len(plan.steps), column, y)])


def _rows(plan: Plan, allocations: list[Allocation]) -> list[tuple[str, int, list[Allocation]]]:
    """(label, bytes, values) of every buffer, then of every value without one."""
    shared = [
        (f"buffer {i}", nbytes, [value for value in allocations if value.buffer == i])
        for i, nbytes in enumerate(plan.buffers)
    ]
    return shared + [(PER_CALL, value.nbytes, [value]) for value in allocations if value.buffer is None]


def _height_of(sizes: list[int]) -> Callable[[int], float]:
    """A function from bytes to px, on a logarithmic scale."""
    logs = [math.log2(max(size, 1)) for size in sizes]
    low, high = min(logs), max(logs)
    scale = (MAX_ROW_HEIGHT - MIN_ROW_HEIGHT) / (high - low) if high > low else 0.0
    return lambda nbytes: MIN_ROW_HEIGHT + (math.log2(max(nbytes, 1)) - low) * scale


def _title(plan: Plan, allocations: list[Allocation]) -> list[str]:
    unshared = sum(value.nbytes for value in allocations)
    per_call = sum(value.nbytes for value in allocations if value.buffer is None)
    title = f"{size_text(plan.nbytes + per_call)} for {len(allocations)} values"
    details = f"{size_text(plan.nbytes)} in {len(plan.buffers)} reused buffers, {size_text(per_call)} new per call; "
    details += f"{size_text(unshared)} without reuse, {size_text(peak_bytes(allocations))} live at the peak"
    return [label(title, LEFT, 22, PAGE.text, size=13), label(details, LEFT, 42, PAGE.text, size=10.5)]


def _row(name: str, nbytes: int, y: float, height: float, width: float) -> list[str]:
    box_width = width - LEFT - RIGHT
    dash = "4,3" if name == PER_CALL else ""
    track = element(
        "rect", class_="track", x=LEFT, y=y, width=box_width, height=height, fill=PAGE.line, fill_opacity=0.35
    )
    frame = element(
        "rect", x=LEFT, y=y, width=box_width, height=height, fill="none", stroke=PAGE.line, stroke_dasharray=dash
    )
    return [
        track, frame,
        label(name, LEFT - 8, y + height / 2 - 1, PAGE.text, anchor="end", size=10),
        label(size_text(nbytes), LEFT - 8, y + height / 2 + 10, PAGE.text, anchor="end", size=9),
    ]  # fmt: skip


def _allocation_box(value: Allocation, y: float, height: float, column: float) -> str:
    colors = NODE_STYLES[value.kind].light
    x, box_width = LEFT + value.first * column, (value.last - value.first + 1) * column
    box = rectangle(x + 0.5, y + 2, max(box_width - 1, 1.0), height - 4, colors, rx=3)
    letters = int((box_width - 6) / 6.0)
    name = label(truncate(value.name, letters), x + 4, y + height / 2 + 4, colors.text, size=10) if letters >= 3 else ""
    steps = f"\nlive from step {value.first} to {value.last}"
    return element("g", tooltip(value.text + steps) + box + name, class_=f"node k-{value.kind}")


def _axis(steps: int, column: float, y: float) -> list[str]:
    """Step numbers, thinned out to fit."""
    stride = max(1, math.ceil(26 / column))
    numbers = [
        label(i, LEFT + (i + 0.5) * column, y + 12, PAGE.text, anchor="middle", size=9) for i in range(0, steps, stride)
    ]
    return [label("step", LEFT - 8, y + 12, PAGE.text, anchor="end", size=10), *numbers]
