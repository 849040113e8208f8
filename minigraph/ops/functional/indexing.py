"""Indexing: selecting elements and slices by conditions, ranges and index tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import DTypeError, ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor.operators import Operand
from minigraph.operators import compare, elementwise, indexing, views
from minigraph.operators.families import axis_of
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.joining import EVERY, along
from minigraph.ops.functional.shapes import reshape, transpose

__all__ = [
    "gather", "gather_d", "gather_elements", "gather_nd", "index_select", "masked_fill", "masked_select", "narrow",
    "select", "slice", "strided_slice", "take", "where",
]  # fmt: skip


# ---- conditions ------------------------------------------------------------------------------------


def where(condition: Any, input: Any, other: Any) -> Any:
    """``input`` where the condition holds, else ``other``."""
    return apply(compare.WHERE, condition, input, other)


select = where


def masked_fill(input_x: Any, mask: Any, value: Any) -> Any:
    """``value`` where the mask holds, else ``input_x``, whose dtype the result has.

    Raises ``TypeError`` for a value that is a float where the tensor is none.
    """
    if isinstance(value, float) and not input_x.dtype.is_float:
        raise DTypeError(f"masked_fill: {value} into {input_x.type}; cast the tensor to a float first")
    found = apply(compare.WHERE, mask, value, input_x)
    return found if found.dtype is input_x.dtype else cast(found, input_x.dtype)


def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask holds, in one row; how many needs to be known: outside of ``@jit``."""
    shape = np.broadcast_shapes(input.shape, mask.shape)
    wide, chosen = (x if x.shape == shape else apply(views.BROADCAST_TO, x, shape=shape) for x in (input, mask))
    return wide[chosen]


# ---- ranges ----------------------------------------------------------------------------------------


def narrow(input: Any, axis: int, start: int, length: int) -> Any:
    """``length`` slices along an axis from ``start``; raises ``UsageError`` when there are not as many."""
    at = axis_of("narrow", axis, input.ndim)
    if not 0 <= start <= start + length <= input.shape[at]:
        raise UsageError(f"narrow: {length} slices from {start} are not in axis {at} of {input.type}")
    return along(input, at, (start, start + length, None))


def slice(input_x: Any, begin: Sequence[int], size: Sequence[int]) -> Any:
    """The block that begins at ``begin``; a size of -1 reaches to the end."""
    pairs = zip(begin, size, strict=True)
    return apply(indexing.INDEX, input_x, key=tuple((at, None if n == -1 else at + n, None) for at, n in pairs))


