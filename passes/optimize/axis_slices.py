"""Strided slices along one axis, and the operand slices from which an operator computes a slice of its result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from minigraph.core.op import Attrs, Op
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape
from minigraph.operators.activation import LOG_SOFTMAX, SOFTMAX
from minigraph.operators.linalg import MATMUL
from minigraph.operators.norms import LAYER_NORM, NORMALIZE
from minigraph.operators.reduce import MAX, MEAN, MIN, SUM
from minigraph.operators.views import EXPAND_DIMS, FLATTEN, RESHAPE, SQUEEZE, TRANSPOSE

RESHAPES = (RESHAPE, FLATTEN, EXPAND_DIMS, SQUEEZE)
ROWWISE = (SOFTMAX, LOG_SOFTMAX, NORMALIZE, LAYER_NORM)  # along an axis and the axes after it
REDUCTIONS = (SUM, MEAN, MAX, MIN)


class AxisSlice(NamedTuple):
    """Every ``step``-th element from ``start`` to ``stop`` of one axis."""

    axis: int
    start: int
    stop: int
    step: int = 1

    @property
    def length(self) -> int:
        """The number of selected elements."""
        return len(range(self.start, self.stop, self.step))

    def on_axis(self, axis: int) -> AxisSlice:
        """The same slice of another axis."""
        return self._replace(axis=axis)

    def key(self, shape: Shape) -> tuple[tuple[int, int, int], ...]:
        """The key of ``index`` that takes it and keeps every axis."""
        return tuple((self.start, self.stop, self.step) if k == self.axis else (0, n, 1) for k, n in enumerate(shape))

    def shape_of(self, shape: Shape) -> Shape:
        """The shape of this slice of a shape.

        >>> AxisSlice(1, 0, 1).shape_of((2, 3))
        (2, 1)
        """
        return *shape[: self.axis], self.length, *shape[self.axis + 1 :]


def slice_of_key(key: Sequence[Any], shape: Shape) -> AxisSlice | None:
    """The slice that a key of ``index`` takes, a number being a slice of one element; ``None`` for no or several axes.

    >>> slice_of_key(((0, 2, 1), 1), (2, 3)), slice_of_key((0, 1), (2, 3))
    (AxisSlice(axis=1, start=1, stop=2, step=1), None)
    """
    if len(key) != len(shape) or not all(isinstance(item, int) or _is_slice(item) for item in key):
        return None
    all_slices = [AxisSlice(k, *((item, item + 1) if isinstance(item, int) else item)) for k, item in enumerate(key)]
    narrow_slices = [
        axis_slice
        for axis_slice, n in zip(all_slices, shape, strict=True)
        if axis_slice[1:] != (0, n, 1) or isinstance(key[axis_slice.axis], int)
    ]
    if len(narrow_slices) != 1 or narrow_slices[0].step <= 0 or narrow_slices[0].start < 0:
        return None
    return narrow_slices[0] if 0 < narrow_slices[0].length < shape[narrow_slices[0].axis] else None


def are_disjoint(slices: Sequence[AxisSlice]) -> bool:
    """Whether slices are contiguous slices of one axis of which no two share an element.

    >>> are_disjoint([AxisSlice(0, 0, 2), AxisSlice(0, 2, 3)]), are_disjoint([AxisSlice(0, 0, 2), AxisSlice(0, 1, 3)])
    (True, False)
    """
    overlap = any(first.stop > second.start for first, second in pairwise(sorted(slices)))
    axes, steps = {axis_slice.axis for axis_slice in slices}, {axis_slice.step for axis_slice in slices}
    return not overlap and len(axes) == 1 and steps == {1}


def _is_slice(item: Tensor) -> bool:
    return isinstance(item, tuple) and len(item) == 3 and all(isinstance(n, int) for n in item)


def reshape_slice(axis_slice: AxisSlice, old: Shape, new: Shape) -> AxisSlice | None:
    """The slice of the same elements after a reshape, or ``None`` if they are not a slice.

    A contiguous slice may have its axis merged with the axes after it, a slice of one element with those before it.

    >>> reshape_slice(AxisSlice(1, 0, 1), (32, 65, 256), (2080, 256))
    AxisSlice(axis=0, start=0, stop=2080, step=65)
    >>> reshape_slice(AxisSlice(0, 0, 2080, 65), (2080, 256), (32, 65, 256))
    AxisSlice(axis=1, start=0, stop=1, step=1)
    """
    size, inner = old[axis_slice.axis], math.prod(old[axis_slice.axis + 1 :])
    for axis, n in enumerate(new):
        after = math.prod(new[axis + 1 :])
        if axis_slice.step == 1 and 0 < after < inner and inner % after == 0 and n * after == size * inner:
            return AxisSlice(axis, axis_slice.start * inner // after, axis_slice.stop * inner // after)
        if n == 1 or after != inner:
            continue
        if n == size:
            return axis_slice.on_axis(axis)
        if axis_slice.length == 1 and n % size == 0:
            return AxisSlice(axis, axis_slice.start, n, size)
        if n == axis_slice.step and axis_slice.start < n and axis_slice.stop == size and size % n == 0:
            return AxisSlice(axis, axis_slice.start, axis_slice.start + 1)
    return None


Slices = list[AxisSlice | None]  # by operand; ``None``: all of it


def operand_slices(op: Op, attrs: Attrs, shapes: Sequence[Shape], out: Shape, axis_slice: AxisSlice) -> Slices | None:
    """The operand slices from which a slice of the result is computed; ``None`` for operators not handled."""
    if op.family == "elementwise":
        return [_broadcast_slice(shape, out, axis_slice) for shape in shapes]
    if op is TRANSPOSE:
        return [axis_slice.on_axis(attrs["axes"][axis_slice.axis])]
    if op in RESHAPES:
        source = reshape_slice(axis_slice, out, shapes[0])
        return source and [source]
    if op is MATMUL:
        return _matmul_slices(shapes, out, axis_slice)
    if op in ROWWISE:
        return [axis_slice, *(None for _ in shapes[1:])] if axis_slice.axis < min(axes_tuple(attrs["axis"])) else None
    return [_slice_before_reduction(attrs, shapes[0], axis_slice)] if op in REDUCTIONS else None


def _broadcast_slice(shape: Shape, out: Shape, axis_slice: AxisSlice) -> AxisSlice | None:
    axis = axis_slice.axis - (len(out) - len(shape))
    return axis_slice.on_axis(axis) if axis >= 0 and shape[axis] > 1 else None


def _matmul_slices(shapes: Sequence[Shape], out: Shape, axis_slice: AxisSlice) -> Slices | None:
    if min(map(len, shapes)) < 2:
        return None
    from_end = len(out) - axis_slice.axis
    if from_end > 2:
        return [_broadcast_slice(shape, out, axis_slice) for shape in shapes]
    slices: Slices = [None, None]
    slices[2 - from_end] = axis_slice.on_axis(len(shapes[2 - from_end]) - from_end)
    return slices


def axes_tuple(axis: int | Sequence[int]) -> tuple[int, ...]:
    """One axis or several as a tuple."""
    return (axis,) if isinstance(axis, int) else tuple(axis)


def _slice_before_reduction(attrs: Attrs, shape: Shape, axis_slice: AxisSlice) -> AxisSlice:
    reduced = () if attrs["keepdims"] else axes_tuple(attrs["axis"])
    kept_axes = [axis for axis in range(len(shape)) if axis not in reduced]
    return axis_slice.on_axis(kept_axes[axis_slice.axis])
