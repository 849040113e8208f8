"""Row padding: matrices that are read by columns get padding after each row.

In a matrix whose rows are a multiple of some hundred bytes long, the elements of a column fall into few sets of the
processor's caches and evict each other (conflict misses). Reading it by columns takes up to five times as long as with
a cache line of padding after every row.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Sequence

import numpy as np

from minigraph.accel.kernels.table import WITH_ROW_PADDING
from minigraph.accel.schedule.memory_ops import VIEW, empty_op
from minigraph.core.machine import CACHE_LINE_BYTES, CACHE_PERIOD_BYTES, MIN_PADDED_BYTES
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step, ops_of


class RowPadding:
    """Steps in which such matrices have padded rows: ``steps``, and by value its preallocated view (``views``).

    ``leaving`` are values that leave the program.
    """

    def __init__(self, steps: Sequence[Step], leaving: Collection[int], fresh: itertools.count[int]) -> None:
        self.views: dict[int, int] = {}
        self.steps = list(steps)
        can_pad = any(op in WITH_ROW_PADDING for op in ops_of(steps))
        if not can_pad or not any(step.op in WITH_ROW_PADDING and _has_conflicts(step.types[0]) for step in steps):
            return
        self._fresh, self._leaving = fresh, {*leaving}
        self._readers = defaultdict[int, list[Step]](list)
        for step in steps:
            for value in step.ins:
                self._readers[value].append(step)
        self.steps = [new for step in steps for new in (*self._padded_memory(step), step)]

    def _padded_memory(self, step: Step) -> list[Step]:
        """The steps that allocate padded memory for the result of a step and view it, if it is read by columns."""
        if not (step.op in WITH_ROW_PADDING and _has_conflicts(step.types[0]) and self._is_read_by_columns(step)):
            return []
        (rows, columns), dtype = step.types[0].shape, step.types[0].dtype
        padded, view = TensorType((rows, columns + CACHE_LINE_BYTES // dtype.itemsize), dtype), next(self._fresh)
        whole = step._replace(op=empty_op(padded), ins=(), attrs={}, outs=(next(self._fresh),), types=(padded,))
        key = slice(None), slice(0, columns)
        self.views[step.outs[0]] = view
        return [whole, step._replace(op=VIEW, ins=whole.outs, attrs={"key": key}, outs=(view,))]

    def _is_read_by_columns(self, step: Step) -> bool:
        """Whether all readers of a matrix are elementwise, and some of them read its transpose."""
        (value,), readers = step.outs, self._readers[step.outs[0]]
        transposes = [reader for reader in readers if _is_transpose(reader, step.types[0])]
        users = [*(reader for view in transposes for reader in self._readers[view.outs[0]]), *readers]
        stays = self._leaving.isdisjoint((value, *(view.outs[0] for view in transposes)))
        return bool(transposes) and stays and all(u.op.family == "elementwise" or u in transposes for u in users)


def _has_conflicts(type: TensorType) -> bool:
    """Whether the columns of a matrix fall into few cache sets."""
    return (
        len(type.shape) == 2
        and type.nbytes >= MIN_PADDED_BYTES
        and type.shape[1] * type.dtype.itemsize % CACHE_PERIOD_BYTES == 0
    )


def _is_transpose(step: Step, type: TensorType) -> bool:
    """Whether a step views a matrix of this type transposed."""
    if not step.op.view or len(step.ins) != 1 or step.op.effects:
        return False
    view = step.op.forward(np.broadcast_to(np.empty((), type.dtype.numpy), type.shape), **step.attrs)
    return isinstance(view, np.ndarray) and view.shape == type.shape[::-1]
