"""Scattering: new tensors with elements or slices replaced or accumulated at given indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.operators import Operand
from minigraph.core.types import Shape
from minigraph.operators import compare, create, elementwise, indexing, reduce, views
from minigraph.operators.families import axis_of, check_tensors
from minigraph.ops.functional.creation import arange, ones_like
from minigraph.ops.functional.diagonals import diag_embed
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import _grids, _keyed, _places, _slices, gather_nd, where
from minigraph.ops.functional.joining import EVERY
from minigraph.ops.functional.shapes import reshape

__all__ = [
    "diagonal_scatter", "index_add", "index_fill", "inplace_add", "inplace_sub", "inplace_update", "scatter",
    "scatter_nd", "select_scatter", "slice_scatter", "tensor_scatter_add", "tensor_scatter_div",
    "tensor_scatter_elements", "tensor_scatter_max", "tensor_scatter_min", "tensor_scatter_mul", "tensor_scatter_sub",
    "tensor_scatter_update", "unsorted_segment_max", "unsorted_segment_min", "unsorted_segment_prod",
    "unsorted_segment_sum",
]  # fmt: skip


# ---- one index per element -------------------------------------------------------------------------


def scatter(input: Any, axis: int, index: Any, src: Any) -> Any:
    """``input`` with the elements that ``index`` names along an axis replaced by those of ``src``."""
    return tensor_scatter_elements(input, index, src, axis)


def tensor_scatter_elements(input_x: Any, indices: Any, updates: Any, axis: int = 0, reduction: str = "none") -> Any:
    """The same; with ``reduction`` "add" the elements are added to.

    >>> from minigraph import Tensor
    >>> print(tensor_scatter_elements(Tensor([1.0, 2.0, 3.0]), Tensor([0, 0]), Tensor([5.0, 6.0]), 0, "add"))
    [12.  2.  3.]
    """
    if reduction not in ("none", "add"):
        raise UsageError(f"tensor_scatter_elements: reduction is 'none' or 'add', got {reduction!r}")
    at = axis_of("tensor_scatter_elements", axis, input_x.ndim)
    grids, key = _grids("tensor_scatter_elements", indices, input_x.ndim, at), _keyed(input_x.ndim)
    values = updates if hasattr(updates, "ndim") else apply(
        create.FULL, shape=indices.shape, value=updates, dtype=input_x.dtype
    )  # fmt: skip
    if reduction == "add":
        return input_x + apply(indexing.INDEX_ADD, values, *grids, key=key, shape=input_x.shape)
    return apply("set_item", input_x, values, *grids, key=key)


# ---- indices of several axes -----------------------------------------------------------------------


def scatter_nd(indices: Any, updates: Any, shape: Shape) -> Any:
    """Zeros of ``shape`` with ``updates`` added at the places that the last axis of ``indices`` names.

    >>> from minigraph import Tensor
    >>> print(scatter_nd(Tensor([[0], [2], [0]]), Tensor([1.0, 2.0, 3.0]), (4,)))
    [4. 0. 2. 0.]
    """
    columns, key = _places(indices)
    return apply(indexing.INDEX_ADD, updates, *columns, key=(*key, ...), shape=tuple(shape))


def tensor_scatter_update(input_x: Any, indices: Any, updates: Any) -> Any:
    """``input_x`` with the places that the last axis of ``indices`` names replaced; the last of several counts."""
    columns, key = _places(indices)
    return apply("set_item", input_x, updates, *columns, key=(*key, ...))


def tensor_scatter_add(input_x: Any, indices: Any, updates: Any) -> Any:
    """``input_x`` with ``updates`` added at the places that the last axis of ``indices`` names."""
    return input_x + scatter_nd(indices, updates, input_x.shape)


def tensor_scatter_sub(input_x: Any, indices: Any, updates: Any) -> Any:
    """``input_x`` with ``updates`` taken away at the places that the last axis of ``indices`` names."""
    return input_x - scatter_nd(indices, updates, input_x.shape)


def tensor_scatter_mul(input_x: Any, indices: Any, updates: Any) -> Any:
    """``input_x`` multiplied by ``updates`` at the places that the last axis of ``indices`` names."""
    return _one_by_one(elementwise.MUL, input_x, indices, updates)


def tensor_scatter_div(input_x: Any, indices: Any, updates: Any) -> Any:
    """``input_x`` divided by ``updates`` at the places that the last axis of ``indices`` names."""
    return _one_by_one(elementwise.DIV, input_x, indices, updates)


def tensor_scatter_max(input_x: Any, indices: Any, updates: Any) -> Any:
    """The larger of ``input_x`` and ``updates`` at the places that the last axis of ``indices`` names."""
    return _one_by_one(elementwise.MAXIMUM, input_x, indices, updates)


def tensor_scatter_min(input_x: Any, indices: Any, updates: Any) -> Any:
    """The smaller of ``input_x`` and ``updates`` at the places that the last axis of ``indices`` names."""
    return _one_by_one(elementwise.MINIMUM, input_x, indices, updates)


def _one_by_one(op: Any, input_x: Any, indices: Any, updates: Any) -> Any:
    """One update after the other, because a place may be named twice."""
    places = apply(views.RESHAPE, indices, shape=(-1, indices.shape[-1]))
    values = apply(views.RESHAPE, updates, shape=(places.shape[0], *updates.shape[indices.ndim - 1 :]))
    for i in range(places.shape[0]):
        place = apply(indexing.INDEX, places, key=((i, i + 1, None),))
        new = apply(op, gather_nd(input_x, place), apply(indexing.INDEX, values, key=((i, i + 1, None), ...)))
        input_x = tensor_scatter_update(input_x, place, new)
    return input_x


# ---- slices ----------------------------------------------------------------------------------------


def index_fill(x: Any, axis: int, index: Any, value: Any) -> Any:
    """The slices along an axis at the given positions filled with one number."""
    return apply("set_item", x, value, index, key=_slices(x.ndim, axis))


def index_add(
    x: Any, indices: Any, y: Any, axis: int, use_lock: bool = True, check_index_bound: bool = True
) -> Any:  # fmt: skip
    """``x`` with the slices of ``y`` added to those along an axis at the given positions."""
    y = apply(elementwise.CAST, y, dtype=x.dtype)
    return x + apply(indexing.INDEX_ADD, y, indices, key=_slices(x.ndim, axis), shape=x.shape)


def _rows(indices: Any) -> Any:
    found = indices if isinstance(indices, Tensor) else Tensor(indices)
    return reshape(found, (-1, 1))


def inplace_update(x: Any, v: Any, indices: Any) -> Any:
    """A tensor with the slices at ``indices`` (a number or several) of axis 0 replaced by those of ``v``.

    >>> print(inplace_update(Tensor([1.0, 2.0, 3.0]), Tensor([9.0]), 1))
    [1. 9. 3.]
    """
    return tensor_scatter_update(x, _rows(indices), v)


def inplace_add(x: Any, v: Any, indices: Any) -> Any:
    """A tensor with ``v`` added to the slices at ``indices`` (a number or several) of axis 0."""
    return tensor_scatter_add(x, _rows(indices), v)


def inplace_sub(x: Any, v: Any, indices: Any) -> Any:
    """A tensor with ``v`` subtracted from the slices at ``indices`` (a number or several) of axis 0."""
    return tensor_scatter_sub(x, _rows(indices), v)


def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The elements on a diagonal of two axes replaced by those of ``src``."""
    check_tensors("diagonal_scatter", src)
    on, new = (_cut_to(diag_embed(one, offset, dim1, dim2), input) for one in (ones_like(src), src))
    return where(on != 0, new, input)


