"""Cumulative sums, products and extremes; differences and integrals along an axis."""

from __future__ import annotations

from typing import Any

from minigraph.core.op import apply
from minigraph.core.types import DType, int32, int64
from minigraph.operators import elementwise, ordering, reduce, views
from minigraph.operators.families import axis_of
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import gather_elements
from minigraph.ops.functional.reduction import sum

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "diff", "logcumsumexp", "trapz"]


# ---- cumulative ------------------------------------------------------------------------------------


def cumsum(x: Any, axis: int, dtype: DType | None = None) -> Any:
    """The sum of the elements up to each along an axis.

    >>> print(cumsum(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 3. 6.]
    """
    return apply(ordering.CUMSUM, x if dtype is None else cast(x, dtype), axis=axis)


def cumprod(input: Any, dim: int, dtype: DType | None = None) -> Any:
    """The product of the elements up to each along an axis; that of integers is Int64."""
    wide = dtype or (input.dtype if input.dtype.is_float else int64)
    return apply(ordering.CUMPROD, cast(input, wide), axis=dim)


def cummax(input: Any, axis: int) -> tuple[Any, Any]:
    """(the largest element up to each along an axis, where it stands as Int64)."""
    places = apply(ordering.CUMMAX_AT, input, axis=axis)
    return gather_elements(input, axis, places), places


def cummin(input: Any, axis: int) -> tuple[Any, Any]:
    """(the smallest element up to each along an axis, where it stands as Int32)."""
    places = cast(apply(ordering.CUMMIN_AT, input, axis=axis), int32)
    return gather_elements(input, axis, places), places


def logcumsumexp(input: Any, axis: int) -> Any:
    """The logarithm of the sum of exp(x) up to each along an axis, relative to the largest of all."""
    top = apply(views.STOP_GRADIENT, apply(reduce.MAX, input, axis=axis, keepdims=True))
    return apply(elementwise.LOG, cumsum(apply(elementwise.EXP, input - top), axis)) + top


# ---- differences and integrals ---------------------------------------------------------------------


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The ``n``-th differences of neighbours along an axis, after putting ``prepend`` before and ``append`` behind."""
    parts = [one for one in (prepend, x, append) if one is not None]
    found = apply("concat", *parts, axis=axis) if len(parts) > 1 else x
    before = (slice(None),) * axis_of("diff", axis, x.ndim)
    for _ in range(n):
        found = found[(*before, slice(1, None))] - found[(*before, slice(-1))]
    return found


def trapz(y: Any, x: Any = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The area under points by trapezoids, ``dx`` apart or at the places ``x``."""
    last = y.swapaxes(dim, -1) if y.ndim > 1 else y
    heights = (last[..., 1:] + last[..., :-1]) / 2
    if x is None:
        return sum(heights * dx, -1)
    places = x if x.ndim == 1 else x.swapaxes(dim, -1)
    return sum(heights * (places[..., 1:] - places[..., :-1]), -1)
