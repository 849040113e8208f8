"""Loop tiling (cache blocking): groups of elementwise steps over large tensors, computed tile by tile.

Problem: each numpy call reads and writes whole tensors. If these are larger than the cache, every step of an
elementwise chain is limited by memory bandwidth. Method: the calls of a group run inside one loop over tiles of rows,
so that values between two steps are as large as a tile and stay in the cache: loop fusion at the granularity of tiles,
and tiling for the cache (Allen and Kennedy, *Optimizing Compilers for Modern Architectures*, ch. 9; NumExpr evaluates
expressions this way). The tile size follows from the live ranges: all tiles that are alive at a time fit into
``LIVE_TILES_BYTES``. Tiles are not smaller than necessary, because every numpy call has an overhead, and because
threads hand over the GIL between calls, which takes longer than computing a small tile.

Invariants: a group is a maximal run of adjacent elementwise steps whose results have one shape; operands may be
broadcast. An element depends only on elements at its position, so any tile order gives the same bits. Steps are not
reordered. Not handled: reductions and views inside a group, results of different shapes, tiling of several axes at a
time, and tile sizes measured on the machine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from minigraph.accel.host.threads import thread_count
from minigraph.accel.schedule.tiled_plan import TiledGroup, TiledPlan
from minigraph.core.machine import (
    CACHE_LINE_BYTES,
    LIVE_TILES_BYTES,
    MIN_TILE_BYTES,
    MIN_TILED_BYTES,
    MIN_TILES,
    TILES_PER_THREAD,
)
from minigraph.core.types import Shape, TensorType
from minigraph.execute.plan import Step


def tiled_groups_of(plan: TiledPlan) -> list[TiledGroup]:
    """The groups over large tensors, of two steps or more or of one fused step, in order."""
    candidates, groups = _large_groups(plan), list[TiledGroup]()
    types = plan.types if candidates else {}
    for first, last, internal in candidates:
        steps = plan.steps[first:last]
        shape, nbytes = steps[0].types[0].shape, sum(type.nbytes for step in steps for type in step.types)
        if len(steps) > 1:
            rows, depth = tile_rows(steps, internal, types)
        else:
            rows, depth = _rows_for_threads(steps[0], thread_count(nbytes, shape[0])), 0
        if rows:
            group = TiledGroup(first, last, shape, rows, 1, depth)
            groups.append(group._replace(threads=thread_count(nbytes, len(group.tiles))))
    return groups


def has_large_result(steps: Sequence[Step]) -> bool:
    """Whether any result is large enough to be tiled."""
    return largest_result_bytes(steps) >= MIN_TILED_BYTES


def largest_result_bytes(steps: Sequence[Step]) -> int:
    """Bytes of the largest result."""
    return max([type.nbytes for step in steps for type in step.types], default=0)


def _large_groups(plan: TiledPlan) -> list[tuple[int, int, set[int]]]:
    """Groups over large tensors: the first step, the last but one, and the results that only the group reads."""
    steps = plan.steps
    groups = [(first, last) for first, last in _elementwise_groups(steps) if has_large_result(steps[first:last])]
    last_use = {value: i for i, step in enumerate(steps) for value in step.ins} if groups else {}
    live_out = {*plan.live_out, *plan.preallocated}
    return [(first, last, internal_values(steps[first:last], last, last_use, live_out)) for first, last in groups]


def _elementwise_groups(steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """The maximal runs of elementwise steps with results of one shape, in order."""
    first = 0
    for last in range(1, len(steps) + 1):
        shape = _elementwise_shape(steps[first])
        if last == len(steps) or shape is None or _elementwise_shape(steps[last]) != shape:
            if shape is not None:
                yield first, last
            first = last


def _elementwise_shape(step: Step) -> Shape | None:
    """The shape of an elementwise step's result; ``None`` for a scalar, and for other steps."""
    elementwise = step.op.family == "elementwise" and not step.op.effects and step.types
    return step.types[0].shape or None if elementwise else None


def tile_rows(
    group: Sequence[Step], internal: Collection[int], types: Mapping[int, TensorType], min_tiles: int = MIN_TILES
) -> tuple[int, int]:
    """The rows of a tile and their axis; 0 rows if one row is too large for a fused step, which takes whole rows."""
    largest, shape = largest_result_bytes(group), group[0].types[0].shape
    outside = {value for step in group for value in (*step.ins, *step.outs)}.difference(internal)
    live = peak_live_bytes(group, internal) + sum(types[value].nbytes for value in outside)
    nbytes = max(MIN_TILE_BYTES, min(largest * LIVE_TILES_BYTES // live, largest // min_tiles))
    depth, row = 0, largest // shape[0]
    while row > nbytes and depth + 1 < len(shape):
        depth += 1
        row //= shape[depth]
    is_fused = any(step.op.role == "fused" for step in group)
    return (0, 0) if row > nbytes or (depth and is_fused) else (_even_rows(shape[depth], nbytes // row), depth)


def peak_live_bytes(group: Sequence[Step], internal: Collection[int]) -> int:
    """The peak of live bytes of ``internal`` results, where a result reuses the buffer of an operand read last."""
    last_use = {value: i for i, step in enumerate(group) for value in (*step.outs, *step.ins)}
    pairs = (pair for step in group for pair in zip(step.outs, step.types, strict=True))
    nbytes = {out: type.nbytes for out, type in pairs if out in internal}
    live = peak = 0
    for i, step in enumerate(group):
        live += sum(nbytes.get(out, 0) for out in step.outs)
        live -= sum(nbytes.get(value, 0) for value in {*step.ins} if last_use[value] == i)
        peak = max(peak, live)
        live -= sum(nbytes.get(out, 0) for out in step.outs if last_use[out] == i)
    return peak


def _even_rows(count: int, rows: int) -> int:
    """About as many rows, so that tiles are even, and aligned to cache lines as the whole tensor is."""
    even = -(-count // -(-count // rows))
    return min(count, -(-even // CACHE_LINE_BYTES) * CACHE_LINE_BYTES) if even > CACHE_LINE_BYTES else even


def _rows_for_threads(step: Step, threads: int) -> int:
    """The rows of a tile of a single fused step: it has no values between steps, so tiles are for threads only."""
    return -(-step.types[0].shape[0] // (threads * TILES_PER_THREAD)) if step.op.role == "fused" and threads > 1 else 0


def internal_values(run: Sequence[Step], last: int, last_use: Mapping[int, int], live_out: Collection[int]) -> set[int]:
    """The results of a run of steps, before step ``last``, that only the run reads."""
    results = (out for step in run for out in step.outs)
    return {value for value in results if value not in live_out and last_use.get(value, 0) < last}
