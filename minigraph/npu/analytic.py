"""Closed forms: the cycles of a plan from its bottleneck, without simulating queues.

A tile loop runs at the pace of its slowest part: one queue, the memory all cores share, or the round trip
of a buffer (its slots let that many tiles be under way at once). To this comes filling the pipe once.
Agrees with the event engine within 5 % on every class of operator; a test holds it there.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    first = _vector_period(plan, chip, plan.turns[0].cores, plan.miss, plan.sweeps == 1)
    return total - first + plan.meetings * chip.sync.xcore


def vector_ops_cycles(plan: VectorPlan, chip: Chip) -> int:
    """Cycles of the vector instructions of one tile."""
    return sum(costs.vector_op(chip, kind, n, plan.width, plan.conflict) for kind, n in plan.ops)


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


class Store(NamedTuple):
    """One tile's way out: cycles its L0C slot is held, cycles after that until it is stored, and memory's cycles."""

    held: int
    after: int
    gm: float
    l2: float

    @property
    def pace(self) -> int:
        """Cycles from one tile's store to the next; UB holds one tile."""
        return self.held + self.after


class Chunk(NamedTuple):
    """One load of both operands: cycles MTE2 is held, until it is in, until its L1 slot is free again; memory's."""

    held: int
    done: int
    trip: int
    gm: float
    l2: float


Chunks = Mapping[int, Chunk]  # by blocks
UNEVEN = 0.75  # part of the difference between a tile's longest and shortest load that is lost; set like AHEAD
AHEAD = 1.25  # blocks MTE1 has brought in before the cube holds it back: 1 busy, 2 idle; set against the event engine


