"""Goals for the metrics of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.measuring.harness import Result

SPEEDS = {"speed": "", "wall": " by the wall clock"}  # metrics of which larger is better


class Goal(NamedTuple):
    """A goal for one metric: the case, the contender, ``"speed"``, ``"wall"`` or a unit of time, and the bound.

    A speed has to reach the bound, a time may not exceed it. ``limit`` is the value of the smallest Python program
    around numpy that we could write: straight-line code, or a minimal tape. It was measured once, on prototypes.
    ``relative_to`` names another contender as the baseline: a speed is relative to its speed, a time is the
    difference from its time.
    """

    case: str
    contender: str
    metric: str
    bound: float
    limit: float | None = None
    relative_to: str | None = None

    def values_in(self, results: Sequence[Result]) -> list[float]:
        """The goal's metric in each result that has it."""
        return [self._value(r) for r in results if r.title == self.case and self.contender in r.seconds]

    def _value(self, result: Result) -> float:
        if self.metric not in SPEEDS:
            baseline = result.time_per_operator(self.relative_to) if self.relative_to else 0.0
            return result.time_per_operator(self.contender) - baseline
        if self.relative_to:
            return result.speed_ratio(self.contender, self.relative_to)
        return (result.wall_speed if self.metric == "wall" else result.speed)[self.contender]

    def with_slack(self, slack: float) -> Goal:
        """The goal with the bound of a ratio multiplied by ``slack``; times are unchanged."""
        return self._replace(bound=self.bound * slack) if self.metric in SPEEDS else self

    def is_met(self, value: float) -> bool:
        """Whether a measured value reaches the goal."""
        return value >= self.bound if self.metric in SPEEDS else value <= self.bound

    def __str__(self) -> str:
        if self.metric in SPEEDS:
            return f"≥ {self.bound:.3g}{SPEEDS[self.metric]}{f' of {self.relative_to}' if self.relative_to else ''}"
        return f"≤ {self.bound:g} {self.metric}{f' more than {self.relative_to}' if self.relative_to else ''}"
