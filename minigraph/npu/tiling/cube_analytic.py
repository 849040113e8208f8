"""The analytic model of a matrix product on the cube cores: the bottleneck analysis of ``analytic``, tile by tile.

Three nested pipelines are composed. Inside a tile, k blocks pass MTE1 and the cube at the slower of their periods
(L0A and L0B are double-buffered). The loads of a tile run at the slowest of MTE2, shared memory and the round trip of
an L1 slot. Between tiles, two recurrences, for the last load and for the last block, run over the first ``EXACT_RUNS``
stays of a resident operand in each phase (tiles, if none is resident) and continue linearly from there.

Exact event times inside a tile are not tracked, but those of its first and its last load are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_parts import (
    Chunk,
    add_times,
    first_arrival,
    loads_of,
    mte1_cycles,
    mte2_busy_cycles,
    pool_cycles,
    tile_store,
)
from minigraph.npu.tiling.plan import CubePlan
from minigraph.npu.tiling.schedule import MAX_BUFFERS

EXACT_RUNS, PERIOD = 2, 2  # stays of a resident operand (tiles, if there is none) computed one by one, and repeated


class Tile(NamedTuple):
    """The loads of a tile: operands, period, cycles of MTE2 and of shared memory (``stored``: with the store)."""

    name: str
    pace: int
    held: int
    pool: tuple[float, float]
    stored: tuple[float, float]


class Times(NamedTuple):
    """The cycles in which the latest tiles have passed each stage, the latest last.

    ``loaded``: arrival of the last load; ``served``: shared memory has served all requests. Per tile: ``starts`` of the
    last block, ``read``: MTE1 has read the last load, ``stored``: the slot in L0C is free.
    """

    loaded: int
    served: tuple[float, float]
    starts: tuple[int, ...]
    read: tuple[int, ...]
    stored: tuple[int, ...]

    def extrapolate(self, then: Times, times: float) -> Times:
        """The times after as many repetitions of what has happened since ``then``."""
        later = ceil(times * (self.starts[-1] - then.starts[-1]))
        starts, read, stored = (tuple(one + later for one in row) for row in (self.starts, self.read, self.stored))
        gm, l2 = (now + times * (now - old) for now, old in zip(self.served, then.served, strict=True))
        return Times(self.loaded + ceil(times * (self.loaded - then.loaded)), (gm, l2), starts, read, stored)


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
        linearly with the period of its last exact stays.
        """
        plan = self.plan
        now = self._first_tile(first, enter)
        first_tile, before = now.starts[-1], 0
        first_runs = max(EXACT_RUNS, ceil((plan.buffers // len(self.sizes) + 1) / plan.reuse))
        for phase in self.phases:
            tiles = {name: self._tile(name, phase.cores) for name in {"ab", plan.streamed_operands}}
            skipped = max(0, phase.tiles // plan.reuse - first_runs - PERIOD)  # whole stays of a resident operand
            for number in range(max(1, before), before + phase.tiles - skipped * plan.reuse):
                tile = tiles["ab" if number % plan.reuse == 0 else plan.streamed_operands]
                if number == before + first_runs * plan.reuse:
                    then = now
                now = self._next(now, tile, number, enter, restarts=number == before)
                if skipped and number == before + (first_runs + PERIOD) * plan.reuse - 1:
                    now = now.extrapolate(then, skipped / PERIOD)
                    behind = max(tile.stored) - max(tile.pool)  # shared memory may bind only after many tiles
                    loaded = max(now.loaded, ceil(max(now.served) - behind))
                    computed = max(now.starts[-1], loaded + self._tail(enter))
                    now = now._replace(loaded=loaded, starts=(*now.starts[:-1], computed))
            before += phase.tiles
        return first_tile, now.starts[-1]

    def _first_tile(self, first: int, enter: int) -> Times:
        cores, later = self.phases[0].cores, self.chunks("ab")[1:]
        served = add_times(self._first_served(cores), pool_cycles(later, cores))
        loaded = max(first + self._later_chunks(), ceil(max(served)))
        start = max(first + enter + (self.plan.blocks - 1) * self.block, loaded + self._tail(enter))
        stored = start + self.mmad + self.flag + self.store.held
        served = add_times(served, pool_cycles([], cores, self.store))
        return Times(loaded, served, (start,), (self._read(loaded, (start,), 0),), (0, stored))

    def _next(self, now: Times, tile: Tile, number: int, enter: int, restarts: bool) -> Times:
        """The times after one more tile, which is the first one of a phase if ``restarts``."""
        chunks, work = len(self.sizes), (self.plan.blocks - 1) * self.block
        waits = (number + 1) * chunks > self.plan.buffers  # else all loads so far have slots of their own
        period = tile.pace if waits and chunks > 1 else tile.held
        slot_ready = self._last_arrival(tile.name, period, now.read) if waits else 0
        served = now.served
        if restarts:  # bandwidth that the phase before left unused is lost
            alone = self.chunks(tile.name)[-1].arrival if chunks == 1 else tile.pace
            ready = self._data_ready(tile.name, now.loaded, slot_ready - tile.held, slot_ready - alone)
            served = max(served[0], ready), max(served[1], ready)
        loaded = max(now.loaded + period, slot_ready, ceil(max(add_times(served, tile.pool))))
        start = max(
            now.starts[-1] + self.block + self.store_stall + work,
            self._arrival(tile.name, 0, now.read) + enter + work,
            loaded + self._tail(enter),
            now.stored[-2] + (self.flag + work if self.plan.l0c_slots > 1 else 0),
        )
        starts = (*now.starts[-2:], start)
        read = (*now.read[-MAX_BUFFERS:], self._read(loaded, starts, now.read[-1]))
        stored = max(start + self.mmad + self.flag, now.stored[-1] + self.store.after) + self.store.held
        return Times(loaded, add_times(served, tile.stored), starts, read, (now.stored[-1], stored))

    def _tile(self, operands: str, cores: int) -> Tile:
        chunks = self.chunks(operands)
        pool, stored = pool_cycles(chunks, cores), pool_cycles(chunks, cores, self.store)
        held = sum(chunk.held for chunk in chunks)
        return Tile(operands, self._tile_loads(operands), held, pool, stored)

    def _tail(self, enter: int) -> int:
        """Cycles from the arrival of a tile's last chunk to the start of its last block."""
        return enter + (self.sizes[-1] - 1) * self.block

    def _first_served(self, cores: int) -> tuple[float, float]:
        """The cycles by which device memory and L2 can have served the first load of all cores."""
        first = loads_of(self.plan, self.chip, self.sizes[0], "ab")[0]
        ready = self.chip.sync.issue + first.path.latency
        return add_times((ready, ready), pool_cycles(self.chunks("ab")[:1], cores))

    def _later_chunks(self) -> int:
        """Cycles from the arrival of the first tile's first chunk to that of its last one."""
        chunks, slots = self.chunks("ab"), self.plan.buffers
        if len(chunks) <= slots:  # each has a slot of its own
            return sum(chunk.held for chunk in chunks[1:])
        if slots == 1:
            return sum(chunk.trip for chunk in chunks[:-1]) + chunks[-1].arrival - chunks[0].arrival
        return sum(max(chunk.held, ceil(before.trip / slots)) for before, chunk in pairwise(chunks))

    def _read(self, loaded: int, starts: Sequence[int], before: int) -> int:
        """The cycle in which MTE1 has read a tile's last load, which arrives when ``loaded``.

        MTE1 runs ahead of the cube by the slots of L0. ``starts``: of the last blocks of the latest tiles; ``before``:
        the cycle in which MTE1 has read the tile before.
        """
        blocks, slots = self.plan.blocks, self.plan.l0_slots
        tiles = 1 + slots // blocks
        emptied = starts[-1] - slots * self.block if blocks > slots else starts[-tiles] if len(starts) >= tiles else 0
        read = max(
            loaded + self.flag + self.sizes[-1] * self.mte1,
            (emptied + self.mmad + self.flag + self.mte1) * (emptied > 0),
            before + blocks * self.mte1,
        )
        return min(starts[-1] - self.flag, read)

    def _arrival(self, operands: str, chunk: int, freed: Sequence[int]) -> int:
        """The arrival of a chunk, by the cycles in which the slots of earlier tiles' last chunks were ``freed``.

        It fills the slot that the chunk before it by the number of slots has left, here in an earlier tile.
        """
        tiles_later, source = divmod(chunk - self.plan.buffers, len(self.sizes))
        if -tiles_later > len(freed):
            return 0
        later = sum(self.sizes[source + 1 :]) * self.block
        return freed[tiles_later] - later + self.flag + self.chunks(operands)[chunk].arrival

    def _last_arrival(self, operands: str, load: int, freed: Sequence[int]) -> int:
        """The arrival of a tile's last chunk, as ``_arrival``, or by the period of the tile's own chunks."""
        chunks, slots = len(self.sizes), self.plan.buffers
        if chunks > slots:
            return freed[-1] + self.flag + ceil(load * (1 - (slots - 1) / chunks)) - self._l1_release(operands)
        return self._arrival(operands, chunks - 1, freed)

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
        arrival, lead = first_arrival(loads, self.chip), min(blocks, self.plan.l0_slots)
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
        return ceil(max(ring, sum(load.held for load in loads)))

    def _data_ready(self, operands: str, loaded: int, free: int, first_free: int) -> int:
        """The cycle in which a tile's first data can arrive, from the loads before it and the release of its slots."""
        path = loads_of(self.plan, self.chip, self.sizes[-1], operands)[0].path
        return max(loaded, free) + path.latency if path.serialized else max(loaded, first_free + path.latency)


def cube_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of the busiest cube core, without the task's head overhead."""
    return CubeModel(plan, chip).cycles
