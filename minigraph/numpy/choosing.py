"""Elements picked by places and conditions, functions along axes, under numpy's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.errors import ShapeError, UsageError, ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, int32
from minigraph.numpy.given import axis_in, given, numbers
from minigraph.numpy.kinds import result_type

__all__ = [
    "apply_along_axis", "apply_over_axes", "argwhere", "choose", "piecewise", "ravel_multi_index", "searchsorted",
    "select", "take", "take_along_axis", "unravel_index", "where",
]  # fmt: skip


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """The elements of x where a condition is not 0, those of y elsewhere."""
    if x is None or y is None:
        raise UsageError("numpy.where needs x and y; the places of what is not 0 are argwhere(condition)")
    x, y = given(x), given(y)
    dtype = result_type(x, y)
    return ops.where(ops.cast(given(condition), bool_), given(x, dtype), given(y, dtype))


def argwhere(a: Any) -> Any:
    """The places of what is not 0, one row each, Int64."""
    return ops.argwhere(given(a))


def _within(indices: Any, size: int, mode: str) -> Any:
    """Places in range: negative and large ones at the ends ("clip"), or counted round ("wrap")."""
    if mode not in ("clip", "wrap", "raise"):
        raise ValueArgument(f"mode must be 'clip', 'wrap' or 'raise', got {mode!r}")
    if mode == "raise":
        return indices
    return ops.floor_mod(indices, size) if mode == "wrap" else ops.clip(indices, 0, size - 1)


def take(a: Any, indices: Any, axis: int | None = None, mode: str = "clip") -> Any:
    """Elements by their places along an axis (``None``: of the flat tensor).

    >>> print(take([5, 6, 7], [0, 9, -1]), take([5, 6, 7], [0, 9, -1], mode="wrap"))
    [5 7 5] [5 5 7]
    """
    a, indices = given(a), given(indices)
    a, axis = (ops.ravel(a), 0) if axis is None else (a, axis_in(axis, a.ndim))
    return ops.gather(a, _within(indices, a.shape[axis], mode), axis)


def take_along_axis(arr: Any, indices: Any, axis: int | None) -> Any:
    """Elements by their places along an axis, other places in every row (``None``: of the flat tensor)."""
    arr, indices = given(arr), given(indices)
    if axis is None:
        return ops.gather_elements(ops.ravel(arr), 0, ops.ravel(indices))
    axis = axis_in(axis, arr.ndim)
    shape = [length if at == axis else arr.shape[at] for at, length in enumerate(indices.shape)]
    return ops.gather_elements(arr, axis, ops.floor_mod(ops.broadcast_to(indices, shape), arr.shape[axis]))


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where values belong in a sorted vector, Int32: before equal ones, or behind with side "right"."""
    a, v = given(a), given(v)
    if side not in ("left", "right"):
        raise ValueArgument(f"side must be 'left' or 'right', got {side!r}")
    a = a if sorter is None else ops.gather(a, given(sorter), 0)
    dtype = result_type(a, v)
    return ops.cast(ops.searchsorted(given(a, dtype), given(v, dtype), right=side == "right"), int32)


# ---- by conditions ---------------------------------------------------------------------------------


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """The elements of the choice whose condition is the first that holds, ``default`` where none does."""
    if len(condlist) != len(choicelist):
        raise ShapeError(f"select needs a choice per condition, got {len(choicelist)} for {len(condlist)}")
    choices = [given(one) for one in choicelist]
    dtype = result_type(*choices)
    found = given(default, dtype)
    for condition, choice in reversed(list(zip(condlist, choices, strict=True))):
        found = ops.where(ops.cast(given(condition), bool_), given(choice, dtype), found)
    return found


def choose(a: Any, choices: Any, mode: str = "clip") -> Any:
    """The elements of the choice whose number stands in ``a``.

    >>> print(choose([0, 1, 0], [[1, 2, 3], [4, 5, 6]]))
    [1 5 3]
    """
    a, picks = given(a), [given(one) for one in choices]
    number, dtype = _within(a, len(picks), mode), result_type(*picks)
    found = given(picks[-1], dtype)
    for at in reversed(range(len(picks) - 1)):
        found = ops.where(number == at, given(picks[at], dtype), found)
    return ops.broadcast_to(found, a.shape) if found.ndim < a.ndim else found


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:
    """What the function of the last condition that holds gives for each element, or its number.

    One function more than conditions is for the elements where none holds; otherwise they are 0.
    """
    x = given(x)
    conditions = list(condlist) if isinstance(condlist, list | tuple) else [condlist]
    extra = len(funclist) - len(conditions)
    if extra not in (0, 1):
        raise ValueArgument(f"{len(conditions)} conditions go with as many functions or one more, got {len(funclist)}")
    values = [one(x, *args, **kw) if callable(one) else given(one) for one in funclist]
    dtype = result_type(*values)
    found = given(values[-1] if extra else 0, dtype)
    for condition, value in zip(conditions, values, strict=False):
        found = ops.where(ops.cast(given(condition), bool_), given(value, dtype), found)
    return found


# ---- along axes ------------------------------------------------------------------------------------


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function makes of each vector along an axis, in its place.

    >>> print(apply_along_axis(lambda v: v * v[0], 0, [[1.0, 2.0], [3.0, 4.0]]))
    [[1. 4.]
     [3. 8.]]
    """
    arr = given(arr)
    axis = axis_in(axis, arr.ndim)
    moved = ops.moveaxis(arr, axis, -1)
    outside = tuple(moved.shape[:-1])
    rows = ops.reshape(moved, (-1, moved.shape[-1]))
    found = ops.stack([given(func1d(rows[at], *args, **kwargs)) for at in range(rows.shape[0])])
    own = found.ndim - 1
    found = ops.reshape(found, outside + tuple(found.shape[1:]))
    back = list(range(len(outside), len(outside) + own))
    return ops.moveaxis(found, tuple(back), tuple(range(axis, axis + own))) if own else found


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """What a function like ``sum`` makes of axis after axis; each stays with size 1."""
    a = given(a)
    for axis in numbers(axes):
        found = func(a, axis)
        a = found if found.ndim == a.ndim else ops.expand_dims(found, axis_in(axis, a.ndim))
    return a


# ---- places by one number --------------------------------------------------------------------------


def _strides(shape: Sequence[int], order: str) -> list[int]:
    """How many elements one place along each axis is worth.

    >>> _strides((2, 3), "C"), _strides((2, 3), "F")
    ([3, 1], [1, 2])
    """
    if order not in ("C", "F"):
        raise ValueArgument(f"order must be 'C' or 'F', got {order!r}")
    sizes = list(shape) if order == "F" else list(shape)[::-1]
    found = np.cumprod([1, *sizes[:-1]]).tolist()
    return found if order == "F" else found[::-1]


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """The places along each axis of elements numbered through."""
    indices, sizes = given(indices), numbers(shape)
    limit = int(np.prod(sizes))
    indices = ops.clip(ops.where(indices < 0, indices + limit, indices), 0, limit - 1)
    strides = _strides(sizes, order)
    return tuple(ops.floor_mod(ops.floor_div(indices, one), size) for one, size in zip(strides, sizes, strict=True))


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "clip", order: str = "C") -> Any:
    """The number of elements by their places along each axis; Float32, as in MindSpore."""
    sizes, found = numbers(dims), 0
    places = list(given(multi_index)) if isinstance(multi_index, Tensor) else [given(one) for one in multi_index]
    for place, one, size in zip(places, _strides(sizes, order), sizes, strict=True):
        found = found + _within(place, size, mode) * one
    return ops.cast(found, result_type("float32"))
