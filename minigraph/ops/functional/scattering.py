"""Scatter: new tensors with elements or slices replaced, or accumulated, at given indices."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import IntOrTuple, TensorLike
from minigraph.core.errors import UsageError
from minigraph.core.float_limits import float_limits
from minigraph.core.op import Op, apply
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.operator_methods import Operand
from minigraph.core.types import Shape
from minigraph.operators import comparison, creation, elementwise, indexing, reduce, views
from minigraph.operators.families import check_tensors, normalize_axis
from minigraph.ops.functional.creation import arange, ones_like
from minigraph.ops.functional.diagonals import diag_embed
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import (
    axis_key,
    coordinate_columns,
    coordinate_grids,
    gather_nd,
    operand_key,
    where,
)
from minigraph.ops.functional.joining import FULL_SLICE
from minigraph.ops.functional.shapes import reshape

FORMS = """
method: diagonal_scatter index_fill:IndexFill inplace_update scatter select_scatter slice_scatter
    unsorted_segment_max:UnsortedSegmentMax unsorted_segment_min:UnsortedSegmentMin
    unsorted_segment_prod:UnsortedSegmentProd unsorted_segment_sum:UnsortedSegmentSum
function: index_add inplace_add inplace_sub scatter_nd sparse_segment_mean tensor_scatter_add:TensorScatterAdd
    tensor_scatter_div:TensorScatterDiv tensor_scatter_elements tensor_scatter_max:TensorScatterMax
    tensor_scatter_min:TensorScatterMin tensor_scatter_mul:TensorScatterMul tensor_scatter_sub:TensorScatterSub
    tensor_scatter_update:TensorScatterUpdate
"""
export(globals())


# ---- one index per element -------------------------------------------------------------------------


def scatter(input: Tensor, axis: int, index: Tensor, src: Tensor) -> Tensor:
    """``input`` with the elements that ``index`` selects along an axis replaced by ``src``."""
    return tensor_scatter_elements(input, index, src, axis)


def tensor_scatter_elements(
    input_x: Tensor, indices: Tensor, updates: TensorLike, axis: int = 0, reduction: str = "none"
) -> Tensor:
    """``scatter``; ``reduction`` "add" accumulates into the elements instead of replacing them.

    >>> from minigraph import Tensor
    >>> print(tensor_scatter_elements(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0]), Tensor([5.0, 6.0]), 0, "add"))
    [12.  2.  3.]
    """
    if reduction not in ("none", "add"):
        raise UsageError(f"tensor_scatter_elements: reduction is 'none' or 'add', got {reduction!r}")
    axis = normalize_axis("tensor_scatter_elements", axis, input_x.ndim)
    grids, key = coordinate_grids("tensor_scatter_elements", indices, input_x.ndim, axis), operand_key(input_x.ndim)
    values = updates if hasattr(updates, "ndim") else apply(
        creation.FULL, shape=indices.shape, value=updates, dtype=input_x.dtype
    )  # fmt: skip
    if reduction == "add":
        return input_x + apply(indexing.INDEX_ADD, values, *grids, key=key, shape=input_x.shape)
    return apply("set_item", input_x, values, *grids, key=key)


# ---- indices of several axes -----------------------------------------------------------------------


def scatter_nd(indices: Tensor, updates: Tensor, shape: Shape) -> Tensor:
    """Zeros of ``shape`` with ``updates`` accumulated at the coordinates in the last axis of ``indices``.

    >>> from minigraph import Tensor
    >>> print(scatter_nd(Tensor([[0], [2], [0]]), Tensor([1.0, 2.0, 3.0]), (4,)))
    [4. 0. 2. 0.]
    """
    columns, key = coordinate_columns(indices)
    return apply(indexing.INDEX_ADD, updates, *columns, key=(*key, ...), shape=tuple(shape))


def tensor_scatter_update(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` with the elements at the coordinates ``indices`` replaced; the last of several updates holds."""
    columns, key = coordinate_columns(indices)
    return apply("set_item", input_x, updates, *columns, key=(*key, ...))


