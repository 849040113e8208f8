"""The event engine: a discrete-event simulation of one core's in-order queues, with flags, rings and shared memory.

Problem: the time of a program in which several queues (MTE1, MTE2, MTE3, cube, vector, FixPipe, scalar) run in
parallel, synchronise by flags through rings with few slots, and share device memory and L2 bandwidth with other cores.

Method: every queue is in order and the program's order is static, so no event calendar is needed. Instructions are
stepped in program order, and each start time is the maximum of the end times it depends on: the (max, +) recurrence of
a timed event graph (F. Baccelli, G. Cohen, G. J. Olsder, J.-P. Quadrat, "Synchronization and Linearity", 1992).

- An instruction starts when it has been issued, its queue is free, the slot it fills is free ("buffer") and the slot it
  reads is full ("flag"); the latest of these binds it and is recorded. Loads overlap their latencies, as many as the
  chip keeps outstanding; their data arrive in order.
- The shared memories are work-conserving servers. The program is the busiest core's, and the lowering multiplies each
  transfer by the cores that are active in its phase. A transfer ends late only if all bytes that these cores have
  requested since the start of a section take longer than that: bandwidth that one core leaves unused, another one uses.
- A timed event graph reaches a periodic regime. A long loop is stepped until its state grows equally over three
  periods; whole periods are then extrapolated in one jump, and the last iterations stepped. This changes no result.

Invariants: times are integers, and equal programs give equal runs. Starts in a queue never decrease. Busy, wait and
idle cycles of each queue add up to the run, and its bytes to those of the program; both are checked at every run.

Not handled: cores that run different programs at the same time, cache lines and sets of L2 (miss rates come with the
plan), bank conflicts other than the vector unit's, instruction fetch, and the scalar unit's decoding.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from minigraph.core.errors import MinigraphError
from minigraph.npu.chips.chip import Chip
from minigraph.npu.engine.program import QUEUES, Instr, Items, Loop, Program, instruction_count
from minigraph.npu.engine.record import NEVER, Lane, Mark, Run, Skip, Span

MIN_STEADY_INSTRUCTIONS = 2000  # executed instructions of a loop above which a steady state is looked for
CANDIDATE_PERIODS = (1, 2, 3, 4)  # iterations


def run(program: Program, chip: Chip, extrapolate: bool = True) -> Run:
    """Simulate a program on one core; raises ``MinigraphError`` if the cycles do not add up (a bug here)."""
    core = Core(program, chip, extrapolate)
    for item in program.items:
        core.begin_section()
        core.execute((item,))
    return core.finish()


class State(NamedTuple):
    """A core between two iterations: its times, the run's end first, and its counts."""

    times: list[int]
    counts: list[int]

    def since(self, before: State) -> State:
        """The increase of every time and count."""
        return State(*([a - b for a, b in zip(now, old, strict=True)] for now, old in zip(self, before, strict=True)))


@dataclass(frozen=True, slots=True)
class Link:
    """An instruction on a core: its queue, its slots, and its constant cycles.

    ``flags``: the slots it waits for, with the binding cause. ``marked``: the slots it hands on at its end. ``data``:
    cycles of its own data path after the latency; ``pools``: cycles in which each shared memory serves it.
    """

    instr: Instr
    lane: Lane
    flags: tuple[tuple[deque[Mark], str], ...]
    marked: tuple[deque[Mark], ...]
    cycles: int
    turnaround: int
    moved: int
    data: int
    pools: tuple[tuple[str, int], ...]
    is_transfer: bool
    is_scalar: bool
    waits_for_all: bool
    end_of_queue: int


