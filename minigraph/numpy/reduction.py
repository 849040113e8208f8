"""Reductions over axes and cumulative functions: sums, means, extremes, counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.core.types import bool_, float32, int32, int64
from minigraph.numpy.conversion import as_float, as_tensor, cast_to

__all__ = [
    "amax", "amin", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum", "max", "mean", "min",
    "nancumsum", "nanmax", "nanmean", "nanmin", "nanstd", "nansum", "nanvar", "ptp", "size", "sometrue", "std", "sum",
    "var",
]  # fmt: skip


Function = Callable[..., Any]

# ---- reductions ------------------------------------------------------------------------------------


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """The sum over axes (``None``: all), begun with ``initial``; whole numbers and bools add up to Int64."""
    found = ops.sum(as_tensor(a, dtype), axis, keepdims)
    found = cast_to(found, dtype)
    return found if initial is None else found + initial


def mean(a: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """The mean over axes (``None``: all); that of whole numbers is their dtype's, as in MindSpore."""
    a = as_tensor(a)
    if dtype is None and not a.dtype.is_float:
        return ops.cast(ops.mean(ops.cast(a, float32), axis, keepdims), a.dtype)
    return ops.mean(cast_to(a, dtype), axis, keepdims)


def _spread(fn: Function, what: str) -> Function:
    def function(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
        return fn(as_float(x), axis, ddof, keepdims)

    function.__doc__ = f"The {what} over axes (``None``: all), divided by the count less ``ddof``."
    return function


std, var = _spread(ops.std, "standard deviation"), _spread(ops.var, "variance")


def _extreme(fn: Function, pick: Function, word: str) -> Function:
    def function(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
        a = as_tensor(a)
        if where is not True:
            a = ops.where(as_tensor(where), a, initial)
        found = fn(a, axis, keepdims)
        return found if initial is None else pick(found, initial)

    function.__doc__ = f"""The {word} element over axes (``None``: all).

    ``initial`` takes part, and stands for the elements that ``where`` leaves out.
    """
    return function


max = amax = _extreme(ops.amax, ops.maximum, "largest")
min = amin = _extreme(ops.amin, ops.minimum, "smallest")


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest less the smallest element over axes (``None``: all)."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def argmax(a: Any, axis: int | None = None) -> Any:
    """Where the first largest element stands along an axis (``None``: of all, flat), Int64."""
    return ops.cast(as_tensor(a).argmax(axis), int64)


def argmin(a: Any, axis: int | None = None) -> Any:
    """Where the first smallest element stands along an axis (``None``: of all, flat), Int32."""
    return ops.cast(as_tensor(a).argmin(axis), int32)


def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean over axes, each element counting ``weights`` times; with ``returned`` also the sum of the weights.

    >>> print(average([1.0, 3.0], weights=[3.0, 1.0]))
    1.5
    """
    x = as_tensor(x)
    if weights is None:
        found = mean(x, axis)
        return (found, ops.full_like(found, x.size // found.size)) if returned else found
    weights = as_tensor(weights)
    if weights.ndim == 1 < x.ndim:
        weights = ops.reshape(weights, [-1 if at == axis % x.ndim else 1 for at in range(x.ndim)])
    count = ops.sum(ops.broadcast_to(weights, x.shape), axis)
    found = ops.sum(x * weights, axis) / count
    return (found, cast_to(count, found.dtype)) if returned else found


def count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """How many elements over axes are not 0, Int32."""
    return ops.cast(ops.sum(ops.cast(as_tensor(x) != 0, int32), axis, keepdims), int32)


def sometrue(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether an element over axes is not 0."""
    return ops.any(ops.cast(as_tensor(a), bool_), axis, keepdims)


def size(a: Any, axis: int | None = None) -> int:
    """How many elements there are, or how many along an axis.

    >>> size([[1, 2, 3], [4, 5, 6]]), size([[1, 2, 3], [4, 5, 6]], 1)
    (6, 3)
    """
    a = as_tensor(a)
    return int(a.size if axis is None else a.shape[axis])


# ---- cumulative ------------------------------------------------------------------------------------


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The sum of all elements up to each along an axis (``None``: of the flat tensor)."""
    return _running(ops.cumsum, as_tensor(a, dtype), axis)


def cumprod(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The product of all elements up to each along an axis (``None``: of the flat tensor)."""
    return _running(ops.cumprod, as_tensor(a, dtype), axis)


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """The sum of all elements up to each along an axis, NaN counting as 0."""
    return cumsum(_but_nan(as_tensor(a), 0), axis, dtype)


def _running(fn: Function, a: Any, axis: int | None) -> Any:
    found = fn(ops.ravel(a), 0) if axis is None else fn(a, axis)
    return ops.cast(found, a.dtype)


# ---- without NaN -----------------------------------------------------------------------------------


def _but_nan(a: Any, value: float) -> Any:
    return ops.where(a != a, value, a)


def _without_nan(fn: Function, value: float, what: str) -> Function:
    def function(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
        return cast_to(fn(_but_nan(as_tensor(a), value), axis, keepdims=keepdims), dtype)

    function.__doc__ = f"The {what} over axes (``None``: all) of what is not NaN."
    return function


nansum = _without_nan(sum, 0, "sum")
nanmax = _without_nan(max, -float("inf"), "largest element")
nanmin = _without_nan(min, float("inf"), "smallest element")


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """The mean over axes (``None``: all) of what is not NaN."""
    a = as_tensor(a)
    return cast_to(nansum(a, axis, keepdims=keepdims) / _count(a, axis, keepdims), dtype)


def nanvar(a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance over axes (``None``: all) of what is not NaN, divided by the count less ``ddof``."""
    a = as_tensor(a)
    apart = ops.square(a - nanmean(a, axis, keepdims=True))
    return cast_to(nansum(apart, axis, keepdims=keepdims) / (_count(a, axis, keepdims) - ddof), dtype)


def nanstd(a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation over axes (``None``: all) of what is not NaN, divided by the count less ``ddof``."""
    return cast_to(ops.sqrt(nanvar(a, axis, None, ddof, keepdims)), dtype)


def _count(a: Any, axis: Any, keepdims: bool) -> Any:
    return ops.sum(ops.cast(a == a, float32), axis, keepdims)
