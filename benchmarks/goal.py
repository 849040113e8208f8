"""What is wanted of the figures of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.harness import Result


class Goal(NamedTuple):
    """What we want of one figure: the case, the contender, ``"speed"`` or a unit of time, and the bound.

    A speed has to reach the bound, a time may not exceed it. ``limit`` is what the smallest Python around numpy
    that we could write reached: straight lines, or a tape and nothing else. It was measured once, on prototypes.
    """

    case: str
    contender: str
    figure: str
    bound: float
    limit: float | None = None

    def measured(self, results: Sequence[Result]) -> list[float]:
        """The figure, if this run has it."""
        found = [r for r in results if r.case.title == self.case and self.contender in r.seconds]
        return [r.speed[self.contender] if self.figure == "speed" else r.per_work(self.contender) for r in found]

    def met(self, figure: float) -> bool:
        """Whether a measured figure reaches the goal."""
        return figure >= self.bound if self.figure == "speed" else figure <= self.bound

    def __str__(self) -> str:
        return f"≥ {self.bound:g}" if self.figure == "speed" else f"≤ {self.bound:g} {self.figure}"
