"""Indexing: selecting elements and slices by conditions, ranges and index tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import AttrValue, TensorLike
from minigraph.core.errors import DTypeError, ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.operator_methods import Operand
from minigraph.operators import comparison, elementwise, indexing, views
from minigraph.operators.families import normalize_axis
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.joining import FULL_SLICE, index_axis
from minigraph.ops.functional.shapes import reshape, transpose

FORMS = """
method mint: masked_select:MaskedSelect
method: gather_elements gather_nd:GatherNd index_select masked_fill:MaskedFill narrow
mint: take where
function: gather:GatherV2 gather_d:GatherD select slice:Slice strided_slice tensor_slice
"""
export(globals())


# ---- conditions ------------------------------------------------------------------------------------


def where(condition: Tensor, input: TensorLike, other: TensorLike) -> Tensor:
    """``input`` where the condition holds, else ``other``."""
    return apply(comparison.WHERE, condition, input, other)


select = where


def masked_fill(input_x: Tensor, mask: Tensor, value: TensorLike) -> Tensor:
    """``value`` where the mask is True, else ``input_x``; the result has the dtype of ``input_x``.

    Raises ``TypeError`` for a float value and a tensor that is not float.
    """
    if isinstance(value, float) and not input_x.dtype.is_float:
        raise DTypeError(f"masked_fill: {value} into {input_x.type}; cast the tensor to a float first")
    filled = apply(comparison.WHERE, mask, value, input_x)
    return filled if filled.dtype is input_x.dtype else cast(filled, input_x.dtype)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask is True, as a vector; its size depends on values, so only outside of ``@jit``."""
    shape = np.broadcast_shapes(input.shape, mask.shape)
    values, selected = (x if x.shape == shape else apply(views.BROADCAST_TO, x, shape=shape) for x in (input, mask))
    return values[selected]


# ---- ranges ----------------------------------------------------------------------------------------


def narrow(input: Tensor, axis: int, start: int, length: int) -> Tensor:
    """``length`` slices along an axis from ``start``; raises ``UsageError`` if they exceed the axis."""
    axis = normalize_axis("narrow", axis, input.ndim)
    if not 0 <= start <= start + length <= input.shape[axis]:
        raise UsageError(f"narrow: {length} slices from {start} exceed axis {axis} of {input.type}")
    return index_axis(input, axis, (start, start + length, None))


