"""Goals for the figures of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.measuring.harness import Result

SPEEDS = {"speed": "", "wall": " by the wall clock"}  # figures of which larger is better


class Goal(NamedTuple):
    """A goal for one figure: the case, the contender, ``"speed"``, ``"wall"`` or a unit of time, and the bound.

    A speed has to reach the bound, a time may not exceed it. ``limit`` is the figure of the smallest Python program
    around numpy that we could write: straight-line code, or a minimal tape. It was measured once, on prototypes.
    ``relative_to`` names another contender as the baseline: a speed is relative to its speed, a time is the
    difference from its time.
    """

    case: str
    contender: str
    figure: str
    bound: float
    limit: float | None = None
    relative_to: str | None = None

    def figures_in(self, results: Sequence[Result]) -> list[float]:
        """The goal's figure in each result that has it."""
        return [self._figure(r) for r in results if r.title == self.case and self.contender in r.seconds]

    def _figure(self, result: Result) -> float:
        if self.figure not in SPEEDS:
            baseline = result.per_work(self.relative_to) if self.relative_to else 0.0
            return result.per_work(self.contender) - baseline
        if self.relative_to:
            return result.speed_ratio(self.contender, self.relative_to)
        return (result.wall if self.figure == "wall" else result.speed)[self.contender]

    def with_slack(self, slack: float) -> Goal:
        """The goal with the bound of a ratio multiplied by ``slack``; times are unchanged."""
        return self._replace(bound=self.bound * slack) if self.figure in SPEEDS else self

    def is_met(self, figure: float) -> bool:
        """Whether a measured figure reaches the goal."""
        return figure >= self.bound if self.figure in SPEEDS else figure <= self.bound

    def __str__(self) -> str:
        if self.figure in SPEEDS:
            return f"≥ {self.bound:.3g}{SPEEDS[self.figure]}{f' of {self.relative_to}' if self.relative_to else ''}"
        return f"≤ {self.bound:g} {self.figure}{f' more than {self.relative_to}' if self.relative_to else ''}"
