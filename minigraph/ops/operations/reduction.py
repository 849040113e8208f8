"""Primitives of reductions over axes, and of cumulative sums and products."""

from __future__ import annotations

from typing import Any

from minigraph.core.op import Op, apply
from minigraph.core.types import DType, int32
from minigraph.operators import reduce
from minigraph.ops import functional as F
from minigraph.ops.primitive import Configured, primitive

__all__ = [
    "ArgMaxWithValue", "ArgMinWithValue", "Argmax", "Argmin", "CumProd", "CumSum", "L2Loss", "ReduceAll", "ReduceAny",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceStd", "ReduceSum", "SquareSumAll",
]  # fmt: skip


def _reduction(name: str, op: Op, logical: bool = False) -> type[Configured]:
    """A reduction in the dtype of its operand, or, a ``logical`` one, in Bool."""

    def reduced(x: Any, axis: Any = (), *, keep_dims: bool) -> Any:
        found = apply(op, x, axis=axis, keepdims=keep_dims)
        return found if logical or found.dtype is x.dtype else F.cast(found, x.dtype)

    return primitive(name, reduced, op, keep_dims=False)


def _sum(x: Any, axis: Any = (), *, keep_dims: bool, skip_mode: bool) -> Any:
    """The sum over axes (``()``: all, or with ``skip_mode`` none), in the dtype of the tensor."""
    return x if skip_mode and axis in ((), []) else F.reduce_sum(x, axis, keep_dims)


def _std_and_mean(x: Any, *, axis: Any, unbiased: bool, keep_dims: bool) -> tuple[Any, Any]:
    """(standard deviation, mean) over axes (``()``: all)."""
    return F.std(x, axis, int(unbiased), keep_dims), F.mean(x, axis, keep_dims)


def _square_sums(x: Any, y: Any) -> tuple[Any, Any]:
    """(the sum of x², the sum of y²)."""
    return F.sum(F.square(x)), F.sum(F.square(y))


def _half_of_squares(x: Any) -> Any:
    """Half of the sum of the squares."""
    return F.sum(F.square(x)) / 2


ReduceSum = primitive("ReduceSum", _sum, reduce.SUM, keep_dims=False, skip_mode=False)
ReduceMean, ReduceProd = _reduction("ReduceMean", reduce.MEAN), _reduction("ReduceProd", reduce.PROD)
ReduceAll = _reduction("ReduceAll", reduce.ALL, logical=True)
ReduceAny = _reduction("ReduceAny", reduce.ANY, logical=True)
ReduceMax, ReduceMin = _reduction("ReduceMax", reduce.MAX), _reduction("ReduceMin", reduce.MIN)
ReduceStd = primitive("ReduceStd", _std_and_mean, axis=(), unbiased=True, keep_dims=False)
SquareSumAll, L2Loss = primitive("SquareSumAll", _square_sums), primitive("L2Loss", _half_of_squares)

# ---- positions of extremes -------------------------------------------------------------------------


def _argmax(input_x: Any, *, axis: int, output_type: DType) -> Any:
    """Positions of the first largest elements along an axis."""
    return F.cast(F.argmax(input_x, axis), output_type)


def _argmin(x: Any, *, axis: int, output_type: DType) -> Any:
    """Positions of the first smallest elements along an axis."""
    return F.cast(F.argmin(x, axis), output_type)


def _place_and_largest(input: Any, *, axis: int, keep_dims: bool) -> tuple[Any, Any]:
    """(positions, largest elements) over one axis."""
    values, places = F.max(input, axis, keep_dims)
    return places, values


def _place_and_smallest(input: Any, *, axis: int, keep_dims: bool) -> tuple[Any, Any]:
    """(positions, smallest elements) over one axis."""
    values, places = F.min(input, axis, keep_dims)
    return places, values


Argmax = primitive("Argmax", _argmax, axis=-1, output_type=int32)
Argmin = primitive("Argmin", _argmin, axis=-1, output_type=int32)
ArgMaxWithValue = primitive("ArgMaxWithValue", _place_and_largest, axis=0, keep_dims=False)
ArgMinWithValue = primitive("ArgMinWithValue", _place_and_smallest, axis=0, keep_dims=False)

# ---- cumulative ------------------------------------------------------------------------------------


def _running(fold: Any) -> Any:
    def run(x: Any, axis: int, *, exclusive: bool, reverse: bool) -> Any:
        """What the elements up to each along an axis come to.

        ``exclusive`` leaves the element itself out, ``reverse`` begins at the end.
        """
        turned = F.flip(x, (axis,)) if reverse else x
        first = (slice(None),) * (axis % x.ndim)
        if exclusive:
            none = F.full_like(turned[(*first, slice(1))], 0 if fold is F.cumsum else 1)
            turned = F.concat([none, turned[(*first, slice(-1))]], axis)
        found = fold(turned, axis)
        return F.flip(found, (axis,)) if reverse else found

    return run


CumSum = primitive("CumSum", _running(F.cumsum), exclusive=False, reverse=False)
CumProd = primitive("CumProd", _running(F.cumprod), exclusive=False, reverse=False)
