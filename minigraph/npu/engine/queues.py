"""The event engine: one core's in-order queues, its flags and rings, and the memory all cores share.

An instruction starts when its queue is free, it has been issued, the slot it fills is free (``buffer``) and
what it reads is there (``flag``); the latest of these is what binds it. Loads overlap their latency, as many
as the chip keeps outstanding; their data arrives in order.

Cores are not in step, so what one leaves of the shared bandwidth another takes: the memory is work-conserving,
and a core's transfer is slowed only when, counted from the loop's first one, the cores together have
used up all it could have delivered. While all ask at once each gets its max-min share; cores that have run out
of tiles ask no more (the lowering counts the cores at work in each stretch of tiles).

Time is whole cycles and every run is repeatable. Long loops are stepped until they repeat exactly, then
carried forward in one jump, which changes no figure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from minigraph.core.errors import MinigraphError
from minigraph.npu.chips.chip import Chip
from minigraph.npu.engine.program import QUEUES, Instr, Items, Program, Repeat, length
from minigraph.npu.engine.record import NEVER, Lane, Mark, Run, Skip, Span

LONG = 2000  # instructions of a loop from which a steady state is looked for
PERIODS = (1, 2, 3, 4)


def run(program: Program, chip: Chip, extrapolate: bool = True) -> Run:
    """Execute a program on one core; raises ``MinigraphError`` when the accounts do not add up (a bug here)."""
    core = Core(program, chip, extrapolate)
    for item in program.items:
        core.begin()
        core.execute((item,))
    return core.finish()


class State(NamedTuple):
    """Where a core stands between two iterations: its times, the run's end first, and its counts."""

    times: list[int]
    counts: list[int]

    def since(self, before: State) -> State:
        """How far everything moved."""
        return State(*([a - b for a, b in zip(now, old, strict=True)] for now, old in zip(self, before, strict=True)))


