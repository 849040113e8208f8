"""A cut: every so many elements along an axis of a tensor, and which cut of an operand a cut of a result comes from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from minigraph.core.op import Attrs, Op
from minigraph.core.types import Shape
from minigraph.operators.linalg import MATMUL
from minigraph.operators.nn import LOG_SOFTMAX, SOFTMAX
from minigraph.operators.norms import LAYER_NORM, NORMALIZE
from minigraph.operators.reduce import MAX, MEAN, MIN, SUM
from minigraph.operators.views import EXPAND_DIMS, FLATTEN, RESHAPE, SQUEEZE, TRANSPOSE

RESHAPES = (RESHAPE, FLATTEN, EXPAND_DIMS, SQUEEZE)
ROWWISE = (SOFTMAX, LOG_SOFTMAX, NORMALIZE, LAYER_NORM)  # along an axis and those behind it
REDUCTIONS = (SUM, MEAN, MAX, MIN)


class AxisSlice(NamedTuple):
    """Elements ``start`` to ``stop`` of an axis, every ``step``-th."""

    axis: int
    start: int
    stop: int
    step: int = 1

    @property
    def length(self) -> int:
        """How many elements of the axis it keeps."""
        return len(range(self.start, self.stop, self.step))

    def along(self, axis: int) -> AxisSlice:
        """The same of another axis."""
        return self._replace(axis=axis)

    def key(self, shape: Shape) -> tuple[tuple[int, int, int], ...]:
        """The key of ``index`` that makes it, every axis kept."""
        return tuple((self.start, self.stop, self.step) if k == self.axis else (0, n, 1) for k, n in enumerate(shape))

    def shape_of(self, shape: Shape) -> Shape:
        """What it leaves of a shape.

        >>> Cut(1, 0, 1).shape_of((2, 3))
        (2, 1)
        """
        return *shape[: self.axis], self.length, *shape[self.axis + 1 :]


def slice_of_key(key: Sequence[Any], shape: Shape) -> AxisSlice | None:
    """The cut that a key of ``index`` makes, numbers being cuts of one element; ``None`` for no or several axes.

    >>> cut_of(((0, 2, 1), 1), (2, 3)), cut_of((0, 1), (2, 3))
    (Cut(axis=1, start=1, stop=2, step=1), None)
    """
    if len(key) != len(shape) or not all(isinstance(item, int) or _is_slice(item) for item in key):
        return None
    every = [AxisSlice(k, item, item + 1) if isinstance(item, int) else AxisSlice(k, *item) for k, item in enumerate(key)]
    cuts = [cut for cut, n in zip(every, shape, strict=True) if cut[1:] != (0, n, 1) or isinstance(key[cut.axis], int)]
    usual = len(cuts) == 1 and cuts[0].step > 0 and cuts[0].start >= 0 and 0 < cuts[0].length < shape[cuts[0].axis]
    return cuts[0] if usual else None


def are_disjoint(cuts: Sequence[AxisSlice]) -> bool:
    """Whether cuts are runs of one axis of which no two share an element.

    >>> are_apart([Cut(0, 0, 2), Cut(0, 2, 3)]), are_apart([Cut(0, 0, 2), Cut(0, 1, 3)])
    (True, False)
    """
    ordered = sorted(cuts)
    meets = any(first.stop > second.start for first, second in pairwise(ordered))
    return not meets and len({cut.axis for cut in cuts}) == 1 and all(cut.step == 1 for cut in cuts)


def _is_slice(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 3 and all(isinstance(n, int) for n in item)


def reshape_slice(cut: AxisSlice, old: Shape, new: Shape) -> AxisSlice | None:
    """The cut of the same elements in another shape, where there is one.

    A run also where its axis merges with those behind it, a single row also where it merges with what is before.

    >>> reshaped(Cut(1, 0, 1), (32, 65, 256), (2080, 256)), reshaped(Cut(0, 0, 2080, 65), (2080, 256), (32, 65, 256))
    (Cut(axis=0, start=0, stop=2080, step=65), Cut(axis=1, start=0, stop=1, step=1))
    """
    size, inner = old[cut.axis], math.prod(old[cut.axis + 1 :])
    for axis, n in enumerate(new):
        behind = math.prod(new[axis + 1 :])
        if cut.step == 1 and 0 < behind < inner and inner % behind == 0 and n * behind == size * inner:
            return AxisSlice(axis, cut.start * inner // behind, cut.stop * inner // behind)
        if n == 1 or behind != inner:
            continue
        if n == size:
            return cut.along(axis)
        if cut.length == 1 and n % size == 0:
            return AxisSlice(axis, cut.start, n, size)
        if n == cut.step and cut.start < n and cut.stop == size and size % n == 0:
            return AxisSlice(axis, cut.start, cut.start + 1)
    return None


def operand_slices(op: Op, attrs: Attrs, shapes: Sequence[Shape], out: Shape, cut: AxisSlice) -> list[AxisSlice | None] | None:
    """What of each operand a cut of the result is computed from, ``None``: all of it; no list if nobody knows."""
    if op.family == "elementwise":
        return [_broadcast_slice(shape, out, cut) for shape in shapes]
    if op is TRANSPOSE:
        return [cut.along(attrs["axes"][cut.axis])]
    if op in RESHAPES:
        found = reshape_slice(cut, out, shapes[0])
        return found and [found]
    if op is MATMUL:
        return _matmul_slices(shapes, out, cut)
    if op in ROWWISE:
        return [cut, *(None for _ in shapes[1:])] if cut.axis < min(axes_tuple(attrs["axis"])) else None
    return [_slice_before_reduction(attrs, shapes[0], cut)] if op in REDUCTIONS else None


def _broadcast_slice(shape: Shape, out: Shape, cut: AxisSlice) -> AxisSlice | None:
    axis = cut.axis - (len(out) - len(shape))
    return cut.along(axis) if axis >= 0 and shape[axis] > 1 else None


def _matmul_slices(shapes: Sequence[Shape], out: Shape, cut: AxisSlice) -> list[AxisSlice | None] | None:
    if min(map(len, shapes)) < 2:
        return None
    behind = len(out) - cut.axis
    if behind > 2:
        return [_broadcast_slice(shape, out, cut) for shape in shapes]
    cuts: list[AxisSlice | None] = [None, None]
    cuts[2 - behind] = cut.along(len(shapes[2 - behind]) - behind)
    return cuts


def axes_tuple(axis: int | Sequence[int]) -> tuple[int, ...]:
    """One axis or several as a tuple."""
    return (axis,) if isinstance(axis, int) else tuple(axis)


def _slice_before_reduction(attrs: Attrs, shape: Shape, cut: AxisSlice) -> AxisSlice:
    gone = () if attrs["keepdims"] else axes_tuple(attrs["axis"])
    left = [axis for axis in range(len(shape)) if axis not in gone]
    return cut.along(left[cut.axis])
