"""Primitives of cumulative reductions."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.float_limits import float_limits
from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["CumProd", "CumSum", "Cummax", "Cummin", "CumulativeLogsumexp"]


def _cumulative_logsumexp(x: Tensor, axis: Any, *, exclusive: bool, reverse: bool) -> Tensor:
    """log(cumsum(exp(x))) along an axis, from the end with ``reverse``; ``exclusive`` leaves the element itself out."""
    dim = int(axis.asnumpy() if isinstance(axis, Tensor) else axis) % x.ndim
    y = F.flip(x, (dim,)) if reverse else x
    if exclusive:
        leading = (slice(None),) * dim
        lowest = -float(float_limits(y.dtype.numpy).max)  # MindSpore's substitute for log(0)
        y = F.concat([F.full_like(y[(*leading, slice(1))], lowest), y[(*leading, slice(-1))]], dim)
    out = F.logcumsumexp(y, dim)
    return F.flip(out, (dim,)) if reverse else out


Cummax, Cummin = primitive("Cummax", F.cummax, axis=REQUIRED), primitive("Cummin", F.cummin, axis=REQUIRED)
CumulativeLogsumexp = primitive("CumulativeLogsumexp", _cumulative_logsumexp, exclusive=False, reverse=False)


def _cumulative(function: Function) -> Function:
    def cumulative(x: Tensor, axis: int, *, exclusive: bool, reverse: bool) -> Tensor:
        """The cumulative sum or product along an axis.

        ``exclusive`` leaves out the element itself, ``reverse`` begins at the end.
        """
        operand = F.flip(x, (axis,)) if reverse else x
        first = (slice(None),) * (axis % x.ndim)
        if exclusive:
            neutral = F.full_like(operand[(*first, slice(1))], 0 if function is F.cumsum else 1)
            operand = F.concat([neutral, operand[(*first, slice(-1))]], axis)
        result = F.cast(function(operand, axis), x.dtype)  # products of integers have a wider dtype
        return F.flip(result, (axis,)) if reverse else result

    return cumulative


CumSum = primitive("CumSum", _cumulative(F.cumsum), exclusive=False, reverse=False)
CumProd = primitive("CumProd", _cumulative(F.cumprod), exclusive=False, reverse=False)
