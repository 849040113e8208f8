"""Memory as a picture: which value lies in which buffer of a compiled program, from when to when.

One row is one buffer, one column one step; a row is as high as its buffer is large. Values in the same row share
memory, one after the other, also where an operator writes over what it reads. Below stands what is allocated anew at
every call, because it leaves the program or its operator makes its own memory.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import Any, NamedTuple

from minigraph.core.errors import RenderError
from minigraph.core.types import TensorType
from minigraph.execute.compile import Program, compile_graph
from minigraph.execute.memory import Lifetime
from minigraph.execute.steps import Plan, Step
from minigraph.ir.graph import Graph
from viz.common.elements import document, element, svg_or_error, tooltip, label, message_svg, rectangle
from viz.common.labels import truncate
from viz.common.style import LOOKS, PAGE, kind_of

WIDTH, LEFT, RIGHT, TOP = 960.0, 96.0, 24.0, 60.0
MIN_ROW_HEIGHT, MAX_ROW_HEIGHT = 26.0, 56.0  # px of the smallest and the largest buffer
GAP = 4.0
MAX_STEPS = 2000  # more are no picture
PER_CALL = "new"  # the row label of what is allocated at each call


class Allocation(NamedTuple):
    """One value in memory: its operator, how large it is, its steps (both included), and its row."""

    name: str
    kind: str
    nbytes: int
    first: int
    last: int
    buffer: int | None
    told: str


def memory_plan(source: Any, *args: Any, width: float = WIDTH) -> str:
    """The buffers of a compiled graph over its steps as SVG text; never raises, errors become a picture of text.

    ``source`` is a ``Graph``, its compiled ``Program``, or a function under ``@jit`` with arguments for it.
    Bytes are those the plan asks for; what inputs and Parameters take is not in it, nor what is written over these.
    """
    return svg_or_error(lambda: _draw(_program_of(source, *args), width))


def stays_of(program: Program) -> list[Allocation]:
    """Every value that a step makes in memory of its own, in the order of the steps.

    Where a step writes over what it reads, the old value ends one step before.
    """
    plan, spans, found = program.plan, program.lifetimes(), list[Allocation]()
    for step in plan.steps:
        for out, type in zip(step.outs, step.types, strict=True):
            if out in spans and (step.op.unit != "none" or out in plan.buffer_of):
                found.append(_allocation(step, type, spans[out], plan.buffer_of.get(out)))
    next_in: dict[int, int] = {}
    for place in range(len(found) - 1, -1, -1):
        stay = found[place]
        if stay.buffer is not None:
            found[place] = stay._replace(last=min(stay.last, next_in.get(stay.buffer, stay.last + 1) - 1))
            next_in[stay.buffer] = stay.first
    return found


def _allocation(step: Step, type: TensorType, life: Lifetime, buffer: int | None) -> Allocation:
    where = f"\n{step.loc[0]}  {step.loc[0].text}" if step.loc else ""
    told = f"{step.op} {type}, {size_text(life.nbytes)}{where}"
    return Allocation(step.op.name, kind_of(step.op), life.nbytes, life.first, life.last, buffer, told)


def peak_bytes(stays: Iterable[Allocation]) -> int:
    """The most bytes that are alive at one step: no plan needs fewer.

    >>> peak_bytes([Allocation("a", "", 8, 0, 1, 0, ""), Allocation("b", "", 4, 1, 2, 1, "")])
    12
    """
    changes: Counter[int] = Counter()
    for stay in stays:
        changes[stay.first] += stay.nbytes
        changes[stay.last + 1] -= stay.nbytes
    return max(accumulate((changes[step] for step in sorted(changes)), initial=0))


def size_text(nbytes: float) -> str:
    """Bytes in words.

    >>> size_text(12), size_text(262144), size_text(5.5 * 2**20)
    ('12 B', '256 KiB', '5.5 MiB')
    """
    for unit in ("B", "KiB", "MiB"):
        if nbytes < 1024:
            return f"{nbytes:.3g} {unit}" if nbytes < 999.5 else f"{nbytes:.0f} {unit}"
        nbytes /= 1024
    return f"{nbytes:.3g} GiB"


# ---- drawing ---------------------------------------------------------------------------------------


def _program_of(source: Any, *args: Any) -> Program:
    if isinstance(source, Program):
        return source
    graph = source if isinstance(source, Graph) else source.graph(*args) if hasattr(source, "graph") else None
    if graph is None:
        what = "pass a graph, a program, or a function under @jit and its arguments"
        raise RenderError(f"memory_plan: {type(source).__name__} has no buffers; {what}")
    return compile_graph(graph)


def _draw(program: Program, width: float) -> str:
    plan, stays = program.plan, stays_of(program)
    if not stays:
        return message_svg("no buffers: no step makes a value")
    if len(plan.steps) > MAX_STEPS:
        return message_svg(f"{len(plan.steps):,} steps are too many for a picture; at most {MAX_STEPS:,}")
    column = (width - LEFT - RIGHT) / (max(stay.last for stay in stays) + 1)
    rows = _rows(plan, stays)
    height = _height_of([stay.nbytes for stay in stays] + plan.buffers)
    parts, y = [], TOP
    for name, nbytes, inside in rows:
        high = height(nbytes)
        parts += _row(name, nbytes, y, high, width)
        parts += [_allocation_box(stay, y, high, column) for stay in inside]
        y += high + GAP
    return document(width, y + 30, [*_title(plan, stays), *parts, *_axis(len(plan.steps), column, y)])


def _rows(plan: Plan, stays: list[Allocation]) -> list[tuple[str, int, list[Allocation]]]:
    """(label, bytes, values) of every buffer, then of every value without one."""
    shared = [
        (f"buffer {i}", nbytes, [stay for stay in stays if stay.buffer == i]) for i, nbytes in enumerate(plan.buffers)
    ]
    return shared + [(PER_CALL, stay.nbytes, [stay]) for stay in stays if stay.buffer is None]


def _height_of(sizes: list[int]) -> Callable[[int], float]:
    """Bytes to px, by the logarithm: the largest is not a hundred times as high as the smallest."""
    logs = [math.log2(max(size, 1)) for size in sizes]
    low, high = min(logs), max(logs)
    scale = (MAX_ROW_HEIGHT - MIN_ROW_HEIGHT) / (high - low) if high > low else 0.0
    return lambda nbytes: MIN_ROW_HEIGHT + (math.log2(max(nbytes, 1)) - low) * scale


def _title(plan: Plan, stays: list[Allocation]) -> list[str]:
    alone, anew = sum(stay.nbytes for stay in stays), sum(stay.nbytes for stay in stays if stay.buffer is None)
    told = f"{size_text(plan.nbytes + anew)} for {len(stays)} values"
    more = f"{size_text(plan.nbytes)} in {len(plan.buffers)} shared buffers, {size_text(anew)} new at every call; "
    more += f"every value apart would take {size_text(alone)}, at least {size_text(peak_bytes(stays))} is alive at once"
    return [label(told, LEFT, 22, PAGE.text, size=13), label(more, LEFT, 42, PAGE.text, size=10.5)]


def _row(name: str, nbytes: int, y: float, high: float, width: float) -> list[str]:
    wide = width - LEFT - RIGHT
    dash = "4,3" if name == PER_CALL else ""
    lane = element("rect", class_="lane", x=LEFT, y=y, width=wide, height=high, fill=PAGE.line, fill_opacity=0.35)
    rim = element("rect", x=LEFT, y=y, width=wide, height=high, fill="none", stroke=PAGE.line, stroke_dasharray=dash)
    return [
        lane, rim,
        label(name, LEFT - 8, y + high / 2 - 1, PAGE.text, anchor="end", size=10),
        label(size_text(nbytes), LEFT - 8, y + high / 2 + 10, PAGE.text, anchor="end", size=9),
    ]  # fmt: skip


def _allocation_box(stay: Allocation, y: float, high: float, column: float) -> str:
    shade = LOOKS[stay.kind].light
    x, wide = LEFT + stay.first * column, (stay.last - stay.first + 1) * column
    box = rectangle(x + 0.5, y + 2, max(wide - 1, 1.0), high - 4, shade, rx=3)
    letters = int((wide - 6) / 6.0)
    named = label(truncate(stay.name, letters), x + 4, y + high / 2 + 4, shade.text, size=10) if letters >= 3 else ""
    steps = f"\nfrom step {stay.first} to {stay.last}"
    return element("g", tooltip(stay.told + steps) + box + named, class_=f"node k-{stay.kind}")


def _axis(steps: int, column: float, y: float) -> list[str]:
    """The numbers of the steps, as many as there is room for."""
    every = max(1, math.ceil(26 / column))
    numbers = [
        label(i, LEFT + (i + 0.5) * column, y + 12, PAGE.text, anchor="middle", size=9) for i in range(0, steps, every)
    ]
    return [label("step", LEFT - 8, y + 12, PAGE.text, anchor="end", size=10), *numbers]
