"""The analytic model of a matrix product on the cube cores: the bottleneck analysis of ``analytic``, tile by tile.

Three nested pipelines are composed. Inside a tile, k blocks pass MTE1 and the cube at the slower of their periods
(L0A and L0B are double-buffered). The loads of a tile run at the slowest of MTE2, shared memory and the round trip of
an L1 slot. Between tiles, two recurrences, for the last load and for the last block, run over the first ``EXACT_RUNS``
stays of a resident operand in each phase (tiles, if none is resident) and continue linearly from there.

Exact event times inside a tile are not tracked. Where loads of unequal size interfere, and for the lead of MTE1 over
the cube, two constants (``UNEVEN_LOAD_LOSS``, ``MTE1_LEAD_BLOCKS``) are fitted to the event engine.
"""

from __future__ import annotations

from functools import cached_property
from math import ceil

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_parts import (
    Chunk,
    Load,
    add_times,
    first_arrival,
    loads_of,
    mte1_cycles,
    mte2_busy_cycles,
    pool_cycles,
    tile_store,
)
from minigraph.npu.tiling.plan import CubePlan

UNEVEN_LOAD_LOSS = 0.75  # lost share of the difference between a tile's longest and shortest load; fitted
EXACT_RUNS = 2  # stays of a resident operand (tiles, if there is none) computed one by one
EXACT_CHUNKS = 8  # chunks of the first tile up to which its loads are stepped one by one
MTE1_LEAD_BLOCKS = 1.25  # blocks that MTE1 is ahead of the cube: 1 if the cube is busy, 2 if idle; fitted


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
        """Period of the k blocks inside the core: MTE1, the cube, or their round trip over the slots of L0."""
        cube = self.mmad + self.chip.cube.turn
        return max(self.mte1, cube, ceil((self.mte1 + self.mmad + 2 * self.flag) / self.plan.l0_slots))

    @cached_property
    def store_stall(self) -> int:
        """Cycles the cube stalls on the store of a tile; 0 if L0C holds a second tile."""
        return 0 if self.plan.l0c_slots > 1 else max(0, self.mmad + self.store.held + 2 * self.flag - self.block)

    @cached_property
    def cycles(self) -> int:
        """Cycles of the busiest core: up to the last block, by loads, cube, stores or issue, then its store."""
        plan, store, issue = self.plan, self.store, self.chip.sync.issue
        first, enter = issue + self._first_load(), 2 * self.flag + self.mte1
        first_tile, last_tile = self._last_block_starts(first, enter)
        stored = first_tile + (plan.per_core - 1) * (store.pace + self.flag * bool(store.after))
        issued = issue * plan.per_core * (2 * len(self.sizes) + 3 * plan.blocks + 1)
        zeroed = self.chip.sync.xcore if plan.split_k > 1 else 0
        last = self.mmad + self.flag + store.held + store.after
        return zeroed + max(last_tile, stored, issued) + last

    def _last_block_starts(self, first: int, enter: int) -> tuple[int, int]:
        """The cycles in which the last blocks of the first and of the last tile start.

        A recurrence over tiles, for loads and for the cube. ``first``: arrival of the first load. ``enter``: cycles
        from a load's end to its first block. Loads run ahead of the cube by the slots of L1; a long phase continues
        linearly with the period of its last exact run.
        """
        plan, names, later = self.plan, {"ab", self.plan.streamed_operands}, self.chunks("ab")[1:]
        lead = min(1.0, (plan.buffers - 1) / len(self.sizes))
        tail, work = enter + (self.sizes[-1] - 1) * self.block, (plan.blocks - 1) * self.block
        cores = self.phases[0].cores
        served = add_times(self._first_served(cores), pool_cycles(later, cores))
        until = ceil(max(served) + self._after_pool("ab", cores))
        served = add_times(served, pool_cycles([], cores, self.store))
        rest = sum(max(chunk.held, ceil(chunk.trip / plan.buffers)) for chunk in later)
        loaded = max(first + rest, self._first_tile_arrival(cores), until)
        computed = first_tile = max(first + enter + work, loaded + tail)
        older, number = first, 1  # the first tile is computed above
        freed = (0, computed + self.mmad + self.flag + self.store.held)  # the L0C slots of the last two tiles
        held_back = self.flag + work if plan.l0c_slots > 1 else 0
        before = 0
        for phase in self.phases:
            pace = {name: self._tile_loads(name) for name in names}
            pool = {name: pool_cycles(self.chunks(name), phase.cores) for name in names}
            stored = {name: pool_cycles(self.chunks(name), phase.cores, self.store) for name in names}
            after = {name: self._after_pool(name, phase.cores) for name in names}
            held = {name: sum(chunk.held for chunk in self.chunks(name)) for name in names}
            stall = {name: self.store_stall + self._load_stall(name) for name in names}
            skipped = max(0, phase.tiles // plan.reuse - EXACT_RUNS)  # whole stays of a resident operand
            for tile in range(number, before + phase.tiles - skipped * plan.reuse):
                name = "ab" if tile % plan.reuse == 0 else plan.streamed_operands
                load = pace[name]
                if tile == before + (EXACT_RUNS - 1) * plan.reuse:
                    then = loaded, computed, served
                slot_ready = computed + ceil(load * (1 - lead)) - self._l1_release(name) if lead < 1 else older + load
                if tile == before > 0:  # bandwidth that the phase before left unused is lost
                    ready = self._data_ready(name, loaded, slot_ready - held[name], slot_ready - load)
                    served = max(served[0], ready), max(served[1], ready)
                until = ceil(max(add_times(served, pool[name])) + after[name])
                loaded, older, served = max(loaded + load, slot_ready, until), computed, add_times(served, stored[name])
                computed = max(computed + self.block + stall[name] + work, loaded + tail, freed[-2] + held_back)
                freed = freed[-1], max(computed + self.mmad + self.flag, freed[-1] + self.store.after) + self.store.held
                if skipped and tile == before + EXACT_RUNS * plan.reuse - 1:
                    loaded += skipped * (loaded - then[0])
                    older += skipped * (computed - then[1])
                    freed = freed[0] + skipped * (computed - then[1]), freed[1] + skipped * (computed - then[1])
                    computed += skipped * (computed - then[1])
                    served = add_times(served, ((served[0] - then[2][0]) * skipped, (served[1] - then[2][1]) * skipped))
                    behind = max(stored[name]) - max(pool[name])  # shared memory may bind only after many tiles
                    loaded = max(loaded, ceil(max(served) - behind + after[name]))
                    computed = max(computed, loaded + tail)
            before += phase.tiles
            number = before
        return first_tile, computed

    def _first_tile_arrival(self, cores: int) -> int:
        """Arrival of the first tile's last load with all cores loading at once; 0 for many loads."""
        if len(self.sizes) > EXACT_CHUNKS:
            return 0
        loads = [load for blocks in self.sizes for load in loads_of(self.plan, self.chip, blocks, "ab")]
        return self.chip.sync.issue + first_arrival(loads, self.chip, cores)

    def _loads(self, operands: str) -> list[Load]:
        return loads_of(self.plan, self.chip, self.sizes[-1], operands)

    def _first_served(self, cores: int) -> tuple[float, float]:
        """The cycles by which device memory and L2 can have served the first load of all cores."""
        first = loads_of(self.plan, self.chip, self.sizes[0], "ab")[0]
        ready = self.chip.sync.issue + first.path.latency
        return add_times((ready, ready), pool_cycles(self.chunks("ab")[:1], cores))

    def _after_pool(self, operands: str, cores: int) -> float:
        """Cycles of a tile's last load after shared memory has served all of the tile; 0 if it is the only one."""
        last = self._loads(operands)[-1]
        if len(operands) * len(self.sizes) == 1:
            return 0.0
        own = last.whole if last.path.serialized else last.data
        return max(0.0, own - cores * last.moved * max(last.path.gm, last.path.l2))

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

    def _tile_loads(self, operands: str) -> int:
        """Period of the loads of one tile: MTE2, or the round trip of the L1 slots.

        Load i waits for the slot of load i - slots. If the number of slots divides the loads of a tile, each slot
        serves the same loads in every tile, and the slowest slot sets the period. Loads of unequal size interfere.
        """
        loads, slots = self.chunks(operands), self.plan.buffers
        trips = [load.trip for load in loads]
        ring = sum(trips) / slots if len(loads) % slots else max(sum(trips[slot::slots]) for slot in range(slots))
        ring += UNEVEN_LOAD_LOSS * (max(load.held for load in loads) - min(load.held for load in loads))
        return ceil(max(ring, sum(load.held for load in loads)))

    def _load_stall(self, operands: str) -> int:
        """Cycles of a tile in which the cube waits for a long load after a short one, although all loads together take
        less time.

        With two slots, a load runs while the cube computes the blocks of the load before.
        """
        before = [blocks * self.block for blocks in (self.sizes[-1], *self.sizes[:-1])]
        held = [chunk.held for chunk in self.chunks(operands)]
        if self.plan.buffers != 2 or sum(held) >= sum(before):
            return 0
        return sum(max(0, load - work) for load, work in zip(held, before, strict=True))

    def _data_ready(self, operands: str, loaded: int, free: int, first_free: int) -> int:
        """The cycle in which a tile's first data can arrive, from the loads before it and the release of its slots."""
        path = self._loads(operands)[0].path
        return max(loaded, free) + path.latency if path.serialized else max(loaded, first_free + path.latency)


def cube_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of the busiest cube core, without the task's head overhead."""
    return CubeModel(plan, chip).cycles
