"""Cumulative sums, products and extremes; differences and integrals along an axis."""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int32, int64
from minigraph.operators import elementwise, ordering, reduce, views
from minigraph.operators.families import normalize_axis
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import gather_elements
from minigraph.ops.functional.operator_functions import rename_arguments
from minigraph.ops.functional.reduction import sum

FORMS = """
method: cummax cummin cumprod cumsum diff logcumsumexp
function: diff_ext trapz
"""
export(globals())


# ---- cumulative ------------------------------------------------------------------------------------


def cumsum(x: Tensor, axis: int, dtype: DType | None = None) -> Tensor:
    """The cumulative sum along an axis.

    >>> from minigraph import Tensor
    >>> print(cumsum(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 3. 6.]
    """
    return apply(ordering.CUMSUM, x if dtype is None else cast(x, dtype), axis=axis)


def cumprod(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """The cumulative product along an axis; Int64 for integers."""
    dtype = dtype or (input.dtype if input.dtype.is_float else int64)
    return apply(ordering.CUMPROD, cast(input, dtype), axis=dim)


def cummax(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """(cumulative maximum along an axis, its indices as Int64)."""
    indices = apply(ordering.CUMMAX_AT, input, axis=axis)
    return gather_elements(input, axis, indices), indices


def cummin(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """(cumulative minimum along an axis, its indices as Int32)."""
    indices = cast(apply(ordering.CUMMIN_AT, input, axis=axis), int32)
    return gather_elements(input, axis, indices), indices


def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """log(cumsum(exp(x))) along an axis, with the maximum of the axis factored out."""
    maximum = apply(views.STOP_GRADIENT, apply(reduce.MAX, input, axis=axis, keepdims=True))
    return apply(elementwise.LOG, cumsum(apply(elementwise.EXP, input - maximum), axis)) + maximum


# ---- differences and integrals ---------------------------------------------------------------------


def diff(x: Tensor, n: int = 1, axis: int = -1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """The ``n``-th discrete difference along an axis, after prepending ``prepend`` and appending ``append``."""
    parts = [part for part in (prepend, x, append) if part is not None]
    differences = apply("concat", *parts, axis=axis) if len(parts) > 1 else x
    leading = (slice(None),) * normalize_axis("diff", axis, x.ndim)
    for _ in range(n):
        differences = differences[(*leading, slice(1, None))] - differences[(*leading, slice(-1))]
    return differences


diff_ext = rename_arguments(diff, input="x", dim="axis")


def trapz(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Tensor:
    """The integral by the trapezoidal rule, for points at distance ``dx`` or at positions ``x``."""
    values = y.swapaxes(dim, -1) if y.ndim > 1 else y
    means = (values[..., 1:] + values[..., :-1]) / 2
    if x is None:
        return sum(means * dx, -1)
    points = x if x.ndim == 1 else x.swapaxes(dim, -1)
    return sum(means * (points[..., 1:] - points[..., :-1]), -1)
