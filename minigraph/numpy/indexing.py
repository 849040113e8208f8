"""Indexing and searching: elements selected by indices and by conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import ArgValueError, ShapeError, UsageError
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, int32
from minigraph.numpy.conversion import as_ints, as_tensor, normalize_axis
from minigraph.numpy.dtypes import result_type

__all__ = [
    "argwhere", "choose", "ravel_multi_index", "searchsorted", "select", "take", "take_along_axis", "unravel_index",
    "where",
]  # fmt: skip


# ---- indices ---------------------------------------------------------------------------------------


def take(a: ArrayLike, indices: ArrayLike, axis: int | None = None, mode: str = "clip") -> Tensor:
    """Elements at indices along an axis (``None``: of the flattened tensor).

    >>> print(take([5, 6, 7], [0, 9, -1]), take([5, 6, 7], [0, 9, -1], mode="wrap"))
    [5 7 5] [5 5 7]
    """
    a, indices = as_tensor(a), as_tensor(indices)
    a, axis = (ops.ravel(a), 0) if axis is None else (a, normalize_axis(axis, a.ndim))
    return ops.gather(a, _valid_indices(indices, a.shape[axis], mode), axis)


def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: int | None) -> Tensor:
    """Elements at indices along an axis, with indices of their own in each row (``None``: of the flattened tensor)."""
    arr, indices = as_tensor(arr), as_tensor(indices)
    if axis is None:
        return ops.gather_elements(ops.ravel(arr), 0, ops.ravel(indices))
    axis = normalize_axis(axis, arr.ndim)
    shape = [length if at == axis else arr.shape[at] for at, length in enumerate(indices.shape)]
    return ops.gather_elements(arr, axis, ops.floor_mod(ops.broadcast_to(indices, shape), arr.shape[axis]))


def _valid_indices(indices: Tensor, size: int, mode: str) -> Tensor:
    """Indices in range: clipped to the ends ("clip") or modulo the size ("wrap")."""
    if mode not in ("clip", "wrap", "raise"):
        raise ArgValueError(f"mode must be 'clip', 'wrap' or 'raise', got {mode!r}")
    if mode == "raise":
        return indices
    return ops.floor_mod(indices, size) if mode == "wrap" else ops.clip(indices, 0, size - 1)


def _strides(shape: Sequence[int], order: str) -> list[int]:
    """The stride, in elements, of each axis.

    >>> _strides((2, 3), "C"), _strides((2, 3), "F")
    ([3, 1], [1, 2])
    """
    if order not in ("C", "F"):
        raise ArgValueError(f"order must be 'C' or 'F', got {order!r}")
    sizes = list(shape) if order == "F" else list(shape)[::-1]
    strides = np.cumprod([1, *sizes[:-1]]).tolist()
    return strides if order == "F" else strides[::-1]


def unravel_index(indices: ArrayLike, shape: int | Sequence[int], order: str = "C") -> tuple[Tensor, ...]:
    """The coordinates of flat indices."""
    indices, sizes = as_tensor(indices), as_ints(shape)
    limit = int(np.prod(sizes))
    indices = ops.clip(ops.where(indices < 0, indices + limit, indices), 0, limit - 1)
    strides = _strides(sizes, order)
    return tuple(ops.floor_mod(ops.floor_div(indices, step), size) for step, size in zip(strides, sizes, strict=True))


def ravel_multi_index(
    multi_index: Tensor | Sequence[ArrayLike], dims: int | Sequence[int], mode: str = "clip", order: str = "C"
) -> Tensor:
    """The flat index of coordinates; Float32, as in MindSpore."""
    sizes = as_ints(dims)
    flat_index: Any = 0
    coordinates = list(as_tensor(multi_index) if isinstance(multi_index, Tensor) else map(as_tensor, multi_index))
    for coordinate, stride, size in zip(coordinates, _strides(sizes, order), sizes, strict=True):
        flat_index = flat_index + _valid_indices(coordinate, size, mode) * stride
    return ops.cast(flat_index, result_type("float32"))


# ---- conditions ------------------------------------------------------------------------------------


def where(condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None) -> Tensor:
    """The elements of x where a condition is not 0, of y elsewhere."""
    if x is None or y is None:
        raise UsageError("numpy.where needs x and y; argwhere(condition) gives the indices of non-zero elements")
    x, y = as_tensor(x), as_tensor(y)
    dtype = result_type(x, y)
    return ops.where(ops.cast(as_tensor(condition), bool_), as_tensor(x, dtype), as_tensor(y, dtype))


def argwhere(a: ArrayLike) -> Tensor:
    """The indices of non-zero elements, one row each, Int64."""
    return ops.argwhere(as_tensor(a))


def select(condlist: Sequence[Tensor], choicelist: Sequence[Tensor], default: ArrayLike = 0) -> Tensor:
    """The elements of the choice with the first true condition, ``default`` if none is true."""
    if len(condlist) != len(choicelist):
        raise ShapeError(f"select needs a choice per condition, got {len(choicelist)} for {len(condlist)}")
    choices = [as_tensor(choice) for choice in choicelist]
    dtype = result_type(*choices)
    result = as_tensor(default, dtype)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        result = ops.where(ops.cast(as_tensor(condition), bool_), as_tensor(choice, dtype), result)
    return result


def choose(a: ArrayLike, choices: Sequence[ArrayLike], mode: str = "clip") -> Tensor:
    """The elements of the choice with the index in ``a``.

    >>> print(choose([0, 1, 0], [[1, 2, 3], [4, 5, 6]]))
    [1 5 3]
    """
    a, tensors = as_tensor(a), [as_tensor(choice) for choice in choices]
    index, dtype = _valid_indices(a, len(tensors), mode), result_type(*tensors)
    result = as_tensor(tensors[-1], dtype)
    for i in reversed(range(len(tensors) - 1)):
        result = ops.where(index == i, as_tensor(tensors[i], dtype), result)
    return ops.broadcast_to(result, a.shape) if result.ndim < a.ndim else result


# ---- searching -------------------------------------------------------------------------------------


def searchsorted(a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None) -> Tensor:
    """The indices at which values would be inserted into a sorted vector, Int32: before equal elements, or after."""
    a, v = as_tensor(a), as_tensor(v)
    if side not in ("left", "right"):
        raise ArgValueError(f"side must be 'left' or 'right', got {side!r}")
    a = a if sorter is None else ops.gather(a, as_tensor(sorter), 0)
    dtype = result_type(a, v)
    return ops.cast(ops.searchsorted(as_tensor(a, dtype), as_tensor(v, dtype), right=side == "right"), int32)
