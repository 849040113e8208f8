"""What a profile does in each step."""

from __future__ import annotations

from enum import Enum
from typing import Any

from minigraph.core.errors import ArgValueError


class ProfilerAction(Enum):
    """What a profile does in a step."""

    NONE, WARM_UP, RECORD, RECORD_AND_SAVE = range(4)


RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class schedule:
    """The action of each step: ``skip_first`` steps, then cycles of ``wait``, ``warmup`` and ``active`` steps.

    ``repeat`` is the number of cycles, 0 for any. Numbers that are no counts are taken as the default.

    >>> steps = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [steps(step).name for step in range(5)]
    ['NONE', 'WARM_UP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(self, *, wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0) -> None:
        self.wait, self.active = _count(wait, 0), _count(active, 1)
        self.warmup, self.repeat, self.skip_first = _count(warmup, 0), _count(repeat, 0), _count(skip_first, 0)

    def __call__(self, step: int) -> ProfilerAction:
        """The action of a step, from 0; raises ``ValueError`` for a negative one."""
        if step < 0:
            raise ArgValueError("Invalid parameter step, which must be not less than 0.")
        cycle, position = divmod(step - self.skip_first, self.wait + self.warmup + self.active)
        if step < self.skip_first or 0 < self.repeat <= cycle or position < self.wait:
            return ProfilerAction.NONE
        if position < self.wait + self.warmup:
            return ProfilerAction.WARM_UP
        is_last = position == self.wait + self.warmup + self.active - 1
        return ProfilerAction.RECORD_AND_SAVE if is_last else ProfilerAction.RECORD

    def __repr__(self) -> str:
        return f"Schedule({', '.join(f'{name}={number}' for name, number in vars(self).items())})"


def _count(number: Any, least: int) -> int:
    is_count = isinstance(number, int) and not isinstance(number, bool) and number >= least
    return number if is_count else least
