"""When a loop on a core repeats exactly, so that its remaining iterations can be extrapolated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

SHORT_PERIODS = (1, 2, 3, 4)  # iterations


class State(NamedTuple):
    """A core between two iterations: its times, the run's end first, and its counts."""

    times: list[int]
    counts: list[int]

    def since(self, before: State) -> State:
        """The increase of every time and count."""
        return State(*([a - b for a, b in zip(now, old, strict=True)] for now, old in zip(self, before, strict=True)))


def steady_period(states: Sequence[State], periods: Sequence[int] = SHORT_PERIODS) -> int:
    """The period of a loop's periodic regime in iterations, one of ``periods``, or 0 if there is none yet.

    Every time and count has to grow by the same amount in each of three periods, and no time faster than the run's end:
    a time that falls behind (a memory below saturation, instructions issued early) never binds again.

    >>> steady_period([State([0], [0]), State([10], [3]), State([20], [6]), State([30], [9])])
    1
    >>> steady_period([State([0], [0]), State([10], [3]), State([20], [6]), State([31], [9])])
    0
    """
    for period in periods:
        if len(states) > 3 * period and _is_steady([states[-1 - k * period] for k in range(4)]):
            return period
    return 0


def _is_steady(states: Sequence[State]) -> bool:
    """Whether four states, the last first, are equally far apart, and no time advances faster than the run's end."""
    ends = [state.times[0] for state in states]
    if not ends[0] - ends[1] == ends[1] - ends[2] == ends[2] - ends[3]:  # nearly always, before the steady state
        return False
    if len({(len(state.times), len(state.counts)) for state in states}) > 1:
        return False
    latest = states[0].since(states[1])
    if max(latest.times) > latest.times[0]:
        return False
    return latest == states[1].since(states[2]) == states[2].since(states[3])
