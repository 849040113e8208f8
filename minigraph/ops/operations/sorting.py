"""Primitives of sorting, searching and unique elements."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int32, int64
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["Bucketize", "InTopK", "SearchSorted", "Sort", "TopK", "UniqueConsecutive"]

Sort, TopK = primitive("Sort", F.sort, axis=-1, descending=False), primitive("TopK", F.top_k, sorted=True)
InTopK = primitive("InTopK", F.intopk, k=REQUIRED)


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


UniqueConsecutive = primitive(
    "UniqueConsecutive", _unique_consecutive, return_inverse=False, return_counts=False, dim=None
)
Bucketize = primitive("Bucketize", _bucketize, boundaries=REQUIRED)