def slice(input_x: Tensor, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """The block of size ``size`` that begins at ``begin``; a size of -1 extends to the end."""
    pairs = zip(begin, size, strict=True)
    return apply(indexing.INDEX, input_x, key=tuple((i, None if n == -1 else i + n, None) for i, n in pairs))


def strided_slice(
    input_x: Tensor,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """The elements from ``begin`` to ``end`` in steps of ``strides``; bit i of a mask modifies entry i.

    ``begin_mask`` and ``end_mask`` drop that bound; ``ellipsis_mask`` makes the entry an ellipsis, ``new_axis_mask`` a
    new axis, ``shrink_axis_mask`` the element at ``begin``.
    """
    steps = strides or (1,) * len(begin)
    masks = (ellipsis_mask, new_axis_mask, shrink_axis_mask, begin_mask, end_mask)
    key = tuple(
        _index_item(*entry, *(bool(mask >> i & 1) for mask in masks))
        for i, entry in enumerate(zip(begin, end, steps, strict=True))
    )
    return apply(indexing.INDEX, input_x, key=key)


def _index_item(start: int, stop: int, step: int, *masks: bool) -> AttrValue:
    """One entry of a strided slice in the form of a ``key`` of ``INDEX``."""
    ellipsis, new, shrink, no_start, no_stop = masks
    if ellipsis or new or shrink:
        return ... if ellipsis else None if new else start
    return (None if no_start else start, None if no_stop else stop, step)


# ---- indices along one axis ------------------------------------------------------------------------


def gather(input_params: Tensor, input_indices: Tensor, axis: int, batch_dims: int = 0) -> Tensor:
    """The slices of ``input_params`` at the given indices along an axis.

    The first ``batch_dims`` axes of both are batch axes: each batch element has indices of its own.

    >>> from minigraph import Tensor
    >>> print(gather(Tensor([[1, 2], [3, 4]]), Tensor([[1], [0]]), 1, batch_dims=1))
    [[2]
     [3]]
    """
    normal_axis = normalize_axis("gather", axis, input_params.ndim)
    if not batch_dims:
        key = (*(FULL_SLICE,) * normal_axis, Operand(1), ...)
        return apply(indexing.INDEX, input_params, input_indices, key=key)
    if not 0 < batch_dims <= normal_axis or input_params.shape[:batch_dims] != input_indices.shape[:batch_dims]:
        types = f"{input_params.type} and {input_indices.type}"
        rule = f"the first {batch_dims} axes of {types} must be equal, and axis {axis} must come after them"
        raise ShapeError(f"gather: {rule}; pass another batch_dims")
    return _gather_batches(input_params, input_indices, normal_axis, batch_dims)


def _gather_batches(x: Tensor, indices: Tensor, axis: int, batch_dims: int) -> Tensor:
    """Merges the batch axes and the gathered axis, gathers rows at offset indices, and restores the axes."""
    others = [other for other in range(batch_dims, x.ndim) if other != axis]
    rows = reshape(transpose(x, (*range(batch_dims), axis, *others)), (-1, *(x.shape[other] for other in others)))
    count, size = math.prod(x.shape[:batch_dims]), x.shape[axis]
    starts = reshape(arange(count), (*x.shape[:batch_dims], *(1,) * (indices.ndim - batch_dims)))
    row_indices = apply(elementwise.FLOOR_MOD, indices, size) + starts * size
    gathered = gather(rows, row_indices, 0)
    first, index_axes = axis - batch_dims, range(batch_dims, indices.ndim)
    trailing = range(indices.ndim, gathered.ndim)
    return transpose(gathered, (*range(batch_dims), *trailing[:first], *index_axes, *trailing[first:]))


def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements of the flattened tensor at the given indices."""
    return apply(indexing.INDEX, reshape(input, (-1,)), index, key=((1,),))


def axis_key(rank: int, axis: int) -> tuple[object, ...]:
    """The ``key`` that indexes one axis with one index tensor."""
    return (*(FULL_SLICE,) * normalize_axis("index", axis, rank), Operand(1), ...)


def index_select(input: Tensor, axis: int, index: Tensor) -> Tensor:
    """The slices along an axis at the given indices."""
    return apply(indexing.INDEX, input, index, key=axis_key(input.ndim, axis))


def coordinate_grids(name: str, index: Tensor, rank: int, axis: int) -> list[Tensor]:
    """The coordinates of every element of ``index`` on each axis, those on ``axis`` replaced by ``index`` itself."""
    if index.ndim != rank:
        raise ShapeError(f"{name}: expected an index of rank {rank}, got {index.type}")
    shapes = [(1,) * i + (size,) + (1,) * (rank - i - 1) for i, size in enumerate(index.shape)]
    ranges = [apply(views.RESHAPE, arange(size), shape=shape) for size, shape in zip(index.shape, shapes, strict=True)]
    return [*ranges[:axis], index, *ranges[axis + 1 :]]


def operand_key(rank: int) -> tuple[Operand, ...]:
    """The ``key`` that indexes each of ``rank`` axes with an index tensor of its own."""
    return tuple(Operand(i + 1) for i in range(rank))


def gather_elements(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """out[i][j] = input[i][index[i][j]] for ``dim`` 1 (numpy's ``take_along_axis``); the result has the shape of
    ``index``.

    >>> from minigraph import Tensor
    >>> print(gather_elements(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])))
    [[1 1]
     [4 3]]
    """
    axis = normalize_axis("gather_elements", dim, input.ndim)
    grids = coordinate_grids("gather_elements", index, input.ndim, axis)
    return apply(indexing.INDEX, input, *grids, key=operand_key(input.ndim))


def gather_d(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """The same as ``gather_elements``."""
    return gather_elements(x, dim, index)


# ---- indices of several axes -----------------------------------------------------------------------


def coordinate_columns(indices: Tensor) -> tuple[list[Tensor], tuple[Operand, ...]]:
    """The columns of indices [..., n] as n tensors, and the ``key`` that indexes n axes with them."""
    count = indices.shape[-1]
    columns = [apply(indexing.INDEX, indices, key=(..., i)) for i in range(count)]
    return columns, operand_key(count)


def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor:
    """The elements or slices at the coordinates in the last axis of ``indices``.

    >>> from minigraph import Tensor
    >>> print(gather_nd(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 0]])))
    [2 3]
    """
    columns, key = coordinate_columns(indices)
    return apply(indexing.INDEX, input_x, *columns, key=(*key, ...))


tensor_slice = slice  # MindSpore's name for an instance of the primitive ``Slice``
