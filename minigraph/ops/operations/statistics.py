"""Primitives of statistics."""

from __future__ import annotations

from minigraph.core.aliases import IntOrTuple
from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Bincount", "Histogram", "ReduceStd"]


def _bincount(array: Tensor, size: Tensor, weights: Tensor) -> Tensor:
    """For each number below ``size``, the sum of the weights of its occurrences."""
    count = int(size.asnumpy())
    return F.bincount(array, weights if weights.size else None, count)[:count]


def _histogram(x: Tensor, *, bins: int, min: float, max: float) -> Tensor:
    """The number of elements in each of ``bins`` intervals, in the dtype of x."""
    return F.cast(F.histc(x, bins, min, max), x.dtype)


Bincount = primitive("Bincount", _bincount)
Histogram = primitive("Histogram", _histogram, bins=100, min=0.0, max=0.0)


def _std_and_mean(x: Tensor, *, axis: IntOrTuple, unbiased: bool, keep_dims: bool) -> tuple[Tensor, Tensor]:
    """(standard deviation, mean) over axes (``()``: all)."""
    return F.std(x, axis, int(unbiased), keep_dims), F.mean(x, axis, keep_dims)


ReduceStd = primitive("ReduceStd", _std_and_mean, axis=(), unbiased=True, keep_dims=False)
