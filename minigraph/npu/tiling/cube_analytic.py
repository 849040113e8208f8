"""The analytic model of a matrix product on the cube cores: a recurrence over its loads, k blocks and stores.

Problem: the cycles of a plan, as the event engine would find them, for every candidate of the tiling search.

Method: the queues of a core and the rings of buffers between them are a timed event graph, whose times follow a
(max, +) recurrence: a load, a block or a store starts when its queue, its data and its slot are free. Such a recurrence
reaches a periodic regime (G. Cohen, D. Dubois, J.-P. Quadrat, M. Viot, "A Linear-System-Theoretic View of
Discrete-Event Processes and Its Use for Performance Evaluation in Manufacturing", IEEE TAC 30, 1985). So each loop (the
blocks of a load, the loads of a tile, the tiles of a stay of a resident operand, the stays of a phase) is computed step
by step until two steps advance all times alike, and the others are added at once.

Invariants: no instruction is made and nothing recorded; the steps of a plan do not grow with its sizes. The times of a
periodic loop are exact. Counters that run free (requests of shared memory, issued instructions) may grow faster than
the loop: it is continued only up to the step in which they may bind.

Not handled: a loop that is not periodic after ``MAX_STEPS`` steps continues linearly. A timeline, a critical path and
waiting times need the event engine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from math import ceil
from typing import NamedTuple

from minigraph.npu.chips.chip import Chip
from minigraph.npu.tiling import costs
from minigraph.npu.tiling.cube_parts import TileStore, loads_of, mte1_cycles, tile_store
from minigraph.npu.tiling.plan import CubePlan, Phase

MAX_STEPS = 24  # of a loop, computed one by one
PERIODS = (1, 2, 3)  # steps after which a loop may repeat
MIN_PERIODIC_TIMES = 4  # shorter loops are computed step by step
ISSUED, GM, L2, CUBE = range(4)  # of a state: the counters that run free, and the cube, which every loop advances

Step = Callable[[], None]


class Move(NamedTuple):
    """A transfer, in cycles: latency, its own data path, and for all cores device memory and L2.

    A ``serialized`` one starts when the one before has ended.
    """

    latency: int
    data: int
    gm: int
    l2: int
    serialized: bool


def move_of(bytes_moved: int, path: costs.Path, cores: int) -> Move:
    """The transfer of ``bytes_moved`` bytes on a path by ``cores`` cores at once.

    >>> move_of(100, costs.Path(20, 50.0, 0.5, 0.25, 1.0), 3)
    Move(latency=20, data=2, gm=150, l2=75, serialized=False)
    """
    shared = ceil(cores * path.gm_cycles(bytes_moved)), ceil(cores * path.l2 * bytes_moved)
    return Move(path.latency, ceil(bytes_moved / path.rate), *shared, path.serialized)


class CubeModel:
    """The times of a core that runs a plan: its queues are free, slots of its rings are free, memory has served it.

    ``gm`` and ``l2``: the cycle up to which device memory and L2 serve the requests so far. ``loads``: ends of the
    loads in flight. ``cube``, ``mte1``, ``out`` and ``stored``: the cube, MTE1, the unit that empties L0C and the store
    of a tile are free. The others are rings: the cycles in which their free slots were freed.
    """

    def __init__(self, plan: CubePlan, chip: Chip) -> None:
        self.plan, self.chip = plan, chip
        self.flag, self.issue, self.turn = chip.sync.flag, chip.sync.issue, chip.cube.turn
        self.mte1_a, self.mte1_b = mte1_cycles(plan, chip)
        self.mmad = costs.mmad(chip, plan.dtype, plan.bm, plan.bk, plan.bn)
        self.issued = self.gm = self.l2 = 0
        self.restarts_gm = self.restarts_l2 = True
        self.cube = self.mte1 = self.load_start = self.out = self.stored = 0
        depth, never = 1 if plan.nd2nz_a and plan.nd2nz_b else chip.mte2.outstanding, -self.flag
        self.loads = deque([0] * depth, depth)
        self.l1, self.l0 = deque([never] * plan.buffers), deque([never] * plan.l0_slots)
        self.l0c, self.ub = deque([never] * plan.l0c_slots), deque([never])

    def cycles(self) -> int:
        """Cycles up to the end of the last store; a new model each time."""
        if self.plan.split_k > 1:  # the results are zeroed first
            self.issued = self.issue + self.chip.sync.xcore
        tiles_done = 0
        for phase in self.plan.phases:
            self._phase(phase, tiles_done)
            tiles_done += phase.tiles
        return max(self.stored, self.out)

    # ---- loops -------------------------------------------------------------------------------------

    def _phase(self, phase: Phase, done: int) -> None:
        """The tiles of a phase, ``done`` tiles before it."""
        plan = self.plan
        first, later = self._tile(phase.cores, "ab"), self._tile(phase.cores, plan.streamed_operands)
        if not plan.resident:
            self._repeat(first, phase.tiles)
            return
        begun = min(-done % plan.reuse, phase.tiles)
        groups, remainder = divmod(phase.tiles - begun, plan.reuse)
        self._repeat(later, begun)
        self._repeat(partial(self._stay, first, later, plan.reuse), groups)
        if remainder:
            self._stay(first, later, remainder)

    def _stay(self, first: Step, later: Step, tiles: int) -> None:
        """The tiles that share one resident operand, which the first one loads."""
        first()
        self._repeat(later, tiles - 1)

    def _tile(self, cores: int, operands: str) -> Step:
        """The step of a tile that loads ``operands``, while ``cores`` cores are active."""
        first, *others = self.plan.chunks
        chunks = {n: partial(self._chunk, self._moves(n, cores, operands), n) for n in {first, *others}}
        open_tile = partial(chunks[first], opens=True)
        later = [(chunks[n], len(list(equal))) for n, equal in groupby(others)]
        store = self._store_step(tile_store(self.plan, self.chip), cores)

        def tile() -> None:
            open_tile()
            for step, times in later:
                self._repeat(step, times)
            store()

        return tile

    def _moves(self, blocks: int, cores: int, operands: str) -> list[Move]:
        loads = loads_of(self.plan, self.chip, blocks, operands)
        return [move_of(load.bytes_moved, load.path, cores) for load in loads]

    def _repeat(self, step: Step, times: int) -> None:
        """Take a step so many times: one by one until it repeats, then all others at once."""
        if times < MIN_PERIODIC_TIMES:
            for _ in range(times):
                step()
            return
        states: list[list[int]] = []
        left = times
        while left:
            step()
            left -= 1
            states.append(self._state())
            period, repeated = self._periodic_part(states, left)
            if repeated:
                grown = _increase(states[-1], states[-1 - period])
                self._set_state([now + repeated * increase for now, increase in zip(states[-1], grown, strict=True)])
                left -= repeated * period
                states.clear()

    def _periodic_part(self, states: Sequence[list[int]], left: int) -> tuple[int, int]:
        """The period of a loop, and how many periods to add at once: none if it has not repeated yet."""
        for period in PERIODS:
            if len(states) > 2 * period:
                grown = _increase(states[-1], states[-1 - period])
                is_alike = set(grown[CUBE:]) <= {0, grown[CUBE]}  # 0: a queue that the loop does not use
                if is_alike and grown == _increase(states[-1 - period], states[-1 - 2 * period]):
                    return period, min(left // period, self._periods_before_binding(grown))
        return (2, (left - 2) // 2) if len(states) >= MAX_STEPS and left > 2 else (1, 0)

    def _periods_before_binding(self, grown: Sequence[int]) -> int:
        """Periods before a counter that grows faster than the loop may bind."""
        slack, pace = (self.load_start - self.issued, self.loads[-1] - self.gm, self.loads[-1] - self.l2), grown[CUBE]
        return min(
            (max(0, slack[i] // (grown[i] - pace) - 1) for i in (ISSUED, GM, L2) if grown[i] > pace),
            default=self.plan.per_core * self.plan.blocks,
        )

    def _state(self) -> list[int]:
        """Every time, in the order of ``_set_state``."""
        queues = (self.cube, self.mte1, self.load_start, self.out, self.stored)
        rings = (*self.loads, *self.l1, *self.l0, *self.l0c, *self.ub)
        return [self.issued, self.gm, self.l2, *queues, *rings]

    def _set_state(self, state: Sequence[int]) -> None:
        self.issued, self.gm, self.l2, *queues = state[:8]
        self.cube, self.mte1, self.load_start, self.out, self.stored = queues
        times = iter(state[8:])
        for ring in (self.loads, self.l1, self.l0, self.l0c, self.ub):
            slots = [next(times) for _ in ring]
            ring.clear()
            ring.extend(slots)

    # ---- steps -------------------------------------------------------------------------------------

    def _chunk(self, moves: Sequence[Move], blocks: int, opens: bool = False) -> None:
        """The loads of one L1 slot and its k blocks; the first chunk of a tile ``opens`` a slot of L0C."""
        slot = self.l1.popleft() + self.flag
        for move in moves:
            self.issued += self.issue
            start = max(self.issued, self.load_start, self.loads[-1 if move.serialized else 0], slot)
            self.load_start, slot = start, 0
            self.loads.append(self._end(move, start, self.loads[-1]))
        self._blocks(blocks, self.loads[-1] + self.flag, self.l0c.popleft() + self.flag if opens else 0)
        self.l1.append(self.mte1)

    def _end(self, move: Move, start: int, before: int) -> int:
        """The end of a transfer after the one that ended ``before``: of its data path, or of all requests so far."""
        data = max(start + move.latency, before)
        if move.gm:
            self.gm = max(self.gm, data if self.restarts_gm else 0) + move.gm
            self.restarts_gm = False
        if move.l2:
            self.l2 = max(self.l2, data if self.restarts_l2 else 0) + move.l2
            self.restarts_l2 = False
        return max(data + move.data, self.gm, self.l2)

    def _blocks(self, count: int, ready: int, empty: int) -> None:
        """The k blocks of a chunk, whose data are ``ready``, and for the first one a slot of L0C is ``empty``."""
        flag, issue, l0, pace, alike = self.flag, self.issue, self.l0, 0, 0
        for left in range(count - 1, -1, -1):
            mte1, cube = self.mte1, self.cube
            copied = max(self.issued + issue, mte1, ready, l0.popleft() + flag) + self.mte1_a
            self.mte1 = max(copied, self.issued + 2 * issue) + self.mte1_b
            self.issued += 3 * issue
            end = max(self.issued, cube, self.mte1 + flag, empty) + self.mmad
            l0.append(end)
            self.cube, ready, empty = end + self.turn, 0, 0
            is_alike = self.cube - cube == self.mte1 - mte1 == pace >= 3 * issue
            alike, pace = alike + 1 if is_alike else 0, self.cube - cube
            if alike == 2 and left:  # the others follow at the same pace
                later = left * pace
                self.mte1, self.cube, self.issued = self.mte1 + later, self.cube + later, self.issued + 3 * left * issue
                l0.extend([l0.popleft() + later for _ in range(len(l0))])
                return

    def _store_step(self, store: TileStore, cores: int) -> Step:
        """The step that stores a tile: FixPipe on split chips; the vector unit, UB and MTE3 on coupled ones."""
        move = move_of(store.bytes_moved, store.path, cores) if store.path else None
        if move and self.chip.family == "split":
            return partial(self._store, move)
        return partial(self._store_through_ub, store.emptied, move)

    def _store(self, move: Move) -> None:
        self.issued += self.issue
        start = max(self.issued, self.stored, self.cube - self.turn + self.flag)
        self.stored = self._end(move, start, self.stored)
        self.l0c.append(self.stored)

    def _store_through_ub(self, emptied: int, move: Move | None) -> None:
        self.issued += self.issue
        slot = self.ub.popleft() + self.flag if move else 0
        self.out = max(self.issued, self.out, self.cube - self.turn + self.flag, slot) + emptied
        self.l0c.append(self.out)
        if move:
            self.issued += self.issue
            self.stored = self._end(move, max(self.issued, self.stored, self.out + self.flag), self.stored)
            self.ub.append(self.stored)


def cube_cycles(plan: CubePlan, chip: Chip) -> int:
    """Cycles of the busiest cube core, without the task's head overhead."""
    return CubeModel(plan, chip).cycles()


def pipelined_cycles(cube: int, vector: int, steps: int, bytes_moved: tuple[float, float], chip: Chip) -> int:
    """Cycles of a MIX kernel whose halves take ``cube`` and ``vector`` cycles and overlap, but for the first step.

    ``bytes_moved``: bytes of both halves through device memory and through L2.

    >>> from minigraph.npu.chips.registry import chip_named
    >>> pipelined_cycles(1000, 400, 4, (0.0, 0.0), chip_named("ascend910b1"))
    1100
    """
    device, through_l2 = bytes_moved
    shared = max(device / chip.per_cycle(chip.pool.gm), through_l2 / chip.per_cycle(chip.pool.l2))
    return max(cube, vector, ceil(shared)) + ceil(min(cube, vector) / max(steps, 1))


def _increase(now: Sequence[int], before: Sequence[int]) -> list[int]:
    return [a - b for a, b in zip(now, before, strict=True)]
