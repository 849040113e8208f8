"""Functions applied along axes and piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from minigraph import ops
from minigraph.core.errors import ValueArgument
from minigraph.core.types import bool_
from minigraph.numpy.conversion import as_ints, as_tensor, normalize_axis
from minigraph.numpy.dtypes import result_type

__all__ = ["apply_along_axis", "apply_over_axes", "piecewise"]


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """What a function makes of each vector along an axis, in its place.

    >>> print(apply_along_axis(lambda v: v * v[0], 0, [[1.0, 2.0], [3.0, 4.0]]))
    [[1. 4.]
     [3. 8.]]
    """
    arr = as_tensor(arr)
    axis = normalize_axis(axis, arr.ndim)
    moved = ops.moveaxis(arr, axis, -1)
    outside = tuple(moved.shape[:-1])
    rows = ops.reshape(moved, (-1, moved.shape[-1]))
    found = ops.stack([as_tensor(func1d(rows[at], *args, **kwargs)) for at in range(rows.shape[0])])
    own = found.ndim - 1
    found = ops.reshape(found, outside + tuple(found.shape[1:]))
    back = list(range(len(outside), len(outside) + own))
    return ops.moveaxis(found, tuple(back), tuple(range(axis, axis + own))) if own else found


def apply_over_axes(func: Callable[..., Any], a: Any, axes: Any) -> Any:
    """What a function like ``sum`` makes of axis after axis; each stays with size 1."""
    a = as_tensor(a)
    for axis in as_ints(axes):
        found = func(a, axis)
        a = found if found.ndim == a.ndim else ops.expand_dims(found, normalize_axis(axis, a.ndim))
    return a


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:
    """What the function of the last condition that holds gives for each element, or its number.

    One function more than conditions is for the elements where none holds; otherwise they are 0.
    """
    x = as_tensor(x)
    conditions = list(condlist) if isinstance(condlist, list | tuple) else [condlist]
    extra = len(funclist) - len(conditions)
    if extra not in (0, 1):
        raise ValueArgument(f"{len(conditions)} conditions go with as many functions or one more, got {len(funclist)}")
    values = [one(x, *args, **kw) if callable(one) else as_tensor(one) for one in funclist]
    dtype = result_type(*values)
    found = as_tensor(values[-1] if extra else 0, dtype)
    for condition, value in zip(conditions, values, strict=False):
        found = ops.where(ops.cast(as_tensor(condition), bool_), as_tensor(value, dtype), found)
    return found
