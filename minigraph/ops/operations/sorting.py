"""Primitives of sorting, searching and unique elements."""

from __future__ import annotations

from minigraph.core.aliases import Function
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int32, int64
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["Bucketize", "InTopK", "LowerBound", "SearchSorted", "Sort", "TopK", "UniqueConsecutive", "UpperBound"]

Sort, TopK = primitive("Sort", F.sort, axis=-1, descending=False), primitive("TopK", F.top_k, sorted=True)
InTopK = primitive("InTopK", F.intopk, k=REQUIRED)


def _search_sorted(
    sorted_sequence: Tensor, values: Tensor, sorter: Tensor | None = None, *, dtype: DType, right: bool
) -> Tensor:
    """The indices at which values would be inserted into a sorted sequence."""
    return F.cast(F.searchsorted(sorted_sequence, values, right=right, sorter=sorter), dtype)


def _bound(is_upper: bool) -> Function:
    def bound(sorted_x: Tensor, values: Tensor, *, out_type: DType) -> Tensor:
        """The first index of each row at which an element is not below a value, or is above it (``UpperBound``)."""
        return F.cast(F.searchsorted(sorted_x, values, right=is_upper), out_type)

    return bound


SearchSorted = primitive("SearchSorted", _search_sorted, dtype=int64, right=False)
LowerBound = primitive("LowerBound", _bound(False), out_type=int32)
UpperBound = primitive("UpperBound", _bound(True), out_type=int32)


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
