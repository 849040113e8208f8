"""The analytic model of a matrix product on the cube cores: the bottleneck analysis of ``analytic``, tile by tile.

Three nested pipelines are composed. Inside a tile, k blocks pass MTE1 and the cube at the slower of their periods
(L0A and L0B are double-buffered). The loads of a tile run at the slowest of MTE2, shared memory and the round trip of
an L1 slot. Between tiles, two recurrences, for the last load and for the last block, run over the first ``EXACT_RUNS``
stays of a resident operand in each phase (tiles, if none is resident) and continue linearly from there.

Exact event times inside a tile are not tracked. Where loads of unequal size interfere, and for the lead of MTE1 over
the cube, two constants (``UNEVEN_LOAD_LOSS``, ``MTE1_LEAD_BLOCKS``) are fitted to the event engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import ceil
from typing import NamedTuple

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.plan import CubePlan

UNEVEN_LOAD_LOSS = 0.75  # lost share of the difference between a tile's longest and shortest load; fitted
EXACT_RUNS = 2  # stays of a resident operand (tiles, if there is none) computed one by one
MTE1_LEAD_BLOCKS = 1.25  # blocks that MTE1 is ahead of the cube: 1 if the cube is busy, 2 if idle; fitted


class Load(NamedTuple):
    """One load into L1: bytes and data path."""

    moved: int
    path: costs.Path

    @property
    def data(self) -> int:
        """Cycles from the first byte to the last: no latency."""
        return ceil(self.moved / self.path.rate)

    @property
    def whole(self) -> int:
        """Cycles from the start to the last byte: latency included."""
        return self.path.latency + self.data


class Store(NamedTuple):
    """The store of one tile: cycles it holds its L0C slot, cycles from then to its end, cycles of shared memory."""

    held: int
    after: int
    gm: float
    l2: float

    @property
    def pace(self) -> int:
        """Least cycles from one tile's store to the next: UB holds one tile."""
        return self.held + self.after


class Chunk(NamedTuple):
    """The loads of one L1 slot: cycles MTE2 is busy, arrival, round trip of the slot, cycles of shared memory."""

    held: int
    arrival: int
    trip: int
    gm: float
    l2: float


