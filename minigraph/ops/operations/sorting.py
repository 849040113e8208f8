"""Primitives of sorting, searching and unique elements."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import IntOrTuple
from minigraph.core.float_limits import float_limits
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int32, int64
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "Bincount", "Bucketize", "CountNonZero", "Cummax", "Cummin", "CumulativeLogsumexp", "GatherV2", "Histogram",
    "InTopK", "NonZero", "SearchSorted", "Sort", "TopK", "Unique", "UniqueConsecutive",
]  # fmt: skip


Sort, TopK = primitive("Sort", F.sort, axis=-1, descending=False), primitive("TopK", F.top_k, sorted=True)
InTopK, NonZero = primitive("InTopK", F.intopk, k=REQUIRED), primitive("NonZero", F.nonzero)
Unique = primitive("Unique", F.unique)


def _search_sorted(
    sorted_sequence: Tensor, values: Tensor, sorter: Tensor | None = None, *, dtype: DType, right: bool
) -> Tensor:
    """The indices at which values would be inserted into a sorted sequence."""
    return F.cast(F.searchsorted(sorted_sequence, values, right=right, sorter=sorter), dtype)


SearchSorted = primitive("SearchSorted", _search_sorted, dtype=int64, right=False)


def _bucketize(x: Tensor, *, boundaries: list[float]) -> Tensor:
    """The number of the interval of each element, Int32."""
    return F.cast(F.bucketize(x, boundaries, right=True), int32)


def _unique_consecutive(x: Tensor, *, return_inverse: bool, return_counts: bool, dim: int | None) -> tuple[Tensor, ...]:
    """(elements without repetitions, and on request the positions and the lengths of the runs; else 0)."""
    values, positions, counts = F.unique_consecutive(x, True, True, dim)
    empty = F.zeros((), positions.dtype)
    return values, positions if return_inverse else empty, counts if return_counts else empty


def _bincount(array: Tensor, size: Tensor, weights: Tensor) -> Tensor:
    """The sum of the weights of each number below ``size``."""
    count = int(size.asnumpy())
    return F.bincount(array, weights if weights.size else None, count)[:count]


def _histogram(x: Tensor, *, bins: int, min: float, max: float) -> Tensor:
    """The number of elements in each of ``bins`` intervals, in the dtype of x."""
    return F.cast(F.histc(x, bins, min, max), x.dtype)


def _cumulative_logsumexp(x: Tensor, axis: Any, *, exclusive: bool, reverse: bool) -> Tensor:
    """log(cumsum(exp(x))) along an axis, from the end with ``reverse``; ``exclusive`` leaves the element itself out."""
    at = int(axis.asnumpy() if isinstance(axis, Tensor) else axis) % x.ndim
    y = F.flip(x, (at,)) if reverse else x
    if exclusive:
        lead = (slice(None),) * at
        lowest = -float(float_limits(y.dtype.numpy).max)  # as MindSpore stands in for log(0)
        y = F.concat([F.full_like(y[(*lead, slice(1))], lowest), y[(*lead, slice(-1))]], at)
    out = F.logcumsumexp(y, at)
    return F.flip(out, (at,)) if reverse else out


def _count_nonzero(x: Tensor, *, dims: IntOrTuple | None) -> Tensor:
    """The number of elements other than 0, over axes."""
    return F.count_nonzero(x, () if dims is None else dims, dtype=int64)


UniqueConsecutive = primitive(
    "UniqueConsecutive", _unique_consecutive, return_inverse=False, return_counts=False, dim=None
)
Bucketize, Bincount = primitive("Bucketize", _bucketize, boundaries=REQUIRED), primitive("Bincount", _bincount)
Histogram = primitive("Histogram", _histogram, bins=100, min=0.0, max=0.0)
Cummax, Cummin = primitive("Cummax", F.cummax, axis=REQUIRED), primitive("Cummin", F.cummin, axis=REQUIRED)
CumulativeLogsumexp = primitive("CumulativeLogsumexp", _cumulative_logsumexp, exclusive=False, reverse=False)
CountNonZero, GatherV2 = primitive("CountNonZero", _count_nonzero, dims=None), primitive("GatherV2", F.gather)
