"""What one core did: its spans, its stretches carried forward, each queue's account, its critical path."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeVar

Key = TypeVar("Key", str, "Edge")
Mark = tuple[int, int]  # a cycle, and the position of the span that ended then
NEVER: Mark = (0, -1)


class Span(NamedTuple):
    """One executed instruction: cycles ``start`` to ``end``, ``wait`` cycles its queue stood before it.

    ``bound_by`` says why it did not start sooner: "queue", "issue", "flag" or "buffer"; ``slowed`` whether
    memory shared with other cores made it end later; ``after`` is the position of the span it followed, -1
    for none. It takes a slot of the ring ``takes`` when it starts and gives one of ``gives`` back when it ends.
    """

    queue: str
    name: str
    start: int
    end: int
    bound_by: str
    wait: int
    moved: int
    after: int
    slowed: bool
    takes: str = ""
    gives: str = ""


class Step(NamedTuple):
    """One step of a critical path: a span, the one it followed if any, cycles of its own, cycles between the two."""

    span: Span
    before: Span | None
    work: int
    gap: int


class Edge(NamedTuple):
    """From one kind of instruction to another, as "MTE2 MOV_OUT_TO_L1", and what held the second one back."""

    before: str
    after: str
    cause: str


class Skip(NamedTuple):
    """A stretch of a loop that was carried forward: cycles ``start`` to ``end``, ``times`` iterations."""

    start: int
    end: int
    times: int


@dataclass(slots=True)
class Lane:
    """One queue's account: cycles busy, waiting (issued but held back) and idle; they add up to the run."""

    ends: deque[Mark]
    begun: Mark = NEVER
    last: int = 0
    busy: int = 0
    wait: int = 0
    idle: int = 0
    moved: int = 0


@dataclass(frozen=True)
class Run:
    """What a program did on one core: its cycles, the account of each queue, spans and skipped stretches."""

    cycles: int
    lanes: dict[str, Lane]
    spans: tuple[Span, ...]
    skips: tuple[Skip, ...]

    @cached_property
    def path(self) -> tuple[Step, ...]:
        """The critical path, walked back from the last span; a gap that was carried forward counts as none."""
        steps = []
        at = max(range(len(self.spans)), key=lambda i: self.spans[i].end, default=-1)
        until = self.spans[at].end if self.spans else 0
        while at >= 0:
            span = self.spans[at]
            before = self.spans[span.after] if span.after >= 0 else None
            ended = before.end if before else 0
            gap = 0 if self._skipped(ended, span.start) else max(min(span.start, until) - ended, 0)
            steps.append(Step(span, before, max(until - span.start, 0), gap))
            at, until = span.after, min(span.start, ended)
        return tuple(steps)

    @property
    def critical(self) -> dict[str, float]:
        """Cycles of the critical path by cause.

        A span's own time counts as "bandwidth" when shared memory slowed it, else as work of its queue
        ("MTE2"); the time between it and what it followed counts as "flag", "buffer" or "issue". Stretches
        that were carried forward are taken to be like the ones that were stepped.
        """
        shares: Counter[str] = Counter()
        for step in self.path:
            shares["bandwidth" if step.span.slowed else step.span.queue] += step.work
            shares[step.span.bound_by] += step.gap
        return self._whole(shares)

    @property
    def edges(self) -> dict[Edge, float]:
        """Cycles of the critical path by edge: from the end of one kind of instruction to the end of the next."""
        shares: Counter[Edge] = Counter()
        for step in self.path:
            span, before = step.span, step.before
            cause = "bandwidth" if span.slowed else span.bound_by
            first = f"{before.queue} {before.name}" if before else "start"
            shares[Edge(first, f"{span.queue} {span.name}", cause)] += step.work + step.gap
        return self._whole(shares)

    def _whole(self, shares: Counter[Key]) -> dict[Key, float]:
        """Shares of the stepped part as cycles of the whole run."""
        total = shares.total()
        return {key: self.cycles * taken / total for key, taken in sorted(shares.items()) if taken}

    def _skipped(self, start: int, end: int) -> bool:
        return any(start <= skip.start and skip.end <= end for skip in self.skips)
