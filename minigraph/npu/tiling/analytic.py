"""Closed forms: the cycles of a plan from its bottleneck, without simulating queues.

A tile loop runs at the pace of its slowest part: one queue, the memory all cores share, or the round trip
of a buffer (its slots let that many tiles be under way at once). To this comes filling the pipe once.
Agrees with the event engine within 5 % on every class of operator; a test holds it there.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_analytic import cube_cycles
from minigraph.npu.tiling.plan import Layout, ScalarPlan, VectorPlan


def layout_cycles(layout: Layout, chip: Chip) -> int:
    """Cycles of a node from its first instruction to its last, without the task's head."""
    cube = sum(cube_cycles(plan, chip) for plan in layout.cube)
    vector = vector_cycles(layout.vector, chip) if layout.vector else 0
    scalar = scalar_cycles(layout.scalar, chip) if layout.scalar else 0
    before = sum(vector_cycles(plan, chip) for plan in layout.before)
    return before + side_by_side(layout, cube, vector) + scalar


def side_by_side(layout: Layout, cube: int, vector: int) -> int:
    """Cycles of cube and vector work: the vector cores start when the first piece is out, end after the last."""
    if not layout.mixed or layout.vector is None:
        return cube + vector
    steps = layout.steps or max(min(layout.cube[-1].per_core, layout.vector.per_core), 1)
    return max(cube, vector) + ceil(min(cube, vector) / steps)


def scalar_cycles(plan: ScalarPlan, chip: Chip) -> int:
    """Cycles of an element-by-element loop on one scalar unit."""
    return ceil(plan.elements * chip.scalar.elem)


# ---- vector ----------------------------------------------------------------------------------------


class Transfer(NamedTuple):
    """One tile's transfers of a kind: cycles until done, cycles the queue is held, cycles of each shared memory."""

    done: int
    held: int
    gm: float
    l2: float


NOTHING = Transfer(0, 0, 0.0, 0.0)


def vector_cycles(plan: VectorPlan, chip: Chip) -> int:
    """Cycles of the busiest vector core."""
    sweeps = [plan.miss] + [plan.miss_again] * (plan.sweeps - 1)
    total = _vector_fill(plan, chip)
    for number, miss in enumerate(sweeps):
        for turn in plan.turns:
            total += turn.tiles * _vector_period(plan, chip, turn.cores, miss, store=number == plan.sweeps - 1)
    first = _vector_period(plan, chip, plan.turns[0].cores, plan.miss, plan.sweeps == 1)
    return total - first + plan.meetings * chip.sync.xcore


def vector_ops_cycles(plan: VectorPlan, chip: Chip) -> int:
    """Cycles of the vector instructions of one tile."""
    return sum(costs.vector_op(chip, op, plan.width, plan.conflict) for op in plan.ops)


def load_path(plan: VectorPlan, chip: Chip, miss: float) -> costs.Path:
    """The way of a tile's loads into UB, of which the part ``miss`` comes from device memory."""
    return costs.load_path(chip, miss, "ub", False, costs.drag_of_rows_apart(chip, plan.piece), plan.together)


def _loads(plan: VectorPlan, chip: Chip, miss: float) -> Transfer:
    if not plan.streams:
        return NOTHING
    path, count = load_path(plan, chip, miss), plan.streams * plan.pieces
    each, depth = ceil(ceil(plan.load_bytes / plan.pieces) / path.rate), chip.mte2.outstanding
    stall = max(0, path.latency + each - depth * each)
    done = path.latency + count * each + (ceil(count / depth) - 1) * stall
    moved = plan.streams * plan.load_bytes
    held = count * max(each, ceil((path.latency + each) / depth))
    return Transfer(done, held, path.gm * moved, path.l2 * moved)


def _store(plan: VectorPlan, chip: Chip) -> Transfer:
    if not plan.store_bytes:
        return NOTHING
    path = costs.store_path(chip, plan.absorbed, plan.reads)
    held = path.latency + ceil(plan.store_bytes / path.rate)
    return Transfer(held, held, path.gm * plan.store_bytes, path.l2 * plan.store_bytes)


def _vector_period(plan: VectorPlan, chip: Chip, cores: int, miss: float, store: bool) -> int:
    load, out = _loads(plan, chip, miss), _store(plan, chip) if store else NOTHING
    work, flags = vector_ops_cycles(plan, chip), 2 * chip.sync.flag
    pool = cores * max(load.gm + out.gm, load.l2 + out.l2)
    middle = work if plan.ops else out.done
    rounds = [(load.done + middle + flags) / plan.buffers, (work + out.done + flags) / plan.buffers if plan.ops else 0]
    issue = chip.sync.issue * (plan.streams * plan.pieces + len(plan.ops) + bool(out.done))
    return ceil(max(load.held, work, out.done, pool, issue, *rounds))


def _vector_fill(plan: VectorPlan, chip: Chip) -> int:
    """Cycles of the first tile from end to end: all cores ask for their first loads at once."""
    load, out, cores = _loads(plan, chip, plan.miss), _store(plan, chip), plan.turns[0].cores
    latency = load_path(plan, chip, plan.miss).latency if plan.streams else 0
    arrived = max(load.done, latency + ceil(cores * max(load.gm, load.l2)))
    work = vector_ops_cycles(plan, chip)
    flags = chip.sync.flag * (bool(load.done and (work or out.done)) + bool(work and out.done))
    chain = arrived + work + out.done + flags
    return chip.sync.issue + max(chain, latency + ceil(cores * max(load.gm + out.gm, load.l2 + out.l2)))
