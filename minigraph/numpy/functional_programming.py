"""Functions applied along axes and piecewise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph import ops
from minigraph.core.aliases import ArrayLike, Function
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_
from minigraph.numpy.conversion import as_ints, as_tensor, normalize_axis
from minigraph.numpy.dtypes import result_type

__all__ = ["apply_along_axis", "apply_over_axes", "piecewise"]


def apply_along_axis(func1d: Function, axis: int, arr: ArrayLike, *args: object, **kwargs: object) -> Tensor:
    """Applies a function to each vector along an axis.

    >>> print(apply_along_axis(lambda v: v * v[0], 0, [[1.0, 2.0], [3.0, 4.0]]))
    [[1. 4.]
     [3. 8.]]
    """
    arr = as_tensor(arr)
    axis = normalize_axis(axis, arr.ndim)
    transposed = ops.moveaxis(arr, axis, -1)
    outer_shape = tuple(transposed.shape[:-1])
    rows = ops.reshape(transposed, (-1, transposed.shape[-1]))
    results = ops.stack([as_tensor(func1d(rows[i], *args, **kwargs)) for i in range(rows.shape[0])])
    result_rank = results.ndim - 1
    results = ops.reshape(results, outer_shape + tuple(results.shape[1:]))
    axes = list(range(len(outer_shape), len(outer_shape) + result_rank))
    return ops.moveaxis(results, tuple(axes), tuple(range(axis, axis + result_rank))) if result_rank else results


def apply_over_axes(func: Function, a: ArrayLike, axes: int | Sequence[int]) -> Tensor:
    """Applies a reduction like ``sum`` to one axis after the other; each axis keeps size 1."""
    a = as_tensor(a)
    for axis in as_ints(axes):
        result = func(a, axis)
        a = result if result.ndim == a.ndim else ops.expand_dims(result, normalize_axis(axis, a.ndim))
    return a


def piecewise(x: ArrayLike, condlist: ArrayLike, funclist: Sequence[Any], *args: object, **kw: object) -> Tensor:
    """The result, for each element, of the function of the last true condition, or its number.

    A function more than conditions applies where no condition is true; the default is 0.
    """
    x = as_tensor(x)
    conditions = list(condlist) if isinstance(condlist, list | tuple) else [condlist]
    has_default = len(funclist) - len(conditions)
    if has_default not in (0, 1):
        raise ArgValueError(f"{len(conditions)} conditions need as many functions or one more, got {len(funclist)}")
    values = [function(x, *args, **kw) if callable(function) else as_tensor(function) for function in funclist]
    dtype = result_type(*values)
    result = as_tensor(values[-1] if has_default else 0, dtype)
    for condition, value in zip(conditions, values, strict=False):
        result = ops.where(ops.cast(as_tensor(condition), bool_), as_tensor(value, dtype), result)
    return result