def strided_slice(
    input_x: Any,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """The elements from ``begin`` to ``end`` by ``strides``; bit i of a mask changes what entry i means.

    ``begin_mask`` and ``end_mask`` leave that end open, ``ellipsis_mask`` stands for all axes in between,
    ``new_axis_mask`` for a new axis, ``shrink_axis_mask`` for the one element at ``begin``.
    """
    steps = strides or (1,) * len(begin)
    masks = (ellipsis_mask, new_axis_mask, shrink_axis_mask, begin_mask, end_mask)
    key = tuple(
        _step(*entry, *(bool(mask >> i & 1) for mask in masks))
        for i, entry in enumerate(zip(begin, end, steps, strict=True))
    )
    return apply(indexing.INDEX, input_x, key=key)


def _step(start: int, stop: int, step: int, rest: bool, new: bool, one: bool, open_: bool, endless: bool) -> Any:
    if rest or new or one:
        return ... if rest else None if new else start
    return (None if open_ else start, None if endless else stop, step)


# ---- indices along one axis ------------------------------------------------------------------------


def gather(input_params: Any, input_indices: Any, axis: int, batch_dims: int = 0) -> Any:
    """The slices of ``input_params`` at the given positions along an axis.

    The first ``batch_dims`` axes of both are cases: each has positions of its own.

    >>> print(gather(Tensor([[1, 2], [3, 4]]), Tensor([[1], [0]]), 1, batch_dims=1))
    [[2]
     [3]]
    """
    at = axis_of("gather", axis, input_params.ndim)
    before = (EVERY,) * at
    if not batch_dims:
        return apply(indexing.INDEX, input_params, input_indices, key=(*before, Operand(1), ...))
    if not 0 < batch_dims <= at or input_params.shape[:batch_dims] != input_indices.shape[:batch_dims]:
        told = f"in {input_params.type} and {input_indices.type} along axis {axis}"
        raise ShapeError(f"gather: the first {batch_dims} axes must be the same in both, and before the axis, {told}")
    return _gather_cases(input_params, input_indices, at, batch_dims)


def _gather_cases(x: Any, indices: Any, at: int, cases: int) -> Any:
    """The axis brought behind those of the cases, all slices in one row, positions counted through, and back."""
    others = [axis for axis in range(cases, x.ndim) if axis != at]
    rows = reshape(transpose(x, (*range(cases), at, *others)), (-1, *(x.shape[axis] for axis in others)))
    count, size = math.prod(x.shape[:cases]), x.shape[at]
    starts = reshape(arange(count), (*x.shape[:cases], *(1,) * (indices.ndim - cases)))
    inside = apply(elementwise.FLOOR_MOD, indices, size) + starts * size
    found = gather(rows, inside, 0)
    first, own = at - cases, range(cases, indices.ndim)
    behind = range(indices.ndim, found.ndim)
    return transpose(found, (*range(cases), *behind[:first], *own, *behind[first:]))


def take(input: Any, index: Any) -> Any:
    """The elements of the flattened tensor at the given positions."""
    return apply(indexing.INDEX, reshape(input, (-1,)), index, key=((1,),))


def _slices(rank: int, axis: int) -> tuple[Any, ...]:
    return (*(EVERY,) * axis_of("index", axis, rank), Operand(1), ...)


def index_select(input: Any, axis: int, index: Any) -> Any:
    """The slices along an axis at the given positions."""
    return apply(indexing.INDEX, input, index, key=_slices(input.ndim, axis))


def _grids(name: str, index: Any, rank: int, axis: int) -> list[Any]:
    """Positions of every element on every axis: its own place, but on ``axis`` what ``index`` says."""
    if index.ndim != rank:
        raise ShapeError(f"{name}: the index is {index.type}, but a tensor of rank {rank} is wanted")
    spread = [(1,) * i + (size,) + (1,) * (rank - i - 1) for i, size in enumerate(index.shape)]
    own = [apply(views.RESHAPE, arange(size), shape=shape) for size, shape in zip(index.shape, spread, strict=True)]
    return [*own[:axis], index, *own[axis + 1 :]]


def _keyed(rank: int) -> tuple[Operand, ...]:
    return tuple(Operand(i + 1) for i in range(rank))


def gather_elements(input: Any, dim: int, index: Any) -> Any:
    """The element of every place along ``dim`` that ``index`` names; the result has the shape of ``index``.

    >>> from minigraph import Tensor
    >>> print(gather_elements(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
    [[1 1]
     [4 3]]
    """
    axis = axis_of("gather_elements", dim, input.ndim)
    grids = _grids("gather_elements", index, input.ndim, axis)
    return apply(indexing.INDEX, input, *grids, key=_keyed(input.ndim))


def gather_d(x: Any, dim: int, index: Any) -> Any:
    """The same as ``gather_elements``."""
    return gather_elements(x, dim, index)


# ---- indices of several axes -----------------------------------------------------------------------


def _places(indices: Any) -> tuple[list[Any], tuple[Operand, ...]]:
    """The columns of [..., n] as n tensors of positions, and the key they stand in."""
    count = indices.shape[-1]
    columns = [apply(indexing.INDEX, indices, key=(..., i)) for i in range(count)]
    return columns, _keyed(count)


def gather_nd(input_x: Any, indices: Any) -> Any:
    """The elements, or slices, at the places that the last axis of ``indices`` names.

    >>> from minigraph import Tensor
    >>> print(gather_nd(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 0]])))
    [2 3]
    """
    columns, key = _places(indices)
    return apply(indexing.INDEX, input_x, *columns, key=(*key, ...))
