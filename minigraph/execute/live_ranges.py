"""Live ranges (live intervals of linear scan): the first and last step at which a value needs its memory."""

from __future__ import annotations

from typing import NamedTuple

from minigraph.execute.memory import memory_roots
from minigraph.execute.plan import Plan


class LiveRange(NamedTuple):
    """A live range: the first and the last step at which a value needs its memory, and its size."""

    first: int
    last: int
    nbytes: int


def live_ranges(plan: Plan) -> dict[int, LiveRange]:
    """The live range of each value that a step computes: from that step to its last use, also through a view.

    Values that leave the program are live until one step after the last.
    """
    root, types = memory_roots(plan), plan.types
    defined = {out: i for i, step in enumerate(plan.steps) for out in step.outs if root[out] == out}
    last = defined | {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    last |= {root[value]: len(plan.steps) for value in plan.live_out}
    return {value: LiveRange(first, last[value], types[value].nbytes) for value, first in defined.items()}
