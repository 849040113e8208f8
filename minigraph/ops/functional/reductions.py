"""Further reductions: products, counts, means that leave NaN out, several results at once."""

from __future__ import annotations

from typing import Any

from minigraph.core.op import apply
from minigraph.core.types import DType, bool_, float32, float64, int32, int64
from minigraph.operators import compare, elementwise, reduce, views
from minigraph.ops.functional.calls import spelled
from minigraph.ops.functional.math import amax, amin, cast, mean, std, sum, var, where

__all__ = [
    "aminmax", "count_nonzero", "cov", "nanmean", "nansum", "prod", "reduce_max", "reduce_min", "std_mean", "trapz",
    "var_mean",
]  # fmt: skip

reduce_max, reduce_min = spelled(amax, x="input"), spelled(amin, x="input")


def prod(input: Any, axis: Any = None, keep_dims: bool = False, dtype: DType | None = None) -> Any:
    """The product over axes (``None``: all); that of integers and bools is Int64.

    >>> from minigraph import Tensor
    >>> print(prod(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
    [3. 8.]
    """
    return apply(reduce.PROD, input if dtype is None else cast(input, dtype), axis=axis, keepdims=keep_dims)


def count_nonzero(x: Any, axis: Any = (), keep_dims: bool = False, dtype: DType = int32) -> Any:
    """How many elements over axes (``()``: all) are not 0."""
    return cast(apply(reduce.SUM, x != 0, axis=axis, keepdims=keep_dims), dtype)


def nansum(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: DType | None = None) -> Any:
    """The sum over axes, NaN counting as 0, in ``dtype``; without one in that of the tensor, of bools in Int64."""
    own = int64 if input.dtype is bool_ else input.dtype
    return sum(where(input != input, 0, input), axis, keepdims, dtype=dtype or own)


def nanmean(input: Any, axis: Any = None, keepdims: bool = False, *, dtype: DType | None = None) -> Any:
    """The mean over axes of what is not NaN."""
    total = nansum(input, axis, keepdims, dtype=dtype)
    count = apply(reduce.SUM, apply(compare.EQUAL, input, input), axis=axis, keepdims=keepdims)
    return total / cast(count, total.dtype)


def std_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> tuple[Any, Any]:
    """(standard deviation, mean) over axes."""
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def var_mean(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> tuple[Any, Any]:
    """(variance, mean) over axes."""
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def aminmax(input: Any, *, axis: Any = 0, keepdims: bool = False) -> tuple[Any, Any]:
    """(smallest, largest) elements over an axis."""
    return amin(input, axis, keepdims), amax(input, axis, keepdims)


def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The area under points by trapezoids, ``dx`` apart or at the places ``x``."""
    last = y.swapaxes(dim, -1) if y.ndim > 1 else y
    heights = (last[..., 1:] + last[..., :-1]) / 2
    if x is None:
        return sum(heights * dx, -1)
    places = x if x.ndim == 1 else x.swapaxes(dim, -1)
    return sum(heights * (places[..., 1:] - places[..., :-1]), -1)


def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariances of variables in rows, observations in columns, divided by (count - ``correction``).

    ``fweights`` are how often, ``aweights`` how strongly each observation counts.
    """
    rows = apply(views.RESHAPE, input, shape=(1, -1)) if input.ndim < 2 else input
    if input.ndim < 2:
        return apply(views.RESHAPE, cov(rows, correction=correction, fweights=fweights, aweights=aweights), shape=())
    rows = rows if rows.dtype in (float32, float64) else cast(rows, float32)
    if fweights is None and aweights is None:
        apart = rows - mean(rows, 1, True)
        return apart @ apart.mT / (rows.shape[1] - correction)
    weights = 1 if fweights is None else cast(fweights, rows.dtype)
    weights = weights if aweights is None else weights * aweights
    total = sum(weights)
    apart = rows - apply(views.EXPAND_DIMS, sum(rows * weights, 1) / total, axis=1)
    squares = total if aweights is None else sum(weights * aweights) / total
    count = total - correction * (1 if aweights is None else squares)
    return apart @ (apart * weights).mT / apply(elementwise.MAXIMUM, count, 0)
