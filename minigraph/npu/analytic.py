"""Closed forms: the cycles of a plan from its bottleneck, without simulating queues.

A tile loop runs at the pace of its slowest part: one queue, the memory all cores share, or the round trip
of a buffer (its slots let that many tiles be under way at once). To this comes filling the pipe once.
Agrees with the event engine within 5 % on every class of operator; a test holds it there.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from minigraph.npu import costs
from minigraph.npu.chip import Chip
from minigraph.npu.plan import CubePlan, Layout, ScalarPlan, VectorPlan


def layout_cycles(layout: Layout, chip: Chip) -> int:
    """Cycles of a node from its first instruction to its last, without the task's head."""
    cube = sum(cube_cycles(plan, chip) for plan in layout.cube)
    vector = vector_cycles(layout.vector, chip) if layout.vector else 0
    scalar = scalar_cycles(layout.scalar, chip) if layout.scalar else 0
    return side_by_side(layout, cube, vector) + scalar


def side_by_side(layout: Layout, cube: int, vector: int) -> int:
    """Cycles of cube and vector work: the vector cores start when the first tile is out, end after the last."""
    if not layout.mixed or layout.vector is None:
        return cube + vector
    tiles = max(min(layout.cube[-1].per_core, layout.vector.per_core), 1)
    return max(cube, vector) + ceil(min(cube, vector) / tiles)


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
    return total - _vector_period(plan, chip, plan.turns[0].cores, plan.miss, plan.sweeps == 1) + _combine(plan, chip)


def vector_ops_cycles(plan: VectorPlan, chip: Chip) -> int:
    """Cycles of the vector instructions of one tile."""
    return sum(costs.vector_op(chip, kind, n, plan.width, plan.conflict) for kind, n in plan.ops)


def _combine(plan: VectorPlan, chip: Chip) -> int:
    return chip.sync.xcore if plan.combine else 0


def _loads(plan: VectorPlan, chip: Chip, miss: float) -> Transfer:
    if not plan.streams:
        return NOTHING
    path = costs.load_path(chip, miss, "ub")
    each, depth = ceil(plan.load_bytes / path.rate), chip.mte2.outstanding
    stall = max(0, path.latency + each - depth * each)
    done = path.latency + plan.streams * each + (ceil(plan.streams / depth) - 1) * stall
    moved = plan.streams * plan.load_bytes
    held = plan.streams * max(each, ceil((path.latency + each) / depth))
    return Transfer(done, held, path.gm * moved, path.l2 * moved)


def _store(plan: VectorPlan, chip: Chip) -> Transfer:
    if not plan.store_bytes:
        return NOTHING
    path = costs.store_path(chip, plan.absorbed)
    held = path.latency + ceil(plan.store_bytes / path.rate)
    return Transfer(held, held, path.gm * plan.store_bytes, path.l2 * plan.store_bytes)


def _vector_period(plan: VectorPlan, chip: Chip, cores: int, miss: float, store: bool) -> int:
    load, out = _loads(plan, chip, miss), _store(plan, chip) if store else NOTHING
    work, flags = vector_ops_cycles(plan, chip), 2 * chip.sync.flag
    pool = cores * max(load.gm + out.gm, load.l2 + out.l2)
    middle = work if plan.ops else out.done
    rounds = [(load.done + middle + flags) / plan.buffers, (work + out.done + flags) / plan.buffers if plan.ops else 0]
    issue = chip.sync.issue * (plan.streams + len(plan.ops) + bool(out.done))
    return ceil(max(load.held, work, out.done, pool, issue, *rounds))


def _vector_fill(plan: VectorPlan, chip: Chip) -> int:
    """Cycles of the first tile from end to end: all cores ask for their first loads at once."""
    load, out, cores = _loads(plan, chip, plan.miss), _store(plan, chip), plan.turns[0].cores
    latency = costs.load_path(chip, plan.miss, "ub").latency if plan.streams else 0
    arrived = max(load.done, latency + ceil(cores * max(load.gm, load.l2)))
    work = vector_ops_cycles(plan, chip)
    flags = chip.sync.flag * (bool(load.done and (work or out.done)) + bool(work and out.done))
    chain = arrived + work + out.done + flags
    return chip.sync.issue + max(chain, latency + ceil(cores * max(load.gm + out.gm, load.l2 + out.l2)))


# ---- cube ------------------------------------------------------------------------------------------


