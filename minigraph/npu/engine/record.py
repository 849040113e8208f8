"""The record of a simulated run on one core: spans, extrapolated stretches, cycles of each queue, critical path."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from minigraph.core.lazy import cached_property
from minigraph.npu.engine.program import Instr

Key = TypeVar("Key", str, "Edge")
Mark = tuple[int, int]  # a cycle, and the index of the span that started or ended then
NEVER: Mark = (0, -1)


class Span(NamedTuple):
    """One execution of ``instr`` from cycle ``start`` to ``end``, after ``wait`` cycles in which its queue waited.

    ``bound_by``: the dependency that determined its start: "queue", "issue", "flag" or "buffer". ``after``: index of
    the span that it depended on, -1 for none. ``slowed``: whether contention for shared memory delayed its end.
    """

    instr: Instr
    start: int
    end: int
    bound_by: str
    wait: int
    after: int
    slowed: bool

    @property
    def queue(self) -> str:
        """The queue of the instruction."""
        return self.instr.queue

    @property
    def name(self) -> str:
        """The mnemonic of the instruction."""
        return self.instr.name

    @property
    def bytes_moved(self) -> int:
        """Bytes that the instruction moved."""
        return self.instr.bytes_moved

    @property
    def alloc(self) -> str:
        """Ring of the slot that it allocates at its start, "" for none."""
        return self.instr.alloc

    @property
    def free(self) -> str:
        """Ring of the slot that it frees at its end, "" for none."""
        return self.instr.free


class Step(NamedTuple):
    """One step of a critical path: a span, its predecessor if any, its own cycles, the cycles between the two."""

    span: Span
    before: Span | None
    work: int
    gap: int


class Edge(NamedTuple):
    """A dependency between two kinds of instructions, such as "MTE2 MOV_OUT_TO_L1", and its cause."""

    before: str
    after: str
    cause: str


class Skip(NamedTuple):
    """An extrapolated stretch of a loop: cycles ``start`` to ``end``, ``times`` iterations."""

    start: int
    end: int
    times: int


@dataclass(slots=True)
class QueueState:
    """The state of one queue, and its cycles: busy, waiting (issued but not ready), idle; they add up to the run."""

    ends: deque[Mark]
    last_start: Mark = NEVER
    last_end: int = 0
    busy: int = 0
    wait: int = 0
    idle: int = 0
    bytes_moved: int = 0


@dataclass(frozen=True)
class Run:
    """The result of simulating a program: its cycles, each queue's cycles, spans and extrapolated stretches."""

    cycles: int
    queues: dict[str, QueueState]
    spans: tuple[Span, ...]
    skips: tuple[Skip, ...]

    @cached_property
    def path(self) -> tuple[Step, ...]:
        """The critical path, traced back from the last span; an extrapolated gap counts as 0 cycles."""
        steps = []
        index = max(range(len(self.spans)), key=lambda i: self.spans[i].end, default=-1)
        until = self.spans[index].end if self.spans else 0
        while index >= 0:
            span = self.spans[index]
            before = self.spans[span.after] if span.after >= 0 else None
            end_before = before.end if before else 0
            gap = 0 if self._is_extrapolated(end_before, span.start) else max(min(span.start, until) - end_before, 0)
            steps.append(Step(span, before, max(until - span.start, 0), gap))
            index, until = span.after, min(span.start, end_before)
        return tuple(steps)

    @property
    def critical(self) -> dict[str, float]:
        """Cycles of the critical path by cause.

        A span's own cycles count as "bandwidth" if shared memory slowed it, else as its queue ("MTE2"). Cycles between
        a span and its predecessor count as "flag", "buffer" or "issue". Extrapolated stretches are assumed to have the
        shares of the stepped ones.
        """
        shares: Counter[str] = Counter()
        for step in self.path:
            shares["bandwidth" if step.span.slowed else step.span.queue] += step.work
            shares[step.span.bound_by] += step.gap
        return self._scaled_to_run(shares)

    @property
    def edges(self) -> dict[Edge, float]:
        """Cycles of the critical path by dependency edge, from the end of one instruction to the end of the next."""
        shares: Counter[Edge] = Counter()
        for step in self.path:
            span, before = step.span, step.before
            cause = "bandwidth" if span.slowed else span.bound_by
            first = f"{before.queue} {before.name}" if before else "start"
            shares[Edge(first, f"{span.queue} {span.name}", cause)] += step.work + step.gap
        return self._scaled_to_run(shares)

    def _scaled_to_run(self, shares: Counter[Key]) -> dict[Key, float]:
        """Cycles of the stepped part, scaled to the whole run."""
        total = shares.total()
        return {key: self.cycles * cycles / total for key, cycles in sorted(shares.items()) if cycles}

    def _is_extrapolated(self, start: int, end: int) -> bool:
        return any(start <= skip.start and skip.end <= end for skip in self.skips)
