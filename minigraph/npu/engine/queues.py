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
from dataclasses import dataclass, field
from math import ceil
from typing import NamedTuple

from minigraph.core.errors import MinigraphError
from minigraph.npu.chips.chip import Chip
from minigraph.npu.engine.program import QUEUES, Instr, Items, Loop, Program, instruction_count
from minigraph.npu.engine.record import NEVER, Mark, QueueState, Run, Skip, Span
from minigraph.npu.engine.steady_state import SHORT_PERIODS, State, steady_period

MIN_STEADY_INSTRUCTIONS = 2000  # executed instructions of a loop above which a steady state is looked for
new_tuple = tuple.__new__  # makes a NamedTuple in half of the time that calling its class takes


def run(program: Program, chip: Chip, extrapolate: bool = True) -> Run:
    """Simulate a program on one core; raises ``MinigraphError`` if the cycles do not add up (a bug here)."""
    core = Core(program, chip, extrapolate)
    for item in program.items:
        core.begin_section()
        core.execute((item,))
    return core.finish()


class Link(NamedTuple):
    """An instruction on a core: its queue, its slots, and its constant cycles.

    ``flags``: the slots it waits for, with the binding cause. ``marked``: the slots it hands on at its end. ``data``:
    cycles of its own data path after the latency; ``gm`` and ``l2``: cycles in which each shared memory serves it.
    """

    instr: Instr
    state: QueueState
    flags: tuple[tuple[deque[Mark], str], ...]
    marked: tuple[deque[Mark], ...]
    cycles: int
    turnaround: int
    bytes_moved: int
    data: int
    gm: int
    l2: int
    is_transfer: bool
    is_scalar: bool
    waits_for_all: bool
    end_of_queue: int


class LinkedBody(NamedTuple):
    """The items of a program or a loop, kept alive as the key of a table, with links in place of instructions."""

    body: Items
    items: tuple[Link | Loop, ...]