class CubeModel:
    """The analytic model of one plan on one chip; its parts are computed once."""

    def __init__(self, plan: CubePlan, chip: Chip) -> None:
        self.plan, self.chip = plan, chip
        self.flag = chip.sync.flag
        self.mte1 = mte1_cycles(plan, chip)
        self.mmad = costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn)
        self.store = tile_store(plan, chip)
        self.phases, self.sizes = plan.phases, plan.chunks
        self._chunks: dict[str, list[Chunk]] = {}

    @cached_property
    def block(self) -> int:
        """Period of the k blocks inside the core: MTE1, the cube, or half of their round trip."""
        cube = self.mmad + self.chip.cube.turn
        return max(self.mte1, cube, ceil((self.mte1 + self.mmad + 2 * self.flag) / 2))

    @cached_property
    def store_stall(self) -> int:
        """Cycles the cube stalls on the store of a tile; 0 if L0C holds a second tile."""
        return 0 if self.plan.l0c_slots > 1 else max(0, self.mmad + self.store.held + 2 * self.flag - self.block)

    @cached_property
    def cycles(self) -> int:
        """Cycles of the busiest core: up to the last block, by loads, cube, stores or issue, then its store."""
        plan, store, issue = self.plan, self.store, self.chip.sync.issue
        first, enter = issue + self._first_load(), 2 * self.flag + self.mte1
        stored = first + enter + (plan.blocks - 1) * self.block + (plan.per_core - 1) * store.pace
        issued = issue * plan.per_core * (2 * len(self.sizes) + 3 * plan.blocks + 1)
        zeroed = self.chip.sync.xcore if plan.split_k > 1 else 0
        last = self.mmad + self.flag + store.held + store.after
        return zeroed + max(self._last_block_start(first, enter), stored, issued) + last

    def _last_block_start(self, first: int, enter: int) -> int:
        """The cycle in which the last block starts: a recurrence over tiles, for loads and for the cube.

        ``first``: arrival of the first load. ``enter``: cycles from a load's end to its first block. Loads run ahead of
        the cube by the slots of L1; a long phase continues linearly with the period of its last exact run.
        """
        plan = self.plan
        lead = min(1.0, (plan.buffers - 1) / len(self.sizes))
        tail, work = enter + (self.sizes[-1] - 1) * self.block, (plan.blocks - 1) * self.block
        loaded = first + self._rest_of_tile(self.phases[0].cores)
        computed = max(first + enter + work, loaded + tail)
        older, start = first, 1  # the first tile is computed above
        for phase in self.phases:
            pace = {name: self._tile_loads(name, phase.cores) for name in {"ab", plan.streamed_operands}}
            for tile in range(start, min(phase.tiles, EXACT_RUNS * plan.reuse)):
                name = "ab" if tile % plan.reuse == 0 else plan.streamed_operands
                load = pace[name]
                if tile == (EXACT_RUNS - 1) * plan.reuse:
                    loaded_then, computed_then = loaded, computed
                slot_ready = computed + ceil(load * (1 - lead)) - self._l1_release(name) if lead < 1 else older + load
                loaded, older = max(loaded + load, slot_ready), computed
                computed = max(computed + self.block + self.store_stall + work, loaded + tail)
            if phase.tiles > EXACT_RUNS * plan.reuse:
                remaining = (phase.tiles - EXACT_RUNS * plan.reuse) / plan.reuse
                loaded += ceil(remaining * (loaded - loaded_then))
                computed += ceil(remaining * (computed - computed_then))
            start = 0
        return computed

    def _l1_release(self, operands: str) -> int:
        """Cycles from the last load's arrival to the release of its slot, for one slot; 0 for several."""
        last = self.chunks(operands)[-1]
        return last.trip - last.arrival if self.plan.buffers == 1 else 0

    def chunks(self, operands: str) -> list[Chunk]:
        """The loads of one tile, in order, for the ``operands`` "ab", "a" or "b"."""
        if operands not in self._chunks:
            by_size = {blocks: self._chunk(blocks, operands) for blocks in set(self.sizes)}
            self._chunks[operands] = [by_size[blocks] for blocks in self.sizes]
        return self._chunks[operands]

    def _chunk(self, blocks: int, operands: str) -> Chunk:
        loads = loads_of(self.plan, self.chip, blocks, operands)
        arrival, lead = first_arrival(loads, self.chip), min(blocks, MTE1_LEAD_BLOCKS)
        trip = ceil(arrival + (blocks - lead) * self.block + lead * self.mte1 + 2 * self.flag)
        gm, l2 = (sum(load.moved * getattr(load.path, pool) for load in loads) for pool in ("gm", "l2"))
        return Chunk(mte2_busy_cycles(loads, self.chip), arrival, trip, gm, l2)

    def _first_load(self) -> int:
        """Cycles to the arrival of the first load, with all cores loading at once."""
        loads = loads_of(self.plan, self.chip, self.sizes[0], "ab")
        return first_arrival(loads, self.chip, self.phases[0].cores)

    def _rest_of_tile(self, cores: int) -> int:
        """Cycles from the arrival of the first tile's first load to that of its last one."""
        later = self.chunks("ab")[1:]
        pool = cores * max(sum(chunk.gm for chunk in later), sum(chunk.l2 for chunk in later))
        rest = sum(max(chunk.held, ceil(chunk.trip / self.plan.buffers)) for chunk in later)
        return max(rest, ceil(pool))

    def _tile_loads(self, operands: str, cores: int) -> int:
        """Period of the loads of one tile: MTE2, the round trip of the L1 slots, or shared memory.

        Load i waits for the slot of load i - slots. If the number of slots divides the loads of a tile, each slot
        serves the same loads in every tile, and the slowest slot sets the period. Loads of unequal size interfere.
        """
        loads, slots, store = self.chunks(operands), self.plan.buffers, self.store
        trips = [load.trip for load in loads]
        ring = sum(trips) / slots if len(loads) % slots else max(sum(trips[slot::slots]) for slot in range(slots))
        ring += UNEVEN_LOAD_LOSS * (max(load.held for load in loads) - min(load.held for load in loads))
        pool = cores * max(store.gm + sum(load.gm for load in loads), store.l2 + sum(load.l2 for load in loads))
        return ceil(max(pool, ring, sum(load.held for load in loads) + self._stall(loads[0])))

    def _stall(self, first: Chunk) -> int:
        """Cycles per tile that loads stall on the store of a tile: the part that the slots of L1 do not hide."""
        ahead = first.held - self.sizes[0] * self.block
        return max(0, self.store_stall - self.plan.buffers * ahead) if ahead > 0 else 0


