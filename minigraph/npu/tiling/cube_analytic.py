"""Closed form of a matrix product: the cycles of a plan from its bottleneck, without simulating queues.

A loop over tiles runs at the pace of its slowest part: one queue, the memory all cores share, or the round trip
of a buffer (its slots let that many loads be under way at once). To this comes filling the pipe once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import ceil
from typing import NamedTuple

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.plan import CubePlan

UNEVEN = 0.75  # part of the difference between a tile's longest and shortest load that is lost; set like AHEAD
RUNS = 2  # runs of tiles of one operand's stay in L1 that are looked at one by one
AHEAD = 1.25  # blocks MTE1 has brought in before the cube holds it back: 1 busy, 2 idle; set against the event engine


class Load(NamedTuple):
    """One load into L1: its bytes and way, and the cycles its data take."""

    moved: int
    way: costs.Path

    @property
    def data(self) -> int:
        """Cycles from the first byte to the last."""
        return ceil(self.moved / self.way.rate)

    @property
    def whole(self) -> int:
        """Cycles from the start to the last byte."""
        return self.way.latency + self.data


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
    """The loads of some blocks: cycles MTE2 is held, until they are in, until their L1 slot is free again; memory's."""

    held: int
    done: int
    trip: int
    gm: float
    l2: float


class CubeTime:
    """The closed form of one plan on one chip; every part of it is worked out once."""

    def __init__(self, plan: CubePlan, chip: Chip) -> None:
        self.plan, self.chip = plan, chip
        self.flag = chip.sync.flag
        self.mte1 = mte1_cycles(plan, chip)
        self.mmad = costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn)
        self.store = tile_store(plan, chip)
        self.turns, self.sizes = plan.turns, plan.chunks
        self._chunks: dict[str, list[Chunk]] = {}

    @cached_property
    def block(self) -> int:
        """Cycles from one k block to the next inside the core."""
        cube = self.mmad + self.chip.cube.turn
        return max(self.mte1, cube, ceil((self.mte1 + self.mmad + 2 * self.flag) / 2))

    @cached_property
    def exposed(self) -> int:
        """Cycles the cube waits for a tile to leave L0C; none when a second tile fits."""
        return 0 if self.plan.l0c_slots > 1 else max(0, self.mmad + self.store.held + 2 * self.flag - self.block)

    @cached_property
    def cycles(self) -> int:
        """Cycles of the busiest cube core: until the last load is in and used, or the cube is done, then one store."""
        plan, store, issue = self.plan, self.store, self.chip.sync.issue
        first, enter = issue + self._first_load(), 2 * self.flag + self.mte1
        stored = first + enter + (plan.blocks - 1) * self.block + (plan.per_core - 1) * store.pace
        issued = issue * plan.per_core * (2 * len(self.sizes) + 3 * plan.blocks + 1)
        zeroed = self.chip.sync.xcore if plan.split_k > 1 else 0
        last = self.mmad + self.flag + store.held + store.after
        return zeroed + max(self._last_block(first, enter), stored, issued) + last

    def _last_block(self, first: int, enter: int) -> int:
        """The cycle the last block starts in the cube: each tile is loaded after the one before, computed after both.

        ``first`` is when the first load is in, ``enter`` what lies between a load's end and its first block. Loads
        run ahead of the cube by the slots of L1; long stretches go on as their last run of tiles did.
        """
        plan = self.plan
        part = min(1.0, (plan.buffers - 1) / len(self.sizes))
        tail, work = enter + (self.sizes[-1] - 1) * self.block, (plan.blocks - 1) * self.block
        loaded = first + self._rest_of_tile(self.turns[0].cores)
        computed = max(first + enter + work, loaded + tail)
        older, before = first, 1  # the first tile is done
        for turn in self.turns:
            pace = {name: self._tile_loads(name, turn.cores) for name in {"ab", plan.other}}
            for done in range(before, min(turn.tiles, RUNS * plan.run)):
                name = "ab" if done % plan.run == 0 else plan.other
                load = pace[name]
                if done == (RUNS - 1) * plan.run:
                    loaded_then, computed_then = loaded, computed
                room = computed + ceil(load * (1 - part)) - self._in_use(name) if part < 1 else older + load
                loaded, older = max(loaded + load, room), computed
                computed = max(computed + self.block + self.exposed + work, loaded + tail)
            if turn.tiles > RUNS * plan.run:
                more = (turn.tiles - RUNS * plan.run) / plan.run
                loaded += ceil(more * (loaded - loaded_then))
                computed += ceil(more * (computed - computed_then))
            before = 0
        return computed

    def _in_use(self, operands: str) -> int:
        """Cycles of a tile's last load that the cube's side takes: with a single slot they are over when it starts."""
        last = self.chunks(operands)[-1]
        return last.trip - last.done if self.plan.buffers == 1 else 0

    def chunks(self, operands: str) -> list[Chunk]:
        """The loads of one tile, in order, when ``operands`` ("ab", "a" or "b") have to be loaded."""
        if operands not in self._chunks:
            found = {blocks: self._chunk(blocks, operands) for blocks in set(self.sizes)}
            self._chunks[operands] = [found[blocks] for blocks in self.sizes]
        return self._chunks[operands]

    def _chunk(self, blocks: int, operands: str) -> Chunk:
        loads = loads_of(self.plan, self.chip, blocks, operands)
        done, ahead = first_arrival(loads, self.chip), min(blocks, AHEAD)
        trip = ceil(done + (blocks - ahead) * self.block + ahead * self.mte1 + 2 * self.flag)
        gm, l2 = (sum(load.moved * getattr(load.way, pool) for load in loads) for pool in ("gm", "l2"))
        return Chunk(queue_held(loads, self.chip), done, trip, gm, l2)

    def _first_load(self) -> int:
        """Cycles until the first load is in: all cores ask at once."""
        loads = loads_of(self.plan, self.chip, self.sizes[0], "ab")
        return first_arrival(loads, self.chip, self.turns[0].cores)

    def _rest_of_tile(self, cores: int) -> int:
        """Cycles from the arrival of the first tile's first load to that of its last."""
        later = self.chunks("ab")[1:]
        pool = cores * max(sum(chunk.gm for chunk in later), sum(chunk.l2 for chunk in later))
        rest = sum(max(chunk.held, ceil(chunk.trip / self.plan.buffers)) for chunk in later)
        return max(rest, ceil(pool))

    def _tile_loads(self, operands: str, cores: int) -> int:
        """Cycles from one tile's loads to the next tile's: the queue, the slots of L1 going round, or shared memory.

        Load i waits for the slot of load i less the number of slots; when these divide the loads of a tile, each
        slot always serves the same ones, and the slowest of them sets the pace. Uneven loads stumble over each other.
        """
        loads, slots, store = self.chunks(operands), self.plan.buffers, self.store
        trips = [load.trip for load in loads]
        ring = sum(trips) / slots if len(loads) % slots else max(sum(trips[slot::slots]) for slot in range(slots))
        ring += UNEVEN * (max(load.held for load in loads) - min(load.held for load in loads))
        pool = cores * max(store.gm + sum(load.gm for load in loads), store.l2 + sum(load.l2 for load in loads))
        return ceil(max(pool, ring, sum(load.held for load in loads) + self._stall(loads[0])))

    def _stall(self, first: Chunk) -> int:
        """Cycles per tile that loads wait because the cube waits for its store: what L1's slots cannot absorb."""
        ahead = first.held - self.sizes[0] * self.block
        return max(0, self.exposed - self.plan.buffers * ahead) if ahead > 0 else 0


