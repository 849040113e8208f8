"""What one core did: its spans, its stretches carried forward, each queue's account, its critical path."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple

Mark = tuple[int, int]  # a cycle, and the position of the span that ended then
NEVER: Mark = (0, -1)


class Span(NamedTuple):
    """One executed instruction: cycles ``start`` to ``end``, ``wait`` cycles its queue stood before it.

    ``bound_by`` says why it did not start sooner: "queue", "issue", "flag" or "buffer"; ``slowed`` whether
    memory shared with other cores made it end later; ``after`` is the position of the span it followed, -1
    for none.
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

    @property
    def critical(self) -> dict[str, float]:
        """Cycles of the critical path by cause, walking back from the last span.

        A span's own time counts as "bandwidth" when shared memory slowed it, else as work of its queue
        ("MTE2"); the time between it and what it followed counts as "flag", "buffer" or "issue". Stretches
        that were carried forward are taken to be like the ones that were stepped.
        """
        shares: dict[str, int] = {}
        at = max(range(len(self.spans)), key=lambda i: self.spans[i].end, default=-1)
        until = self.spans[at].end if self.spans else 0
        while at >= 0:
            span = self.spans[at]
            work = "bandwidth" if span.slowed else span.queue
            shares[work] = shares.get(work, 0) + max(until - span.start, 0)
            before = self.spans[span.after].end if span.after >= 0 else 0
            gap = 0 if self._skipped(before, span.start) else max(min(span.start, until) - before, 0)
            shares[span.bound_by] = shares.get(span.bound_by, 0) + gap
            at, until = span.after, min(span.start, before)
        total = sum(shares.values())
        return {cause: self.cycles * taken / total for cause, taken in sorted(shares.items()) if taken}

    def _skipped(self, start: int, end: int) -> bool:
        return any(start <= skip.start and skip.end <= end for skip in self.skips)