@dataclass(slots=True)
class Core:
    """The state of one simulated core, and the methods that advance it."""

    program: Program
    chip: Chip
    extrapolate: bool = True
    issued: int = 0
    pool_clocks: dict[str, int] = field(default_factory=dict)
    restarted_pools: set[str] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)

    lanes: dict[str, Lane] = field(init=False)
    free_slots: dict[str, deque[Mark]] = field(init=False)
    full_slots: dict[str, deque[Mark]] = field(init=False)
    links: dict[int, Link] = field(default_factory=dict)
    flag: int = field(init=False)
    issue: int = field(init=False)

    def __post_init__(self) -> None:
        self.flag, self.issue = self.chip.sync.flag, self.chip.sync.issue
        depth = {"MTE2": self.chip.mte2.outstanding}
        self.lanes = {q: Lane(deque([NEVER] * depth.get(q, 1), depth.get(q, 1))) for q in QUEUES}
        self.free_slots = {ring: deque([NEVER] * slots) for ring, slots in self.program.rings.items()}
        self.full_slots = {ring: deque() for ring in self.program.rings}

    def begin_section(self) -> None:
        """Start a section of the program: bandwidth left unused before it is lost."""
        self.restarted_pools = {"gm", "l2"}

    def execute(self, items: Items) -> None:
        """Run instructions and loops in program order."""
        for item in items:
            if isinstance(item, Loop):
                self.run_loop(item)
            else:
                self.step(item)

    def step(self, instr: Instr) -> None:
        """Execute one instruction, and pass its slots on."""
        link = self.links.get(id(instr)) or self._link(instr)
        lane, index = link.lane, len(self.spans)
        last_end = lane.last_end
        self.issued += self.issue
        start, cause, after = self._start(link)
        end, slowed = self._end(link, start) if link.is_transfer else (start + link.cycles, False)
        waited = 0
        if start > last_end:
            idle = min(start, max(self.issued, last_end)) - last_end
            waited = start - last_end - idle
            lane.idle += idle
            lane.wait += waited
            lane.busy += end - start
        else:
            lane.busy += end - last_end
        lane.moved += link.moved
        lane.last_end = max(end, last_end)
        lane.last_start = start, index
        lane.ends.append((end + link.turnaround, index))
        for slots in link.marked:
            slots.append((end, index))
        if link.is_scalar:
            self.issued = end
        self.spans.append(Span(instr, start, end, cause, waited, after, slowed))

    def _link(self, instr: Instr) -> Link:
        """The link of an instruction, made at its first execution; the program keeps the instruction alive."""
        flags = (self.full_slots, instr.deque, "flag"), (self.free_slots, instr.alloc, "buffer")
        marked = (self.full_slots, instr.enque), (self.free_slots, instr.free)
        link = Link(
            instr, self.lanes[instr.queue],
            flags=tuple((slots[ring], cause) for slots, ring, cause in flags if ring),
            marked=tuple(slots[ring] for slots, ring in marked if ring),
            cycles=instr.cycles, turnaround=instr.turnaround, moved=instr.moved,
            data=ceil(instr.moved / instr.rate) if instr.rate else 0,
            pools=tuple((pool, ceil(served)) for pool, served in (("gm", instr.gm), ("l2", instr.l2)) if served),
            is_transfer=bool(instr.rate), is_scalar=instr.queue == "S", waits_for_all=instr.barrier,
            end_of_queue=-1 if instr.serialized else 0,
        )  # fmt: skip
        self.links[id(instr)] = link
        return link

    def _start(self, link: Link) -> tuple[int, str, int]:
        """When an instruction starts, the cause, and the index of the span that it depends on."""
        lane, best, cause = link.lane, self.issued, "issue"
        after = len(self.spans) - 1 if link.is_scalar else -1
        when, by = lane.ends[link.end_of_queue]
        if when >= best:
            best, cause, after = when, "queue", by
        when, by = lane.last_start  # queues start in order
        if when >= best:
            best, cause, after = when, "queue", by
        for slots, reason in link.flags:
            when, by = slots.popleft()
            if when + self.flag > best and by >= 0:
                best, cause, after = when + self.flag, reason, by
        if link.waits_for_all:
            when, by = max(lane.ends[-1] for lane in self.lanes.values())
            if when > best:
                best, cause, after = when, "flag", by
        return best, cause, after

    def _end(self, link: Link, start: int) -> tuple[int, bool]:
        """The end of a transfer: its own data path is done, or shared memory has served all requests so far."""
        data = max(start + link.cycles, link.lane.last_end)
        clocks, own = self.pool_clocks, data + link.data
        for pool, served in link.pools:
            before = clocks.get(pool, data)
            if pool in self.restarted_pools:
                self.restarted_pools.discard(pool)
                before = max(before, data)
            clocks[pool] = before + served
        end = max((own, *clocks.values()))
        return end, end > own

    # ---- loops -------------------------------------------------------------------------------------

    def run_loop(self, loop: Loop) -> None:
        """Execute a loop; a long one is extrapolated once it repeats exactly."""
        times, is_long = loop.times, instruction_count(loop.body) * loop.times > MIN_STEADY_INSTRUCTIONS
        states: list[State] = []
        done = 0
        while done < times:
            self.execute(loop.body)
            done += 1
            if is_long and self.extrapolate:
                states.append(self._state())
                period = steady_period(states)
                if period and times - done > period:
                    periods = (times - done - 1) // period
                    self._extrapolate(states[-1], states[-1 - period], periods, periods * period)
                    done, is_long = done + periods * period, False

    def _state(self) -> State:
        """Every time and count that increases, the run's end first, in a fixed order."""
        times = [
            max(lane.last_end for lane in self.lanes.values()),
            self.issued,
            *(self.pool_clocks.get(pool, 0) for pool in ("gm", "l2")),
        ]
        for lane in self.lanes.values():
            times += [lane.last_end, lane.last_start[0], *(when for when, _ in lane.ends)]
        for ring in (*self.free_slots.values(), *self.full_slots.values()):
            times += [when for when, _ in ring]
        counts = [n for lane in self.lanes.values() for n in (lane.busy, lane.wait, lane.idle, lane.moved)]
        return State(times, counts)

    def _extrapolate(self, now: State, before: State, periods: int, iterations: int) -> None:
        advance = iter([periods * step for moved in now.since(before) for step in moved])
        skipped = next(advance)
        end = max(lane.last_end for lane in self.lanes.values())
        self.skips.append(Skip(end, end + skipped, iterations))
        self.issued += next(advance)
        for pool in ("gm", "l2"):
            step = next(advance)
            if pool in self.pool_clocks:
                self.pool_clocks[pool] += step
        for lane in self.lanes.values():
            lane.last_end += next(advance)
            lane.last_start = (lane.last_start[0] + next(advance), lane.last_start[1])
            lane.ends = deque([(when + next(advance), by) for when, by in lane.ends], lane.ends.maxlen)
        for ring in (*self.free_slots.values(), *self.full_slots.values()):
            ring.extend([(when + next(advance), by) for when, by in [ring.popleft() for _ in range(len(ring))]])
        for lane in self.lanes.values():
            lane.busy, lane.wait = lane.busy + next(advance), lane.wait + next(advance)
            lane.idle, lane.moved = lane.idle + next(advance), lane.moved + next(advance)

    # ---- the end -----------------------------------------------------------------------------------

    def finish(self) -> Run:
        """Add the idle cycles up to the end, and check the sums."""
        cycles = max(lane.last_end for lane in self.lanes.values())
        for name, lane in self.lanes.items():
            lane.idle += cycles - lane.last_end
            if lane.busy + lane.wait + lane.idle != cycles or min(lane.busy, lane.wait, lane.idle) < 0:
                raise MinigraphError(
                    f"simulator: {name} was busy {lane.busy}, waiting {lane.wait} and idle {lane.idle} of {cycles} "
                    "cycles; this is a bug in minigraph.npu.engine.queues, please report it"
                )
        return Run(cycles, self.lanes, tuple(self.spans), tuple(self.skips))


def steady_period(states: Sequence[State]) -> int:
    """The period of a loop's periodic regime in iterations, or 0 if there is none yet.

    Every time and count has to grow by the same amount in each of three periods, and no time faster than the run's end:
    a time that falls behind (a memory below saturation, instructions issued early) never binds again.

    >>> steady_period([State([0], [0]), State([10], [3]), State([20], [6]), State([30], [9])])
    1
    >>> steady_period([State([0], [0]), State([10], [3]), State([20], [6]), State([31], [9])])
    0
    """
    for period in CANDIDATE_PERIODS:
        if len(states) > 3 * period:
            marks = [states[-1 - k * period] for k in range(4)]
            if len({(len(mark.times), len(mark.counts)) for mark in marks}) > 1:
                continue
            advance = [marks[k].since(marks[k + 1]) for k in range(3)]
            if advance[0] == advance[1] == advance[2] and max(advance[0].times) <= advance[0].times[0]:
                return period
    return 0
