"""Reductions over axes: sums, products, means, extremes, counts."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import ValueArgument
from minigraph.core.op import Op, apply
from minigraph.core.types import DType, bool_, int32, int64
from minigraph.operators import compare, create, elementwise, nn, reduce, views
from minigraph.ops.functional.dtypes import as_dtype, cast
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.operator_functions import reducing, spelled

__all__ = [
    "all", "amax", "amin", "aminmax", "any", "argmax", "argmin", "count_nonzero", "logsumexp", "max", "mean", "min",
    "nanmean", "nansum", "prod", "reduce_max", "reduce_mean", "reduce_min", "reduce_sum", "sum",
]  # fmt: skip


# ---- sums and means --------------------------------------------------------------------------------


mean = reduce_mean = spelled(reducing(reduce.MEAN), x="input")


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Any:
    """The sum over axes ``dim`` (``None``: all), in ``dtype``; without one integers and bools add up to Int64."""
    if dtype is None:
        return apply(reduce.SUM, input, axis=dim, keepdims=keepdim)
    return as_dtype(dtype, apply(reduce.SUM, cast(input, dtype), axis=dim, keepdims=keepdim))


def reduce_sum(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """The sum over axes (``None``: all) in the dtype of the tensor."""
    return as_dtype(x.dtype, apply(reduce.SUM, x, axis=axis, keepdims=keep_dims))


logsumexp = spelled(reducing(nn.LOGSUMEXP), dim="axis", keepdim="keep_dims")


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


# ---- logic -----------------------------------------------------------------------------------------


all, any = reducing(reduce.ALL), reducing(reduce.ANY)

# ---- extremes --------------------------------------------------------------------------------------


def _among(input: Any, initial: Any, where: Any, fold: Op) -> Any:
    """What is compared: ``initial`` where ``where`` is not, and elements at least (or at most) as far as it."""
    if where is not None and initial is None:
        raise ValueArgument("initial value must be provided for where masks")
    kept = input if where is None else apply(compare.WHERE, where, input, initial)
    return kept if initial is None else as_dtype(input.dtype, apply(fold, kept, initial))


def amax(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The largest element over axes (``None``: all), NaN if one is NaN.

    ``where`` leaves elements out, ``initial`` counts as one more.
    """
    found = _among(input, initial, where, elementwise.MAXIMUM)
    return apply(reduce.MAX, found, axis=axis, keepdims=keepdims)


def amin(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The smallest element over axes (``None``: all), NaN if one is NaN; the rest as in ``amax``."""
    found = _among(input, initial, where, elementwise.MINIMUM)
    return apply(reduce.MIN, found, axis=axis, keepdims=keepdims)


reduce_max, reduce_min = spelled(amax, x="input"), spelled(amin, x="input")


def aminmax(input: Any, *, axis: Any = 0, keepdims: bool = False) -> tuple[Any, Any]:
    """(smallest, largest) elements over an axis."""
    return amin(input, axis, keepdims), amax(input, axis, keepdims)


def max(
    input: Any, axis: int | None = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> tuple[Any, Any]:
    """(largest elements, their positions) over one axis; over all, the position is 0. ``amax`` gives values only.

    ``where`` leaves elements out, ``initial`` stands in for all that are smaller.
    """
    input = _among(input, initial, where, elementwise.MAXIMUM)
    if axis is None:
        return apply(reduce.MAX, input, axis=None, keepdims=keepdims), _first()
    return apply(reduce.FIRST_MAX, input, axis=axis, keepdims=keepdims), argmax(input, axis, keepdims)


def min(
    input: Any, axis: int | None = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> tuple[Any, Any]:
    """(smallest elements, their positions) over one axis; the rest as in ``max``."""
    input = _among(input, initial, where, elementwise.MINIMUM)
    if axis is None:
        return apply(reduce.MIN, input, axis=None, keepdims=keepdims), _first()
    return apply(reduce.FIRST_MIN, input, axis=axis, keepdims=keepdims), as_dtype(int64, argmin(input, axis, keepdims))


def _first() -> Any:
    return apply(create.FULL, shape=(), value=0, dtype=int64)


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Positions of the first largest elements along ``dim`` (``None``: in the flattened tensor), Int64."""
    found = apply(reduce.ARGMAX, input, axis=dim)
    return apply(views.EXPAND_DIMS, found, axis=dim) if keepdim and dim is not None else found


def argmin(input: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Positions of the first smallest elements along ``axis`` (``None``: in the flattened tensor), Int32."""
    found = apply(reduce.ARGMIN, input, axis=axis)
    return apply(views.EXPAND_DIMS, found, axis=axis) if keepdims and axis is not None else found
