"""Matrices that are read by columns, with room between their rows.

Down a column of a matrix whose rows are a multiple of some hundred bytes long, elements fall on few places of the
processor's caches and drive each other out: reading it across takes up to five times as long as with a little room
after every row.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Sequence

import numpy as np

from minigraph.accel.kernels.table import WITH_ROW_GAPS
from minigraph.accel.schedule.memories import CUT, memory
from minigraph.core.machine import CACHE_LINE_BYTES, CACHE_PERIOD_BYTES, MIN_PADDED_BYTES
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step, ops_of


class Padding:
    """Steps that make matrices with room between rows: the new ``steps``, and in ``places`` where they are written.

    ``leaving`` are values that somebody else is given.
    """

    def __init__(self, steps: Sequence[Step], leaving: Collection[int], fresh: itertools.count[int]) -> None:
        self.places: dict[int, int] = {}
        self.steps = list(steps)
        gaps = any(op in WITH_ROW_GAPS for op in ops_of(steps))
        if not gaps or not any(step.op in WITH_ROW_GAPS and _falls_on_itself(step.types[0]) for step in steps):
            return
        self._fresh, self._kept = fresh, {*leaving}
        self._readers = defaultdict[int, list[Step]](list)
        for step in steps:
            for value in step.ins:
                self._readers[value].append(step)
        self.steps = [new for step in steps for new in (*self._room(step), step)]

    def _room(self, step: Step) -> list[Step]:
        """The steps that make room for the result of a step, if it is one to be read by columns."""
        if not (step.op in WITH_ROW_GAPS and _falls_on_itself(step.types[0]) and self._is_read_across(step)):
            return []
        (rows, columns), dtype = step.types[0].shape, step.types[0].dtype
        wide, place = TensorType((rows, columns + CACHE_LINE_BYTES // dtype.itemsize), dtype), next(self._fresh)
        whole = step._replace(op=memory(wide), ins=(), attrs={}, outs=(next(self._fresh),), types=(wide,))
        key = slice(None), slice(0, columns)
        self.places[step.outs[0]] = place
        return [whole, step._replace(op=CUT, ins=whole.outs, attrs={"key": key}, outs=(place,))]

    def _is_read_across(self, step: Step) -> bool:
        """Whether all who read a matrix go element by element, and some of them by columns."""
        (value,), readers = step.outs, self._readers[step.outs[0]]
        turned = [reader for reader in readers if _turns(reader, step.types[0])]
        users = [*(reader for view in turned for reader in self._readers[view.outs[0]]), *readers]
        inside = self._kept.isdisjoint((value, *(view.outs[0] for view in turned)))
        return bool(turned) and inside and all(user.op.family == "elementwise" or user in turned for user in users)


def _falls_on_itself(type: TensorType) -> bool:
    """Whether the columns of a matrix fall on few places of a cache."""
    return (
        len(type.shape) == 2
        and type.nbytes >= MIN_PADDED_BYTES
        and type.shape[1] * type.dtype.itemsize % CACHE_PERIOD_BYTES == 0
    )


def _turns(step: Step, type: TensorType) -> bool:
    """Whether a step looks at a matrix of this type by columns."""
    if not step.op.view or len(step.ins) != 1 or step.op.effects:
        return False
    seen = step.op.forward(np.broadcast_to(np.empty((), type.dtype.numpy), type.shape), **step.attrs)
    return isinstance(seen, np.ndarray) and seen.shape == type.shape[::-1]