def cube_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of the busiest cube core."""
    load_first, block = _first_load(plan, chip), _block(plan, chip)
    flag, fixp = chip.sync.flag, fixp_cycles(plan, chip)[0]
    fill = chip.sync.issue + load_first + flag + mte1_cycles(plan, chip) + flag
    body = sum(turn.tiles * cube_period(plan, chip, turn.cores) for turn in plan.turns)
    memory_bound = cube_period(plan, chip, plan.turns[0].cores) > plan.blocks * block + _exposed(plan, chip)
    if memory_bound:  # the last load still has to go through the cube; the first one is in the period already
        fill = chip.sync.issue + latency_cycles(plan, chip) + 2 * flag + plan.chunks[-1] * block
    exposed = 0 if memory_bound else _exposed(plan, chip)
    zero_fill = chip.sync.xcore if plan.split_k > 1 else 0
    return fill + body - exposed + flag + fixp + zero_fill


def cube_period(plan: CubePlan, chip: Chip, cores: int) -> int:
    """Cycles from one tile to the next while ``cores`` cores work."""
    block = _block(plan, chip)
    rounds = 0.0
    load = 0
    for blocks in plan.chunks:
        held, latency = chunk_cycles(plan, chip, blocks)
        load += held
        rounds += max(held, (latency + held + blocks * block + 2 * chip.sync.flag) / plan.buffers)
    fixp, *out = fixp_cycles(plan, chip)
    shares = [chunk_shares(plan, chip, blocks) for blocks in plan.chunks]
    pool = cores * max(sum(each) + last for each, last in zip(zip(*shares, strict=True), out, strict=True))
    compute = plan.blocks * block + _exposed(plan, chip)
    issue = chip.sync.issue * (2 * len(plan.chunks) + 3 * plan.blocks + 1)
    return int(ceil(max(load, rounds if len(plan.chunks) > 1 else load, compute, fixp, pool, issue)))


def operand_bytes(plan: CubePlan, blocks: int) -> tuple[int, int]:
    """Bytes of both operands in one load of ``blocks`` k blocks, before a convolution expands the left one."""
    k = blocks * plan.bk
    return ceil(plan.bm * k * plan.dtype.itemsize / plan.window), k * plan.bn * plan.dtype.itemsize


def load_paths(plan: CubePlan, chip: Chip) -> tuple[costs.Path, costs.Path]:
    """The ways of the left and the right operand into L1."""
    eff_a = costs.row_efficiency(chip, plan.row_a) if plan.row_a else 1.0
    eff_b = costs.row_efficiency(chip, plan.row_b) if plan.row_b else 1.0
    return costs.load_path(chip, plan.miss_a, "l1", eff_a), costs.load_path(chip, plan.miss_b, "l1", eff_b)


def chunk_cycles(plan: CubePlan, chip: Chip, blocks: int) -> tuple[int, int]:
    """(cycles MTE2 is held by one load of both operands, latency before)."""
    ways = load_paths(plan, chip)
    times = [ceil(moved / way.rate) for moved, way in zip(operand_bytes(plan, blocks), ways, strict=True)]
    hidden = ceil((sum(times) + sum(way.latency for way in ways)) / chip.mte2.outstanding)
    return max(sum(times), hidden), ways[0].latency


def chunk_shares(plan: CubePlan, chip: Chip, blocks: int) -> tuple[float, float]:
    """Cycles device memory and L2 are busy with one core's load of both operands."""
    (a, b), (way_a, way_b) = operand_bytes(plan, blocks), load_paths(plan, chip)
    return a * way_a.gm + b * way_b.gm, a * way_a.l2 + b * way_b.l2


def mte1_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles to bring one k block of both operands from L1 to the cube."""
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    return costs.mte1_a(chip, a, plan.window, plan.spans) + costs.mte1_b(chip, b)


def fixp_cycles(plan: CubePlan, chip: Chip) -> tuple[int, float, float]:
    """Cycles to store one tile, and cycles device memory and L2 are busy with it."""
    moved = plan.bm * plan.bn * plan.store_item
    path = costs.fixp_path(chip, plan.store_item, plan.absorbed)
    return path.latency + ceil(moved / path.rate), path.gm * moved, path.l2 * moved


def latency_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles before the first byte of a load arrives."""
    return load_paths(plan, chip)[0].latency


def _first_load(plan: CubePlan, chip: Chip) -> int:
    held, latency = chunk_cycles(plan, chip, plan.chunks[0])
    shared = ceil(plan.turns[0].cores * max(chunk_shares(plan, chip, plan.chunks[0])))
    return latency + max(held, shared)


def _block(plan: CubePlan, chip: Chip) -> int:
    """Cycles from one k block to the next inside the core."""
    move, cube = mte1_cycles(plan, chip), costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn)
    return max(move, cube, ceil((move + cube + 2 * chip.sync.flag) / 2))


def _exposed(plan: CubePlan, chip: Chip) -> int:
    """Cycles the cube waits for a tile to leave L0C; none when a second tile fits."""
    return 0 if plan.l0c_slots > 1 else fixp_cycles(plan, chip)[0] + 2 * chip.sync.flag