def tensor_scatter_add(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` plus ``updates`` at the coordinates in the last axis of ``indices``."""
    return input_x + scatter_nd(indices, updates, input_x.shape)


def tensor_scatter_sub(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` minus ``updates`` at the coordinates in the last axis of ``indices``."""
    return input_x - scatter_nd(indices, updates, input_x.shape)


def tensor_scatter_mul(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` times ``updates`` at the coordinates in the last axis of ``indices``."""
    return _update_sequentially(elementwise.MUL, input_x, indices, updates)


def tensor_scatter_div(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """``input_x`` divided by ``updates`` at the coordinates in the last axis of ``indices``."""
    return _update_sequentially(elementwise.DIV, input_x, indices, updates)


def tensor_scatter_max(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The maximum of ``input_x`` and ``updates`` at the coordinates in the last axis of ``indices``."""
    return _update_sequentially(elementwise.MAXIMUM, input_x, indices, updates)


def tensor_scatter_min(input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """The minimum of ``input_x`` and ``updates`` at the coordinates in the last axis of ``indices``."""
    return _update_sequentially(elementwise.MINIMUM, input_x, indices, updates)


def _update_sequentially(op: Op, input_x: Tensor, indices: Tensor, updates: Tensor) -> Tensor:
    """Applies one update after the other, because coordinates may occur twice."""
    coordinates = apply(views.RESHAPE, indices, shape=(-1, indices.shape[-1]))
    values = apply(views.RESHAPE, updates, shape=(coordinates.shape[0], *updates.shape[indices.ndim - 1 :]))
    for i in range(coordinates.shape[0]):
        coordinate = apply(indexing.INDEX, coordinates, key=((i, i + 1, None),))
        new = apply(op, gather_nd(input_x, coordinate), apply(indexing.INDEX, values, key=((i, i + 1, None), ...)))
        input_x = tensor_scatter_update(input_x, coordinate, new)
    return input_x


# ---- slices ----------------------------------------------------------------------------------------


def index_fill(x: Tensor, axis: int, index: Tensor, value: TensorLike) -> Tensor:
    """The slices along an axis at the given indices filled with one number."""
    return apply("set_item", x, value, index, key=axis_key(x.ndim, axis))


def index_add(
    x: Tensor, indices: Tensor, y: TensorLike, axis: int, use_lock: bool = True, check_index_bound: bool = True
) -> Tensor:  # fmt: skip
    """``x`` with the slices of ``y`` added to the slices along an axis at the given indices."""
    y = apply(elementwise.CAST, y, dtype=x.dtype)
    return x + apply(indexing.INDEX_ADD, y, indices, key=axis_key(x.ndim, axis), shape=x.shape)


def _row_indices(indices: IntOrTuple | Tensor) -> Tensor:
    rows = indices if isinstance(indices, Tensor) else Tensor(indices)
    return reshape(rows, (-1, 1))


def inplace_update(x: Tensor, v: Tensor, indices: IntOrTuple | Tensor) -> Tensor:
    """``x`` with the slices at ``indices`` (one or several) of axis 0 replaced by the slices of ``v``.

    >>> print(inplace_update(Tensor([1.0, 2.0, 3.0]), Tensor([9.0]), 1))
    [1. 9. 3.]
    """
    return tensor_scatter_update(x, _row_indices(indices), v)


def inplace_add(x: Tensor, v: Tensor, indices: IntOrTuple | Tensor) -> Tensor:
    """``x`` with ``v`` added to the slices at ``indices`` (one or several) of axis 0."""
    return tensor_scatter_add(x, _row_indices(indices), v)


def inplace_sub(x: Tensor, v: Tensor, indices: IntOrTuple | Tensor) -> Tensor:
    """``x`` with ``v`` subtracted from the slices at ``indices`` (one or several) of axis 0."""
    return tensor_scatter_sub(x, _row_indices(indices), v)


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """``input`` with the elements on a diagonal of two axes replaced by ``src``."""
    check_tensors("diagonal_scatter", src)
    mask, new = (_fit_to_shape(diag_embed(values, offset, dim1, dim2), input) for values in (ones_like(src), src))
    return where(mask != 0, new, input)


def _fit_to_shape(tensor: Tensor, x: Tensor) -> Tensor:
    """A tensor cropped, or padded with zeros at the end, to the shape of another."""
    widths = tuple((0, max(size - length, 0)) for length, size in zip(tensor.shape, x.shape, strict=True))
    return apply("pad", cast(tensor, x.dtype), widths=widths)[tuple(slice(size) for size in x.shape)]


def select_scatter(input: Tensor, src: Tensor, axis: int, index: int) -> Tensor:
    """``input`` with one slice along an axis replaced by ``src``.

    >>> print(select_scatter(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([8.0, 9.0]), 0, 1))
    [[1. 2.]
     [8. 9.]]
    """
    before = (FULL_SLICE,) * normalize_axis("select_scatter", axis, input.ndim)
    return apply("set_item", input, src, key=(*before, index, ...))


def slice_scatter(
    input: Tensor, src: Tensor, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """``input`` with the slices along an axis from ``start`` to ``end`` replaced by ``src``."""
    return apply("set_item", input, src, key=(*(FULL_SLICE,) * (axis % input.ndim), (start, end, step), ...))


# ---- segments --------------------------------------------------------------------------------------


def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The sum of the slices of each segment; ``segment_ids`` assigns slices to segments."""
    trailing = input_x.shape[segment_ids.ndim :]
    return apply(indexing.INDEX_ADD, input_x, segment_ids, key=(Operand(1), ...), shape=(num_segments, *trailing))


def unsorted_segment_prod(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The product of the slices of each segment, 1 for an empty one."""
    product = apply(reduce.PROD, _slices_by_segment(x, segment_ids, num_segments, 1), axis=1)
    return product if product.dtype is x.dtype else apply(elementwise.CAST, product, dtype=x.dtype)


def unsorted_segment_max(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The maximum of the slices of each segment, the least value of the dtype for an empty one."""
    return apply(reduce.MAX, _slices_by_segment(x, segment_ids, num_segments, least_finite(x)), axis=1)


def unsorted_segment_min(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """The minimum of the slices of each segment, the greatest value of the dtype for an empty one."""
    return apply(reduce.MIN, _slices_by_segment(x, segment_ids, num_segments, greatest_finite(x)), axis=1)


def _slices_by_segment(x: Tensor, segment_ids: Tensor, count: int, fill: float) -> Tensor:
    """[segment, slice, ...]: the slices of each segment, ``fill`` in place of all others."""
    rows = apply(views.RESHAPE, x, shape=(1, -1, *x.shape[segment_ids.ndim :]))
    groups = apply(views.RESHAPE, arange(count), shape=(-1, 1))
    mask = groups == apply(views.RESHAPE, segment_ids, shape=(1, -1))
    masks = apply(views.RESHAPE, mask, shape=(*mask.shape, *(1,) * (rows.ndim - 2)))
    return apply(comparison.WHERE, masks, rows, fill)


def least_finite(x: Tensor) -> float:
    """The least finite value of a dtype."""
    numpy = x.dtype.numpy
    return -float_limits(numpy).max if x.dtype.is_float else int(np.iinfo(numpy).min)


def greatest_finite(x: Tensor) -> float:
    """The greatest finite value of a dtype."""
    numpy = x.dtype.numpy
    return float_limits(numpy).max if x.dtype.is_float else int(np.iinfo(numpy).max)


def sparse_segment_mean(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
    """The means of the rows of x at ``indices`` that have the same segment; ids are sorted, of a missing one it is 0.

    >>> print(sparse_segment_mean(Tensor([[1.0], [2.0], [4.0]]), Tensor([0, 2, 1]), Tensor([0, 0, 1])))
    [[2.5]
     [2. ]]
    """
    count = int(segment_ids.asnumpy()[-1]) + 1
    sums = unsorted_segment_sum(x[indices], segment_ids, count)
    sizes = unsorted_segment_sum(ones_like(cast(segment_ids, x.dtype)), segment_ids, count)
    return sums / apply(elementwise.MAXIMUM, sizes, 1).reshape(-1, *(1,) * (x.ndim - 1))