def cube_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of the busiest cube core, without the task's head overhead."""
    return CubeModel(plan, chip).cycles


# ---- the parts of a tile ---------------------------------------------------------------------------


def loads_of(plan: CubePlan, chip: Chip, blocks: int, operands: str) -> list[Load]:
    """The loads of ``blocks`` k blocks, in order, for the ``operands`` "ab", "a" or "b"."""
    moved, paths = operand_bytes(plan, blocks), load_paths(plan, chip)
    return [Load(n, path) for name, n, path in zip("ab", moved, paths, strict=True) if name in operands]


def operand_bytes(plan: CubePlan, blocks: int) -> tuple[int, int]:
    """Bytes of both operands in one load of ``blocks`` k blocks, the left one before img2col."""
    k = blocks * plan.k
    return ceil(plan.m * k * plan.dtype.itemsize * plan.image_ratio), k * plan.n * plan.dtype.itemsize


def load_paths(plan: CubePlan, chip: Chip) -> tuple[costs.Path, costs.Path]:
    """The load paths of the left and the right operand into L1."""
    return (
        costs.load_path(chip, plan.miss_a, "l1", plan.nd2nz_a, plan.penalty_a, plan.together),
        costs.load_path(chip, plan.miss_b, "l1", plan.nd2nz_b, plan.penalty_b, plan.together),
    )


def mte2_busy_cycles(loads: Sequence[Load], chip: Chip) -> int:
    """Cycles MTE2 is busy per repetition of these loads, in a steady state.

    Data arrive in order. A latency overlaps with the data of the load before, unless the load is serialized.
    """
    depth = chip.mte2.outstanding
    if depth == 1:
        return sum(load.whole for load in loads)
    if not any(load.path.serialized for load in loads):
        return max(sum(load.data for load in loads), ceil(len(loads) * max(load.whole for load in loads) / depth))
    busy = 0
    for before, load in zip((loads[-1], *loads), loads, strict=False):
        hidden = 0 if load.path.serialized else before.whole if before.path.serialized else before.data
        busy += load.data + max(0, load.path.latency - hidden)
    return busy


def first_arrival(loads: Sequence[Load], chip: Chip, cores: int = 0) -> int:
    """Cycles to the arrival of the last of these loads, from an idle MTE2; ``cores`` load at once."""
    ends, gm, l2 = [0] * chip.mte2.outstanding, loads[0].path.latency, loads[0].path.latency
    for load in loads:
        start = ends[-1] if load.path.serialized else ends[-chip.mte2.outstanding]
        gm += ceil(cores * load.moved * load.path.gm)
        l2 += ceil(cores * load.moved * load.path.l2)
        ends.append(max(max(start + load.path.latency, ends[-1]) + load.data, gm, l2))
    return ends[-1]


def mte1_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of MTE1 for one k block of both operands."""
    a, b = plan.bm * plan.bk * plan.dtype.itemsize, plan.bk * plan.bn * plan.dtype.itemsize
    return costs.mte1_a(chip, a, plan.window, plan.stride, plan.output_rows) + costs.mte1_b(chip, b)


def tile_store(plan: CubePlan, chip: Chip) -> Store:
    """The store of one tile: FixPipe on split chips; the vector unit, UB and MTE3 on coupled ones."""
    size = plan.m * plan.n * plan.store_item
    if chip.family == "split":
        path = costs.fixp_path(chip, plan.store_item, plan.absorbed, plan.read_ratio)
        return Store(path.latency + ceil(size / path.rate), 0, path.gm * size, path.l2 * size)
    held = costs.l0c_to_ub(chip, plan.bm * plan.bn)
    if not plan.stores:
        return Store(held, 0, 0.0, 0.0)
    path = costs.store_path(chip, plan.absorbed, plan.read_ratio)
    return Store(held, chip.sync.flag + path.latency + ceil(size / path.rate), path.gm * size, path.l2 * size)
