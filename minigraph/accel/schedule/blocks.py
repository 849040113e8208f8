"""Runs of elementwise steps over large tensors, computed a piece of rows at a time.

What lies between two steps of a run is then as large as a piece and stays in the cache; whole tensors would go to
memory and back for every step. Elements do not depend on each other, so the bits are the same.

Pieces are as large as all that lives beside each other allows. Small ones cost: each call of numpy has a start, and
between two calls a thread hands Python's lock to another, which takes longer to wake than a small piece to compute.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from minigraph.accel.host.threads import threads_for
from minigraph.accel.schedule.tiled_plan import Block, TiledPlan
from minigraph.core.machine import (
    CACHE_LINE_BYTES,
    LIVE_TILES_BYTES,
    MIN_TILE_BYTES,
    MIN_TILED_BYTES,
    MIN_TILES,
    TILES_PER_THREAD,
)
from minigraph.core.types import Shape, TensorType
from minigraph.execute.steps import Step


def blocks_of(plan: TiledPlan) -> list[Block]:
    """The large runs, of two steps or of a body of some, that are worth it, in order."""
    runs, found = _large_runs(plan), list[Block]()
    types = plan.types if runs else {}
    for first, last, inner in runs:
        run = plan.steps[first:last]
        shape, nbytes = run[0].types[0].shape, sum(type.nbytes for step in run for type in step.types)
        if len(run) > 1:
            rows, depth = rows_of(run, inner, types)
        else:
            rows, depth = _rows_of_one(run[0], threads_for(nbytes, shape[0])), 0
        if rows:
            block = Block(first, last, shape, rows, 1, depth)
            found.append(block._replace(threads=threads_for(nbytes, len(block.pieces))))
    return found


def are_large(steps: Sequence[Step]) -> bool:
    """Whether any result of some steps is large: runs of no others are cut into pieces."""
    return widest(steps) >= MIN_TILED_BYTES


def widest(steps: Sequence[Step]) -> int:
    """Bytes of the largest result."""
    return max([type.nbytes for step in steps for type in step.types], default=0)


def _large_runs(plan: TiledPlan) -> list[tuple[int, int, set[int]]]:
    """Runs over large tensors: the first step, the last but one, and results that nobody else reads."""
    steps = plan.steps
    runs = [(first, last) for first, last in _runs(steps) if are_large(steps[first:last])]
    last_use = {value: i for i, step in enumerate(steps) for value in step.ins} if runs else {}
    leaving = {*plan.leaving, *plan.places}
    return [(first, last, inner_values(steps[first:last], last, last_use, leaving)) for first, last in runs]


def _runs(steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """The longest runs of elementwise steps with results of one shape, in order."""
    first = 0
    for last in range(1, len(steps) + 1):
        shape = _shape(steps[first])
        if last == len(steps) or shape is None or _shape(steps[last]) != shape:
            if shape is not None:
                yield first, last
            first = last


def _shape(step: Step) -> Shape | None:
    """The shape that a step works in element by element; ``None`` if it does not."""
    elementwise = step.op.family == "elementwise" and not step.op.effects and step.types
    return step.types[0].shape or None if elementwise else None


def rows_of(
    run: Sequence[Step], inner: Collection[int], types: Mapping[int, TensorType], fewest: int = MIN_TILES
) -> tuple[int, int]:
    """How many rows a piece has, and of which axis; 0 rows if those are too large for a body, which has all axes."""
    most, shape = widest(run), run[0].types[0].shape
    outer = {value for step in run for value in (*step.ins, *step.outs)}.difference(inner)
    alive = most_alive(run, inner) + sum(types[value].nbytes for value in outer)
    nbytes = max(MIN_TILE_BYTES, min(most * LIVE_TILES_BYTES // alive, most // fewest))
    depth, row = 0, most // shape[0]
    while row > nbytes and depth + 1 < len(shape):
        depth += 1
        row //= shape[depth]
    whole = any(step.op.role == "fused" for step in run)
    return (0, 0) if row > nbytes or (depth and whole) else (_even(shape[depth], nbytes // row), depth)


def most_alive(run: Sequence[Step], inner: Collection[int]) -> int:
    """The most bytes of results in ``inner`` that live at a time, each written over what is read last with it."""
    last_use = {value: i for i, step in enumerate(run) for value in (*step.outs, *step.ins)}
    pairs = (pair for step in run for pair in zip(step.outs, step.types, strict=True))
    nbytes = {out: type.nbytes for out, type in pairs if out in inner}
    alive = most = 0
    for i, step in enumerate(run):
        alive += sum(nbytes.get(out, 0) for out in step.outs)
        alive -= sum(nbytes.get(value, 0) for value in {*step.ins} if last_use[value] == i)
        most = max(most, alive)
        alive -= sum(nbytes.get(out, 0) for out in step.outs if last_use[out] == i)
    return most


def _even(count: int, rows: int) -> int:
    """About as many rows, so that pieces are alike and begin as the whole tensor does in a line of a cache."""
    alike = -(-count // -(-count // rows))
    return min(count, -(-alike // CACHE_LINE_BYTES) * CACHE_LINE_BYTES) if alike > CACHE_LINE_BYTES else alike


def _rows_of_one(step: Step, threads: int) -> int:
    """The same of a single step: a body needs no cache, so there are pieces for threads only."""
    return -(-step.types[0].shape[0] // (threads * TILES_PER_THREAD)) if step.op.role == "fused" and threads > 1 else 0


def inner_values(run: Sequence[Step], last: int, last_use: Mapping[int, int], leaving: Collection[int]) -> set[int]:
    """The results of a run, before step ``last``, that nobody outside of it asks for."""
    made = (out for step in run for out in step.outs)
    return {value for value in made if value not in leaving and last_use.get(value, 0) < last}
