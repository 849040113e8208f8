"""Concat elision: small tensors are computed directly into the stack or concatenation that reads them.

The operands of ``stack`` and ``concat`` along the first axis are contiguous in the result. So the result is allocated
first, and a step that computes an operand writes it into a view of the result. Operands that are not computed by a step
of the program, or are needed elsewhere, are copied. (Compilers of tensor programs do this during buffer assignment.)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.accel.schedule.memory_ops import VIEW, empty_op
from minigraph.core.machine import MAX_BATCHED_TERM_BYTES
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.plan import Step, ops_of
from minigraph.operators.joining import CONCAT, STACK

Types = Mapping[int, TensorType]


class ConcatElision:
    """Steps without small stacks and concatenations: ``steps``, and by value its preallocated view (``views``).

    ``live_out`` are values that leave the program, ``types`` those of all values.
    """

    def __init__(
        self, steps: Sequence[Step], live_out: Collection[int], types: Types, fresh: itertools.count[int]
    ) -> None:
        self.views: dict[int, int] = {}
        self.steps = list(steps)
        if EXTENTS.keys().isdisjoint(ops_of(steps)):
            return
        self._producer = {out: step for step in steps for out in step.outs}
        self._live_out, self._types, self._fresh = {*live_out}, types, fresh
        self._read = {value for step in steps for value in step.ins}
        self._memory: list[Step] = []
        replacements: dict[int, list[Step]] = {}  # by position
        for i in reversed(range(len(steps))):  # a stack of stacks before its operands
            if self._is_small_concat(steps[i]):
                replacements[i] = self._elide(steps[i])
        remaining = (new for i, step in enumerate(steps) for new in replacements.get(i, [step]))
        self.steps = [*self._memory, *remaining]

    def _is_small_concat(self, step: Step) -> bool:
        """Whether a step joins small tensors along their first axis, for readers in this program only.

        A result that is never read is excluded: its memory would be reused right after its own step.
        """
        if step.op not in EXTENTS or step.attrs["axis"] != 0 or step.outs[0] not in self._read - self._live_out:
            return False
        return step.types[0].nbytes <= MAX_BATCHED_TERM_BYTES * len(step.ins)

    def _elide(self, step: Step) -> list[Step]:
        """The copies that remain of a step whose result is preallocated."""
        (out,), (result_type,) = step.outs, step.types
        if out in self.views:
            self._memory.append(step._replace(op=VIEW, ins=(self.views.pop(out),), attrs={"key": ...}))
        else:
            self._memory.append(step._replace(op=empty_op(result_type), ins=(), attrs={}))
        copies = list[Step]()
        for value, key, type in _operands(step, self._types):
            view = next(self._fresh)
            self._memory.append(step._replace(op=VIEW, ins=(out,), attrs={"key": key}, outs=(view,), types=(type,)))
            if not self._can_write_into_view(value):
                copies.append(step._replace(op=COPY, ins=(value,), attrs={}, outs=(next(self._fresh),), types=(type,)))
                value = copies[-1].outs[0]
            self.views[value] = view
        return copies

    def _can_write_into_view(self, value: int) -> bool:
        """Whether a step of the program allocates a value, which does not leave the program and has no view yet."""
        producer = self._producer.get(value)
        if producer is None or value in self.views or value in self._live_out:
            return False
        return producer.op.into and not producer.op.view and len(producer.outs) == 1


def _operands(step: Step, types: Types) -> Iterator[tuple[int, object, TensorType]]:
    """Each operand of a stack or concatenation: value, key of its slice of the result, and type."""
    at = 0
    for value in step.ins:
        count, key = EXTENTS[step.op](at, types[value])
        yield value, key, types[value]
        at += count


Extent = Callable[[int, TensorType], tuple[int, Any]]
EXTENTS: Mapping[Op, Extent] = {  # by start row and operand type: the number of rows in the result, and their key
    STACK: lambda at, operand: (1, (at, ...)),
    CONCAT: lambda at, operand: (operand.shape[0], slice(at, at + operand.shape[0])),
}


def _copy(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    if out is None:
        return x.copy()
    np.copyto(out, x)
    return out


COPY = Op("copy", _copy, lambda x: x, into=True, doc="An operand of a stack that has to be copied.")