@dataclass(slots=True)
class Core:
    """The state of one simulated core, and the methods that advance it.

    ``gm`` and ``l2``: the cycle up to which device memory and L2 serve the requests so far, counted from the first
    request of a section (``restarts_gm``, ``restarts_l2``: there was none yet).
    """

    program: Program
    chip: Chip
    extrapolate: bool = True
    issued: int = 0
    gm: int = 0
    l2: int = 0
    restarts_gm: bool = True
    restarts_l2: bool = True
    spans: list[Span] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)

    queues: dict[str, QueueState] = field(init=False)
    free_slots: dict[str, deque[Mark]] = field(init=False)
    full_slots: dict[str, deque[Mark]] = field(init=False)
    bodies: dict[int, LinkedBody] = field(default_factory=dict)
    flag: int = field(init=False)
    issue: int = field(init=False)
    periods: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.flag, self.issue = self.chip.sync.flag, self.chip.sync.issue
        depth = {"MTE2": self.chip.mte2.outstanding}
        # With as many transfers under way as the queue allows, each waits for the one that many before it.
        self.periods = (*SHORT_PERIODS, *(n for n in depth.values() if n > SHORT_PERIODS[-1]))
        self.queues = {q: QueueState(deque([NEVER] * depth.get(q, 1), depth.get(q, 1))) for q in QUEUES}
        self.free_slots = {ring: deque([NEVER] * slots) for ring, slots in self.program.rings.items()}
        self.full_slots = {ring: deque() for ring in self.program.rings}

    def begin_section(self) -> None:
        """Start a section of the program: bandwidth left unused before it is lost."""
        self.restarts_gm = self.restarts_l2 = True

    def execute(self, items: Items) -> None:
        """Run instructions and loops in program order."""
        linked = self.bodies.get(id(items)) or self._linked_body(items)
        step = self.step
        for item in linked.items:
            if isinstance(item, Loop):
                self.run_loop(item)
            else:
                step(item)

    def step(self, link: Link) -> None:
        """Execute one instruction, and pass its slots on.

        The inner loop of the engine calls little: comparisons are several times faster than ``max``.
        """
        (instr, state, flags, marked, cycles, turnaround, bytes_moved, data, gm, l2, is_transfer, is_scalar,
         waits_for_all, end_of_queue) = link  # fmt: skip
        spans, last_end, flag = self.spans, state.last_end, self.flag
        index = len(spans)
        start = issued = self.issued + self.issue
        cause, after = "issue", index - 1 if is_scalar else -1
        when, by = state.ends[end_of_queue]
        if when >= start:
            start, cause, after = when, "queue", by
        when, by = state.last_start  # queues start in order
        if when >= start:
            start, cause, after = when, "queue", by
        for slots, reason in flags:
            when, by = slots.popleft()
            if when + flag > start and by >= 0:
                start, cause, after = when + flag, reason, by
        if waits_for_all:
            when, by = max(other.ends[-1] for other in self.queues.values())
            if when > start:
                start, cause, after = when, "flag", by
        end, slowed = start + cycles, False
        if is_transfer:
            end, slowed = self._transfer_end(end if end > last_end else last_end, data, gm, l2)
        waited = 0
        if start > last_end:
            idle = issued - last_end if issued > last_end else 0
            waited = start - last_end - idle
            state.idle += idle
            state.wait += waited
            state.busy += end - start
        else:
            state.busy += end - last_end
        state.bytes_moved += bytes_moved
        if end > last_end:
            state.last_end = end
        state.last_start = start, index
        state.ends.append((end + turnaround, index))
        for slots in marked:
            slots.append((end, index))
        self.issued = end if is_scalar else issued
        spans.append(new_tuple(Span, (instr, start, end, cause, waited, after, slowed)))

    def _linked_body(self, items: Items) -> LinkedBody:
        """The body with the links of its instructions, made at its first execution."""
        linked = tuple(item if isinstance(item, Loop) else self._link(item) for item in items)
        body = self.bodies[id(items)] = LinkedBody(items, linked)
        return body

    def _link(self, instr: Instr) -> Link:
        """The link of an instruction."""
        flags = (self.full_slots, instr.deque, "flag"), (self.free_slots, instr.alloc, "buffer")
        marked = (self.full_slots, instr.enque), (self.free_slots, instr.free)
        return Link(
            instr, self.queues[instr.queue],
            flags=tuple((slots[ring], cause) for slots, ring, cause in flags if ring),
            marked=tuple(slots[ring] for slots, ring in marked if ring),
            cycles=instr.cycles, turnaround=instr.turnaround, bytes_moved=instr.bytes_moved,
            data=ceil(instr.bytes_moved / instr.rate) if instr.rate else 0, gm=ceil(instr.gm), l2=ceil(instr.l2),
            is_transfer=bool(instr.rate), is_scalar=instr.queue == "S", waits_for_all=instr.barrier,
            end_of_queue=-1 if instr.serialized else 0,
        )  # fmt: skip

    def _transfer_end(self, arrival: int, data: int, gm: int, l2: int) -> tuple[int, bool]:
        """The end of a transfer: its own data path is done, or shared memory has served all requests so far.

        ``arrival``: the cycle in which its data begin to arrive.
        """
        end = own = arrival + data
        gm_end, l2_end = self.gm, self.l2
        if gm:
            if self.restarts_gm:
                gm_end, self.restarts_gm = max(gm_end, arrival), False
            self.gm = gm_end = gm_end + gm
        if l2:
            if self.restarts_l2:
                l2_end, self.restarts_l2 = max(l2_end, arrival), False
            self.l2 = l2_end = l2_end + l2
        if gm_end > end:
            end = gm_end
        if l2_end > end:
            end = l2_end
        return end, end > own

    # ---- loops -------------------------------------------------------------------------------------

    def run_loop(self, loop: Loop) -> None:
        """Execute a loop; a long one is extrapolated once it repeats exactly."""
        times, is_long = loop.times, instruction_count(loop.body) * loop.times > MIN_STEADY_INSTRUCTIONS
        states: deque[State] = deque(maxlen=3 * self.periods[-1] + 1)
        done = 0
        while done < times:
            self.execute(loop.body)
            done += 1
            if is_long and self.extrapolate:
                states.append(self._state())
                period = steady_period(states, self.periods)
                if period and times - done > period:
                    periods = (times - done - 1) // period
                    self._extrapolate(states[-1], states[-1 - period], periods, periods * period)
                    done, is_long = done + periods * period, False

    def _state(self) -> State:
        """Every time and count that increases, the run's end first, in a fixed order."""
        times = [
            max(state.last_end for state in self.queues.values()),
            self.issued,
            self.gm,
            self.l2,
        ]
        for state in self.queues.values():
            times += [state.last_end, state.last_start[0], *(when for when, _ in state.ends)]
        for ring in (*self.free_slots.values(), *self.full_slots.values()):
            times += [when for when, _ in ring]
        counts = [n for state in self.queues.values() for n in (state.busy, state.wait, state.idle, state.bytes_moved)]
        return State(times, counts)

    def _extrapolate(self, now: State, before: State, periods: int, iterations: int) -> None:
        advance = iter([periods * step for steps in now.since(before) for step in steps])
        skipped = next(advance)
        end = max(state.last_end for state in self.queues.values())
        self.skips.append(Skip(end, end + skipped, iterations))
        self.issued += next(advance)
        self.gm += next(advance)
        self.l2 += next(advance)
        for state in self.queues.values():
            state.last_end += next(advance)
            state.last_start = (state.last_start[0] + next(advance), state.last_start[1])
            state.ends = deque([(when + next(advance), by) for when, by in state.ends], state.ends.maxlen)
        for ring in (*self.free_slots.values(), *self.full_slots.values()):
            ring.extend([(when + next(advance), by) for when, by in [ring.popleft() for _ in range(len(ring))]])
        for state in self.queues.values():
            state.busy, state.wait = state.busy + next(advance), state.wait + next(advance)
            state.idle, state.bytes_moved = state.idle + next(advance), state.bytes_moved + next(advance)

    # ---- the end -----------------------------------------------------------------------------------

    def finish(self) -> Run:
        """Add the idle cycles up to the end, and check the sums."""
        cycles = max(state.last_end for state in self.queues.values())
        for name, state in self.queues.items():
            state.idle += cycles - state.last_end
            if state.busy + state.wait + state.idle != cycles or min(state.busy, state.wait, state.idle) < 0:
                raise MinigraphError(
                    f"simulator: {name} was busy {state.busy}, waiting {state.wait} and idle {state.idle} of {cycles} "
                    "cycles; this is a bug in minigraph.npu.engine.queues, please report it"
                )
        return Run(cycles, self.queues, tuple(self.spans), tuple(self.skips))