def _cut_to(square: Any, x: Any) -> Any:
    """A tensor cut to the shape of another, after zeros were put behind it where it is the smaller one."""
    widths = tuple((0, max(size - own, 0)) for own, size in zip(square.shape, x.shape, strict=True))
    return apply("pad", cast(square, x.dtype), widths=widths)[tuple(slice(size) for size in x.shape)]


def select_scatter(input: Any, src: Any, axis: int, index: int) -> Any:
    """One slice of an axis replaced.

    >>> print(select_scatter(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([8.0, 9.0]), 0, 1))
    [[1. 2.]
     [8. 9.]]
    """
    before = (EVERY,) * axis_of("select_scatter", axis, input.ndim)
    return apply("set_item", input, src, key=(*before, index, ...))


def slice_scatter(input: Any, src: Any, axis: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    """The slices of an axis from ``start`` to ``end`` replaced."""
    return apply("set_item", input, src, key=(*(EVERY,) * (axis % input.ndim), (start, end, step), ...))


# ---- segments --------------------------------------------------------------------------------------


def unsorted_segment_sum(input_x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The sums of the slices of each group; ``segment_ids`` names the group of each."""
    rest = input_x.shape[segment_ids.ndim :]
    return apply(indexing.INDEX_ADD, input_x, segment_ids, key=(Operand(1), ...), shape=(num_segments, *rest))


def unsorted_segment_prod(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The products of the slices of each group, 1 for a group of none."""
    found = apply(reduce.PROD, _members(x, segment_ids, num_segments, 1), axis=1)
    return found if found.dtype is x.dtype else apply(elementwise.CAST, found, dtype=x.dtype)


def unsorted_segment_max(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The largest elements of the slices of each group, the least number of the dtype for a group of none."""
    return apply(reduce.MAX, _members(x, segment_ids, num_segments, lowest(x)), axis=1)


def unsorted_segment_min(x: Any, segment_ids: Any, num_segments: int) -> Any:
    """The smallest elements of the slices of each group, the greatest number of the dtype for a group of none."""
    return apply(reduce.MIN, _members(x, segment_ids, num_segments, highest(x)), axis=1)


def _members(x: Any, segment_ids: Any, count: int, rest: Any) -> Any:
    """[group, slice, ...]: the slices of a group, ``rest`` in place of those of others."""
    rows = apply(views.RESHAPE, x, shape=(1, -1, *x.shape[segment_ids.ndim :]))
    groups = apply(views.RESHAPE, arange(count), shape=(-1, 1))
    mine = groups == apply(views.RESHAPE, segment_ids, shape=(1, -1))
    spread = apply(views.RESHAPE, mine, shape=(*mine.shape, *(1,) * (rows.ndim - 2)))
    return apply(compare.WHERE, spread, rows, rest)


def lowest(x: Any) -> Any:
    """The least number that a dtype can hold."""
    numpy = x.dtype.numpy
    return float(np.finfo(numpy).min) if x.dtype.is_float else int(np.iinfo(numpy).min)


def highest(x: Any) -> Any:
    """The greatest number that a dtype can hold."""
    numpy = x.dtype.numpy
    return float(np.finfo(numpy).max) if x.dtype.is_float else int(np.iinfo(numpy).max)