@dataclass(slots=True)
class Core:
    """One core in motion."""

    program: Program
    chip: Chip
    extrapolate: bool = True
    issued: int = 0
    clocks: dict[str, int] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)

    lanes: dict[str, Lane] = field(init=False)
    free: dict[str, deque[Mark]] = field(init=False)
    full: dict[str, deque[Mark]] = field(init=False)

    def __post_init__(self) -> None:
        depth = {"MTE2": self.chip.mte2.outstanding}
        self.lanes = {q: Lane(deque([NEVER] * depth.get(q, 1), depth.get(q, 1))) for q in QUEUES}
        self.free = {ring: deque([NEVER] * slots) for ring, slots in self.program.rings.items()}
        self.full = {ring: deque() for ring in self.program.rings}

    def begin(self) -> None:
        """Start another stretch of the program: bandwidth left unused before it is gone."""
        self.fresh = {"gm", "l2"}

    def execute(self, items: Items) -> None:
        """Run instructions and loops in program order."""
        for item in items:
            if isinstance(item, Repeat):
                self.loop(item)
            else:
                self.step(item)

    def step(self, instr: Instr) -> None:
        """Run one instruction and give its slots on."""
        lane = self.lanes[instr.queue]
        self.issued += self.chip.sync.issue
        start, cause, after = self._start(instr, lane)
        end, slowed = self._end(instr, lane, start)
        gap = max(0, start - lane.last)
        idle = min(gap, max(0, self.issued - lane.last))
        lane.idle, lane.wait = lane.idle + idle, lane.wait + gap - idle
        lane.busy, lane.moved = lane.busy + end - max(start, lane.last), lane.moved + instr.moved
        mark = (end, len(self.spans))
        lane.last = max(end, lane.last)
        lane.ends.append((end + instr.rest, len(self.spans)))
        lane.begun = (start, len(self.spans))
        if instr.enque:
            self.full[instr.enque].append(mark)
        if instr.free:
            self.free[instr.free].append(mark)
        if instr.queue == "S":
            self.issued = end
        self.spans.append(
            Span(instr.queue, instr.name, start, end, cause, gap - idle, instr.moved, after, slowed, instr.alloc,
                 instr.free)
        )  # fmt: skip

    def _start(self, instr: Instr, lane: Lane) -> tuple[int, str, int]:
        flag = self.chip.sync.flag
        best, cause, after = self.issued, "issue", len(self.spans) - 1 if instr.queue == "S" else -1
        for when, by in (lane.ends[-1 if instr.alone else 0], lane.begun):  # in order: not before the one before it
            if when >= best:
                best, cause, after = when, "queue", by
        if instr.deque:
            when, by = self.full[instr.deque].popleft()
            if when + flag > best:
                best, cause, after = when + flag, "flag", by
        if instr.alloc:
            when, by = self.free[instr.alloc].popleft()
            if by >= 0 and when + flag > best:
                best, cause, after = when + flag, "buffer", by
        if instr.barrier:
            when, by = max(lane.ends[-1] for lane in self.lanes.values())
            if when > best:
                best, cause, after = when, "flag", by
        return best, cause, after

    def _end(self, instr: Instr, lane: Lane, start: int) -> tuple[int, bool]:
        if not instr.rate:
            return start + instr.cycles, False
        data = max(start + instr.cycles, lane.last)
        alone = data + ceil(instr.moved / instr.rate)
        shared = max(self._served("gm", data, instr.gm), self._served("l2", data, instr.l2))
        return max(alone, shared), shared > alone

    def _served(self, pool: str, asked: int, cycles: float) -> int:
        """The cycle by which a shared memory can have served everything asked of it so far."""
        if cycles:
            before = self.clocks.get(pool, asked)
            if pool in self.fresh:
                self.fresh.discard(pool)
                before = max(before, asked)
            self.clocks[pool] = before + ceil(cycles)
        return self.clocks.get(pool, 0)

    # ---- loops -------------------------------------------------------------------------------------

    def loop(self, repeat: Repeat) -> None:
        """Run a loop; a long one is carried forward once it repeats exactly."""
        times, long = repeat.times, length(repeat.body) * repeat.times > LONG
        states: list[State] = []
        done = 0
        while done < times:
            self.execute(repeat.body)
            done += 1
            if long and self.extrapolate:
                states.append(self._state())
                period = steady_period(states)
                if period and times - done > period:
                    rounds = (times - done - 1) // period
                    self._jump(states[-1], states[-1 - period], rounds, rounds * period)
                    done, long = done + rounds * period, False

    def _state(self) -> State:
        """Every time and count that moves on, the run's end first; the order is fixed."""
        times = [
            max(lane.last for lane in self.lanes.values()),
            self.issued,
            *(self.clocks.get(pool, 0) for pool in ("gm", "l2")),
        ]
        for lane in self.lanes.values():
            times += [lane.last, lane.begun[0], *(when for when, _ in lane.ends)]
        for ring in (*self.free.values(), *self.full.values()):
            times += [when for when, _ in ring]
        counts = [n for lane in self.lanes.values() for n in (lane.busy, lane.wait, lane.idle, lane.moved)]
        return State(times, counts)

    def _jump(self, now: State, before: State, rounds: int, iterations: int) -> None:
        moves = iter([rounds * move for moved in now.since(before) for move in moved])
        ahead = next(moves)
        end = max(lane.last for lane in self.lanes.values())
        self.skips.append(Skip(end, end + ahead, iterations))
        self.issued += next(moves)
        for pool in ("gm", "l2"):
            move = next(moves)
            if pool in self.clocks:
                self.clocks[pool] += move
        for lane in self.lanes.values():
            lane.last += next(moves)
            lane.begun = (lane.begun[0] + next(moves), lane.begun[1])
            lane.ends = deque([(when + next(moves), by) for when, by in lane.ends], lane.ends.maxlen)
        for ring in (*self.free.values(), *self.full.values()):
            ring.extend([(when + next(moves), by) for when, by in [ring.popleft() for _ in range(len(ring))]])
        for lane in self.lanes.values():
            lane.busy, lane.wait = lane.busy + next(moves), lane.wait + next(moves)
            lane.idle, lane.moved = lane.idle + next(moves), lane.moved + next(moves)

    # ---- the end -----------------------------------------------------------------------------------

    def finish(self) -> Run:
        """Close the accounts and check them."""
        cycles = max(lane.last for lane in self.lanes.values())
        for name, lane in self.lanes.items():
            lane.idle += cycles - lane.last
            if lane.busy + lane.wait + lane.idle != cycles or min(lane.busy, lane.wait, lane.idle) < 0:
                raise MinigraphError(
                    f"simulator: {name} was busy {lane.busy}, waiting {lane.wait} and idle {lane.idle} of {cycles} "
                    "cycles; this is a bug in minigraph.npu.engine.queues, please report it"
                )
        return Run(cycles, self.lanes, tuple(self.spans), tuple(self.skips))


def steady_period(states: Sequence[State]) -> int:
    """The number of iterations after which a loop repeats exactly, or 0.

    Every time and count has to grow by the same amount over each of three periods, and no time faster than
    the run's end: what falls behind (bandwidth not asked for, instructions issued ahead) never binds again.

    >>> steady_period([State([0], [0]), State([10], [3]), State([20], [6]), State([30], [9])])
    1
    >>> steady_period([State([0], [0]), State([10], [3]), State([20], [6]), State([31], [9])])
    0
    """
    for period in PERIODS:
        if len(states) > 3 * period:
            marks = [states[-1 - k * period] for k in range(4)]
            if len({(len(mark.times), len(mark.counts)) for mark in marks}) > 1:
                continue
            moves = [marks[k].since(marks[k + 1]) for k in range(3)]
            if moves[0] == moves[1] == moves[2] and max(moves[0].times) <= moves[0].times[0]:
                return period
    return 0
