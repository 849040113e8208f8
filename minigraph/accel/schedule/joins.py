"""Small tensors are written where they lie in the stack that somebody makes of them, instead of being copied there.

What ``stack`` and ``concat`` join along the first axis lies one behind the other in memory. So that memory is there
first, and whoever makes a part writes it into a view; a part that is no step's own result is copied. (Elision of
concatenations, as compilers of tensor programs do it where buffers are assigned.)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.accel.schedule.memories import CUT, memory
from minigraph.core.machine import MAX_STACKED_BYTES
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step, ops_of
from minigraph.operators.joining import CONCAT, STACK

Types = Mapping[int, TensorType]


class Joins:
    """Steps without copies into small stacks: the new ``steps``, and in ``places`` the view each value is written into.

    ``leaving`` are values that somebody else is given, ``types`` those of all values.
    """

    def __init__(
        self, steps: Sequence[Step], leaving: Collection[int], types: Types, fresh: itertools.count[int]
    ) -> None:
        self.places: dict[int, int] = {}
        self.steps = list(steps)
        if EXTENTS.keys().isdisjoint(ops_of(steps)):
            return
        self._maker = {out: step for step in steps for out in step.outs}
        self._leaving, self._types, self._fresh = {*leaving}, types, fresh
        self._read = {value for step in steps for value in step.ins}
        self._memory: list[Step] = []
        self._instead: dict[int, list[Step]] = {}  # by place in the old steps, what stands there now
        for i in reversed(range(len(steps))):  # a stack of stacks before these
            if self._is_small_join(steps[i]):
                self._instead[i] = self._joined(steps[i])
        rest = (new for i, step in enumerate(steps) for new in self._instead.get(i, [step]))
        self.steps = [*self._memory, *rest]

    def _is_small_join(self, step: Step) -> bool:
        """Whether a step joins small tensors along their first axis, for readers in this program alone.

        What nobody reads is no memory for longer than its own step, so nothing may be written there later.
        """
        if step.op not in EXTENTS or step.attrs["axis"] != 0 or step.outs[0] not in self._read - self._leaving:
            return False
        return step.types[0].nbytes <= MAX_STACKED_BYTES * len(step.ins)

    def _joined(self, step: Step) -> list[Step]:
        """The copies that are left of a join, whose result is memory that is there from the start."""
        (out,), (whole,) = step.outs, step.types
        if out in self.places:
            self._memory.append(step._replace(op=CUT, ins=(self.places.pop(out),), attrs={"key": ...}))
        else:
            self._memory.append(step._replace(op=memory(whole), ins=(), attrs={}))
        copies = list[Step]()
        for value, key, type in _parts(step, self._types):
            view = next(self._fresh)
            self._memory.append(step._replace(op=CUT, ins=(out,), attrs={"key": key}, outs=(view,), types=(type,)))
            if not self._may_lie(value):
                copies.append(step._replace(op=COPY, ins=(value,), attrs={}, outs=(next(self._fresh),), types=(type,)))
                value = copies[-1].outs[0]
            self.places[value] = view
        return copies

    def _may_lie(self, value: int) -> bool:
        """Whether a step may write a value into a view: it is new memory, seen by nobody outside, and has no place."""
        maker = self._maker.get(value)
        if maker is None or value in self.places or value in self._leaving:
            return False
        return maker.op.into and not maker.op.view and len(maker.outs) == 1


def _parts(step: Step, types: Types) -> Iterator[tuple[int, Any, TensorType]]:
    """What a step joins: each value, where it lies in the whole, and its type."""
    at = 0
    for value in step.ins:
        count, key = EXTENTS[step.op](at, types[value])
        yield value, key, types[value]
        at += count


Extent = Callable[[int, TensorType], tuple[int, Any]]
EXTENTS: Mapping[Op, Extent] = {  # how many rows of the whole a part takes, from the next on, and the key of these
    STACK: lambda at, part: (1, (at, ...)),
    CONCAT: lambda at, part: (part.shape[0], slice(at, at + part.shape[0])),
}


def _copied(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    if out is None:
        return x.copy()
    np.copyto(out, x)
    return out


COPY = Op("copy", _copied, lambda x: x, into=True, doc="A part of a stack that is copied there.")