def cube_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of the busiest cube core, without the task's head."""
    return CubeTime(plan, chip).cycles


# ---- the parts of a tile ---------------------------------------------------------------------------


def loads_of(plan: CubePlan, chip: Chip, blocks: int, operands: str) -> list[Load]:
    """The loads of ``blocks`` k blocks, in order, of the operands named ("ab", "a" or "b")."""
    moved, ways = operand_bytes(plan, blocks), load_paths(plan, chip)
    return [Load(n, way) for name, n, way in zip("ab", moved, ways, strict=True) if name in operands]


def operand_bytes(plan: CubePlan, blocks: int) -> tuple[int, int]:
    """Bytes of both operands in one load of ``blocks`` k blocks, before a convolution expands the left one."""
    k = blocks * plan.k
    return ceil(plan.m * k * plan.dtype.itemsize * plan.image), k * plan.n * plan.dtype.itemsize


def load_paths(plan: CubePlan, chip: Chip) -> tuple[costs.Path, costs.Path]:
    """The ways of the left and the right operand into L1."""
    return (
        costs.load_path(chip, plan.miss_a, "l1", plan.turned_a, plan.drag_a, plan.together),
        costs.load_path(chip, plan.miss_b, "l1", plan.turned_b, plan.drag_b, plan.together),
    )


def queue_held(loads: Sequence[Load], chip: Chip) -> int:
    """Cycles MTE2 needs for these loads when they follow each other without end.

    Data come in order; latencies overlap with what goes before, but for loads that stand alone.
    """
    depth = chip.mte2.outstanding
    if depth == 1:
        return sum(load.whole for load in loads)
    if not any(load.way.alone for load in loads):
        return max(sum(load.data for load in loads), ceil(len(loads) * max(load.whole for load in loads) / depth))
    held = 0
    for before, load in zip((loads[-1], *loads), loads, strict=False):
        hidden = 0 if load.way.alone else before.whole if before.way.alone else before.data
        held += load.data + max(0, load.way.latency - hidden)
    return held


def first_arrival(loads: Sequence[Load], chip: Chip, cores: int = 0) -> int:
    """Cycles until the last of these loads is in, when MTE2 had nothing to do before and ``cores`` ask at once."""
    ends, gm, l2 = [0] * chip.mte2.outstanding, loads[0].way.latency, loads[0].way.latency
    for load in loads:
        start = ends[-1] if load.way.alone else ends[-chip.mte2.outstanding]
        gm += ceil(cores * load.moved * load.way.gm)
        l2 += ceil(cores * load.moved * load.way.l2)
        ends.append(max(max(start + load.way.latency, ends[-1]) + load.data, gm, l2))
    return ends[-1]


def mte1_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles to bring one k block of both operands from L1 to the cube."""
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    return costs.mte1_a(chip, a, plan.window, plan.stride, plan.spans) + costs.mte1_b(chip, b)


def tile_store(plan: CubePlan, chip: Chip) -> Store:
    """What it takes to get one tile of results out of L0C: one pipe on split chips, UB in between on coupled ones."""
    size = plan.m * plan.n * plan.store_item
    if chip.family == "split":
        path = costs.fixp_path(chip, plan.store_item, plan.absorbed, plan.reads)
        return Store(path.latency + ceil(size / path.rate), 0, path.gm * size, path.l2 * size)
    held = costs.l0c_to_ub(chip, plan.bm * plan.bn)
    if not plan.stores:
        return Store(held, 0, 0.0, 0.0)
    path = costs.store_path(chip, plan.absorbed, plan.reads)
    return Store(held, chip.sync.flag + path.latency + ceil(size / path.rate), path.gm * size, path.l2 * size)
