"""Statistics: variances, order statistics, covariances and histograms."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import bfloat16, float16, float32, float64, int64
from minigraph.operators import comparison, elementwise, ordering, reduce, views
from minigraph.ops.functional.arguments import concrete_values
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import gather_elements, where
from minigraph.ops.functional.reduction import mean, sum
from minigraph.ops.functional.reduction import sum as total
from minigraph.ops.functional.scattering import scatter_nd
from minigraph.ops.functional.shapes import flatten, unsqueeze
from minigraph.ops.functional.sorting import argsort, sort

FORMS = """
method mint: bincount histc
method: cov median nanmedian quantile std var
function: std_mean var_mean
"""
export(globals())


# ---- variances -------------------------------------------------------------------------------------


def var(input: Tensor, axis: IntOrTuple | None = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance over axes: the sum of squared deviations from the mean, divided by (count - ddof).

    Float16 and BFloat16 are computed in Float32; integers are converted to Float32.
    """
    if input.dtype in (float16, bfloat16):
        return cast(var(cast(input, float32), axis, ddof, keepdims), input.dtype)
    input = input if input.dtype.is_float else cast(input, float32)
    deviations = input - apply(reduce.MEAN, input, axis=axis, keepdims=True)
    squares = deviations * deviations
    if not ddof:
        return apply(reduce.MEAN, squares, axis=axis, keepdims=keepdims)
    total = apply(reduce.SUM, squares, axis=axis, keepdims=keepdims)
    return total / (input.size // total.size - ddof)


def std(input: Tensor, axis: IntOrTuple | None = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation over axes: the square root of ``var``."""
    if input.dtype in (float16, bfloat16):
        return cast(std(cast(input, float32), axis, ddof, keepdims), input.dtype)
    return apply(elementwise.SQRT, var(input, axis, ddof, keepdims))


def var_mean(
    input: Tensor, axis: IntOrTuple | None = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """(variance, mean) over axes."""
    return var(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def std_mean(
    input: Tensor, axis: IntOrTuple | None = None, ddof: int = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """(standard deviation, mean) over axes."""
    return std(input, axis, ddof, keepdims), mean(input, axis, keepdims)


def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables in rows, observations in columns, divided by (count - ``correction``).

    ``fweights`` are frequencies, ``aweights`` weights of the observations.
    """
    rows = apply(views.RESHAPE, input, shape=(1, -1)) if input.ndim < 2 else input
    if input.ndim < 2:
        return apply(views.RESHAPE, cov(rows, correction=correction, fweights=fweights, aweights=aweights), shape=())
    rows = rows if rows.dtype in (float32, float64) else cast(rows, float32)
    if fweights is None and aweights is None:
        deviations = rows - mean(rows, 1, True)
        return deviations @ deviations.mT / (rows.shape[1] - correction)
    weights: Any = 1 if fweights is None else cast(fweights, rows.dtype)
    weights = weights if aweights is None else weights * aweights
    total = sum(weights)
    deviations = rows - apply(views.EXPAND_DIMS, sum(rows * weights, 1) / total, axis=1)
    squares = total if aweights is None else sum(weights * aweights) / total
    count = total - correction * (1 if aweights is None else squares)
    return deviations @ (deviations * weights).mT / apply(elementwise.MAXIMUM, count, 0)


# ---- order statistics ------------------------------------------------------------------------------


def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """(median along an axis, its index as Int64); the lower of two for an even number of elements.

    NaN propagates.

    >>> print(median(Tensor([3.0, 1.0, 2.0, 4.0])))
    (Tensor(shape=[], dtype=Float32, value= 2), Tensor(shape=[], dtype=Int64, value= 2))
    """
    if not input.ndim:
        return input, apply(reduce.ARGMAX, input, axis=None)
    middle = (input.shape[axis] - 1) // 2
    order, prefix = apply(ordering.ARGSORT, input, axis=axis), (slice(None),) * (axis % input.ndim)
    index, last = order[(*prefix, slice(middle, middle + 1))], order[(*prefix, slice(-1, None))]
    largest = gather_elements(input, axis, last)  # where a NaN would be
    index = where(largest != largest, last, index)
    result = gather_elements(input, axis, index)
    return (result, index) if keepdims else (result.squeeze(axis), index.squeeze(axis))


def nanmedian(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """(median along an axis ignoring NaN, the lower of two; its index)."""
    if input.ndim == 0:
        return input, Tensor(0)
    is_nan = input != input
    order = argsort(where(is_nan, float("inf"), input), axis)
    count = total(cast(~is_nan, int64), axis, True)
    middle = apply("maximum", count - 1, 0) // 2
    index = gather_elements(order, axis, cast(middle, int64))
    result = gather_elements(input, axis, index)
    return (result, cast(index, int64)) if keepdims else (result.squeeze(axis), cast(index, int64).squeeze(axis))


def quantile(input: Tensor, q: float | Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The ``q`` quantile, by linear interpolation between the two nearest elements."""
    if not 0 <= float(q) <= 1:
        raise UsageError(f"quantile: q must be from 0 to 1, got {q}")
    rows = flatten(input, start_dim=0) if axis is None else input
    at = -1 if axis is None else axis
    ordered, last = sort(rows, at)[0], rows.shape[at] - 1
    position = float(q) * last
    lower = int(position)
    low, high = (_slice(ordered, at, i) for i in (lower, min(lower + 1, last)))
    result = low + (high - low) * (position - lower)
    return result if keepdims and axis is not None else result.squeeze(at)


def _slice(x: Tensor, axis: int, position: int) -> Tensor:
    return x[(*(slice(None),) * (axis % x.ndim), slice(position, position + 1))]


# ---- histograms ------------------------------------------------------------------------------------


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """The number of occurrences of each integer from 0, as Float32, or the sum of their weights.

    The size depends on the largest integer, so this works outside of ``@jit``.
    """
    size = max(int(concrete_values("bincount", input).max(initial=-1)) + 1, minlength)
    ones = apply("full", shape=input.shape, value=1.0, dtype=float32) if weights is None else weights
    return scatter_nd(unsqueeze(input, -1), cast(ones, float32), (size,))


def histc(input: Tensor, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
    """The number of elements in each of ``bins`` equal intervals from ``min`` to ``max`` (both 0: of the data)."""
    values = flatten(input, start_dim=0) if input.ndim != 1 else input
    low, high = (min, max) if (min, max) != (0, 0) else _data_range(values)
    bin_index = apply(elementwise.FLOOR, (cast(values, float32) - low) * (bins / (high - low)))
    is_last = apply(comparison.LOGICAL_AND, values == high, bin_index == bins)
    clipped = where(is_last, bins - 1.0, bin_index)
    hits = unsqueeze(clipped, 0) == unsqueeze(cast(arange(bins), float32), 1)
    return cast(apply(reduce.SUM, hits, axis=1), float32 if input.dtype in (float16, bfloat16) else input.dtype)


def _data_range(values: Tensor) -> tuple[float, float]:
    array = concrete_values("histc", values)
    low, high = float(array.min()), float(array.max())
    return (low, high) if low < high else (low - 1, high + 1)