def cube_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of the busiest cube core: until the last load is in and used, or the cube is done, then one store."""
    flag, store, block = chip.sync.flag, tile_store(plan, chip), _block(plan, chip)
    chunks = _chunks(plan, chip)
    first, enter = chip.sync.issue + _first_load(plan, chip, chunks), 2 * flag + mte1_cycles(plan, chip)
    tiles, blocks = plan.per_core, plan.blocks
    loaded = first + _later_loads(plan, chip, chunks) + enter + (plan.chunks[-1] - 1) * block
    computed = first + enter + (tiles * blocks - 1) * block + (tiles - 1) * _exposed(plan, chip)
    stored = first + enter + (blocks - 1) * block + (tiles - 1) * store.pace
    issued = chip.sync.issue * tiles * (2 * len(plan.chunks) + 3 * blocks + 1)
    zeroed = chip.sync.xcore if plan.split_k > 1 else 0
    last = costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn)
    return zeroed + max(loaded, computed, stored, issued) + last + flag + store.held + store.after


def _chunks(plan: CubePlan, chip: Chip) -> Chunks:
    """Every size of load in a tile; MTE1 runs ahead of the cube before it gives the slot back."""
    way_a, way_b = load_paths(plan, chip)
    inside, mte1 = _block(plan, chip), mte1_cycles(plan, chip)
    found = {}
    for blocks in set(plan.chunks):
        a, b = operand_bytes(plan, blocks)
        time_a, time_b = ceil(a / way_a.rate), ceil(b / way_b.rate)
        slowest = max(way_a.latency + time_a, way_b.latency + time_b)  # with more in flight, per two loads
        held = max(time_a + time_b, ceil(2 * slowest / chip.mte2.outstanding))
        done, ahead = max(way_a.latency + time_a, way_b.latency) + time_b, min(blocks, AHEAD)
        trip = ceil(done + (blocks - ahead) * inside + ahead * mte1 + 2 * chip.sync.flag)
        found[blocks] = Chunk(held, done, trip, a * way_a.gm + b * way_b.gm, a * way_a.l2 + b * way_b.l2)
    return found


def _first_load(plan: CubePlan, chip: Chip, chunks: Chunks) -> int:
    """Cycles until the first load is in: all cores ask at once."""
    first = chunks[plan.chunks[0]]
    shared = ceil(plan.turns[0].cores * max(first.gm, first.l2))
    return max(first.done, load_paths(plan, chip)[0].latency + shared)


def _later_loads(plan: CubePlan, chip: Chip, chunks: Chunks) -> int:
    """Cycles from the arrival of the first load to that of the last."""
    whole = sum(turn.tiles * _tile_loads(plan, chip, chunks, turn.cores) for turn in plan.turns)
    first_tile = _tile_loads(plan, chip, chunks, plan.turns[0].cores)
    later = [chunks[blocks] for blocks in plan.chunks[1:]]
    pool = plan.turns[0].cores * max(sum(chunk.gm for chunk in later), sum(chunk.l2 for chunk in later))
    rest = sum(max(chunk.held, ceil(chunk.trip / plan.buffers)) for chunk in later)
    return whole - first_tile + max(rest, ceil(pool))


def _tile_loads(plan: CubePlan, chip: Chip, chunks: Chunks, cores: int) -> int:
    """Cycles from one tile's loads to the next tile's: the queue, the slots of L1 going round, or shared memory.

    Load i waits for the slot of load i less the number of slots; when these divide the loads of a tile, each
    slot always serves the same ones, and the slowest of them sets the pace. Uneven loads stumble over each other.
    """
    loads, slots = [chunks[blocks] for blocks in plan.chunks], plan.buffers
    trips = [load.trip for load in loads]
    ring = sum(trips) / slots if len(loads) % slots else max(sum(trips[slot::slots]) for slot in range(slots))
    ring += UNEVEN * (max(load.held for load in loads) - min(load.held for load in loads))
    store = tile_store(plan, chip)
    pool = cores * max(store.gm + sum(load.gm for load in loads), store.l2 + sum(load.l2 for load in loads))
    return ceil(max(pool, ring, sum(load.held for load in loads) + _stall(plan, chip, loads[0])))


def _stall(plan: CubePlan, chip: Chip, first: Chunk) -> int:
    """Cycles per tile that loads wait because the cube waits for its store: what the slots of L1 cannot absorb."""
    ahead = first.held - plan.chunks[0] * _block(plan, chip)
    return max(0, _exposed(plan, chip) - plan.buffers * ahead) if ahead > 0 else 0


def operand_bytes(plan: CubePlan, blocks: int) -> tuple[int, int]:
    """Bytes of both operands in one load of ``blocks`` k blocks, before a convolution expands the left one."""
    k = blocks * plan.bk
    return ceil(plan.bm * k * plan.dtype.itemsize / plan.window), k * plan.bn * plan.dtype.itemsize


def load_paths(plan: CubePlan, chip: Chip) -> tuple[costs.Path, costs.Path]:
    """The ways of the left and the right operand into L1."""
    eff_a = costs.row_efficiency(chip, plan.row_a) if plan.row_a else 1.0
    eff_b = costs.row_efficiency(chip, plan.row_b) if plan.row_b else 1.0
    return costs.load_path(chip, plan.miss_a, "l1", eff_a), costs.load_path(chip, plan.miss_b, "l1", eff_b)


def mte1_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles to bring one k block of both operands from L1 to the cube."""
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    return costs.mte1_a(chip, a, plan.window, plan.spans) + costs.mte1_b(chip, b)


def tile_store(plan: CubePlan, chip: Chip) -> Store:
    """What it takes to get one tile of results out of L0C: one pipe on split chips, UB in between on coupled ones."""
    results = plan.bm * plan.bn
    size = results * plan.store_item
    if chip.family == "split":
        path = costs.fixp_path(chip, plan.store_item, plan.absorbed)
        return Store(path.latency + ceil(size / path.rate), 0, path.gm * size, path.l2 * size)
    held = costs.l0c_to_ub(chip, results)
    if not plan.stores:
        return Store(held, 0, 0.0, 0.0)
    path = costs.store_path(chip, plan.absorbed)
    return Store(held, chip.sync.flag + path.latency + ceil(size / path.rate), path.gm * size, path.l2 * size)


def _block(plan: CubePlan, chip: Chip) -> int:
    """Cycles from one k block to the next inside the core."""
    move, cube = mte1_cycles(plan, chip), costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn)
    return max(move, cube, ceil((move + cube + 2 * chip.sync.flag) / 2))


def _exposed(plan: CubePlan, chip: Chip) -> int:
    """Cycles the cube waits for a tile to leave L0C; none when a second tile fits."""
    return 0 if plan.l0c_slots > 1 else tile_store(plan, chip).held + 2 * chip.sync.flag
