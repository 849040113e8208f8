"""Reductions over axes and cumulative functions: sums, means, extremes, counts."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.aliases import ArrayLike, CallResult, DTypeLike, Function, IntOrTuple
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bool_, float32, int8, int16, int32, int64, uint8, uint16, uint32
from minigraph.numpy.conversion import as_float, as_tensor, cast_to

__all__ = [
    "amax", "amin", "argmax", "argmin", "average", "count_nonzero", "cumprod", "cumsum", "max", "mean", "min",
    "nancumsum", "nanmax", "nanmean", "nanmin", "nanstd", "nansum", "nanvar", "ptp", "size", "sometrue", "std", "sum",
    "var",
]  # fmt: skip


# ---- reductions ------------------------------------------------------------------------------------


def sum(
    a: ArrayLike, axis: IntOrTuple | None = None, dtype: DTypeLike = None, keepdims: bool = False,
    initial: float | None = None,
) -> Tensor:  # fmt: skip
    """The sum over axes (``None``: all), plus ``initial``; integers and bools are summed in Int64."""
    total = ops.sum(as_tensor(a, dtype), axis, keepdims)
    total = cast_to(total, dtype)
    return total if initial is None else total + initial


def mean(a: ArrayLike, axis: IntOrTuple | None = None, keepdims: bool = False, dtype: DTypeLike = None) -> Tensor:
    """The mean over axes (``None``: all), in the dtype of the tensor even for integers, as in MindSpore."""
    a = as_tensor(a)
    if dtype is None and not a.dtype.is_float:
        return ops.cast(ops.mean(ops.cast(a, float32), axis, keepdims), a.dtype)
    return ops.mean(cast_to(a, dtype), axis, keepdims)


def _deviation(fn: Function, quantity: str) -> Function:
    def function(x: ArrayLike, axis: IntOrTuple | None = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
        return fn(as_float(x), axis, ddof, keepdims)

    function.__doc__ = f"The {quantity} over axes (``None``: all), divided by the count less ``ddof``."
    return function


std, var = _deviation(ops.std, "standard deviation"), _deviation(ops.var, "variance")


def _extreme(fn: Function, combine: Function, adjective: str) -> Function:
    def function(
        a: ArrayLike, axis: IntOrTuple | None = None, keepdims: bool = False, initial: Any = None,
        where: ArrayLike = True,
    ) -> Tensor:  # fmt: skip
        a = as_tensor(a)
        if where is not True:
            a = ops.where(as_tensor(where), a, initial)
        result = fn(a, axis, keepdims)
        return result if initial is None else combine(result, initial)

    function.__doc__ = f"""The {adjective} element over axes (``None``: all).

    ``initial`` is an additional element; it replaces the elements where ``where`` is false.
    """
    return function


max = amax = _extreme(ops.amax, ops.maximum, "largest")
min = amin = _extreme(ops.amin, ops.minimum, "smallest")


def ptp(x: ArrayLike, axis: IntOrTuple | None = None, keepdims: bool = False) -> Tensor:
    """The maximum minus the minimum over axes (``None``: all)."""
    return max(x, axis, keepdims) - min(x, axis, keepdims)


def argmax(a: ArrayLike, axis: int | None = None) -> Tensor:
    """The index of the first maximum along an axis (``None``: of the flattened tensor), Int64."""
    return ops.cast(as_tensor(a).argmax(axis), int64)


def argmin(a: ArrayLike, axis: int | None = None) -> Tensor:
    """The index of the first minimum along an axis (``None``: of the flattened tensor), Int32."""
    return ops.cast(as_tensor(a).argmin(axis), int32)


def average(x: ArrayLike, axis: Any = None, weights: ArrayLike | None = None, returned: bool = False) -> CallResult:
    """The mean over axes with ``weights``; with ``returned`` also the sum of the weights.

    >>> print(average([1.0, 3.0], weights=[3.0, 1.0]))
    1.5
    """
    x = as_tensor(x)
    if weights is None:
        result = mean(x, axis)
        return (result, ops.full_like(result, x.size // result.size)) if returned else result
    weights = as_tensor(weights)
    if weights.ndim == 1 < x.ndim:
        weights = ops.reshape(weights, [-1 if at == axis % x.ndim else 1 for at in range(x.ndim)])
    count = ops.sum(ops.broadcast_to(weights, x.shape), axis)
    result = ops.sum(x * weights, axis) / count
    return (result, cast_to(count, result.dtype)) if returned else result


def count_nonzero(x: ArrayLike, axis: IntOrTuple | None = None, keepdims: bool = False) -> Tensor:
    """The number of non-zero elements over axes, Int32."""
    return ops.cast(ops.sum(ops.cast(as_tensor(x) != 0, int32), axis, keepdims), int32)


def sometrue(a: ArrayLike, axis: IntOrTuple | None = None, keepdims: bool = False) -> Tensor:
    """Whether any element over axes is not 0."""
    return ops.any(ops.cast(as_tensor(a), bool_), axis, keepdims)


def size(a: ArrayLike, axis: int | None = None) -> int:
    """The number of elements, or the size of an axis.

    >>> size([[1, 2, 3], [4, 5, 6]]), size([[1, 2, 3], [4, 5, 6]], 1)
    (6, 3)
    """
    a = as_tensor(a)
    return int(a.size if axis is None else a.shape[axis])


# ---- cumulative ------------------------------------------------------------------------------------


def cumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None) -> Tensor:
    """The cumulative sum along an axis (``None``: of the flattened tensor); bools and short integers give Int32."""
    return _cumulative(ops.cumsum, _at_least_int32(as_tensor(a, dtype), int32), axis, dtype)


def cumprod(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None) -> Tensor:
    """The cumulative product along an axis (``None``: of the flattened tensor); short integers give 32 bits."""
    return _cumulative(ops.cumprod, _at_least_int32(as_tensor(a, dtype), uint32), axis, dtype)


def nancumsum(a: ArrayLike, axis: int | None = None, dtype: DTypeLike = None) -> Tensor:
    """The cumulative sum along an axis, with NaN counted as 0."""
    return cumsum(_replace_nan(as_tensor(a), 0), axis, dtype)


def _at_least_int32(a: Tensor, unsigned: DType) -> Tensor:
    """Bools and integers of fewer bits as Int32, UInt8 and UInt16 as ``unsigned``."""
    if a.dtype in (bool_, int8, int16):
        return ops.cast(a, int32)
    return ops.cast(a, unsigned) if a.dtype in (uint8, uint16) else a


def _cumulative(fn: Function, a: Tensor, axis: int | None, dtype: DTypeLike) -> Tensor:
    result = fn(ops.ravel(a), 0) if axis is None else fn(a, axis)
    return cast_to(ops.cast(result, a.dtype), dtype)


# ---- ignoring NaN ----------------------------------------------------------------------------------


def _replace_nan(a: Tensor, value: float) -> Tensor:
    return ops.where(a != a, value, a) if a.dtype.is_float else a


def _ignoring_nan(fn: Function, value: float, quantity: str) -> Function:
    def function(
        a: ArrayLike, axis: IntOrTuple | None = None, dtype: DTypeLike = None, keepdims: bool = False
    ) -> Tensor:
        return cast_to(fn(_replace_nan(as_tensor(a), value), axis, keepdims=keepdims), dtype)

    function.__doc__ = f"The {quantity} over axes (``None``: all), ignoring NaN."
    return function


nansum = _ignoring_nan(sum, 0, "sum")
nanmax = _ignoring_nan(max, -float("inf"), "largest element")
nanmin = _ignoring_nan(min, float("inf"), "smallest element")


def nanmean(a: ArrayLike, axis: IntOrTuple | None = None, dtype: DTypeLike = None, keepdims: bool = False) -> Tensor:
    """The mean over axes (``None``: all), ignoring NaN."""
    a = as_tensor(a)
    return cast_to(nansum(a, axis, keepdims=keepdims) / _count_non_nan(a, axis, keepdims), dtype)


def nanvar(
    a: ArrayLike, axis: IntOrTuple | None = None, dtype: DTypeLike = None, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    """The variance over axes (``None``: all), ignoring NaN, divided by the count minus ``ddof``."""
    a = as_tensor(a)
    squares = ops.square(a - nanmean(a, axis, keepdims=True))
    return cast_to(nansum(squares, axis, keepdims=keepdims) / (_count_non_nan(a, axis, keepdims) - ddof), dtype)


def nanstd(
    a: ArrayLike, axis: IntOrTuple | None = None, dtype: DTypeLike = None, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    """The standard deviation over axes (``None``: all), ignoring NaN, divided by the count minus ``ddof``."""
    return cast_to(ops.sqrt(nanvar(a, axis, None, ddof, keepdims)), dtype)


def _count_non_nan(a: Tensor, axis: IntOrTuple | None, keepdims: bool) -> Tensor:
    return ops.sum(ops.cast(a == a, float32), axis, keepdims)
