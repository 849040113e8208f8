"""Primitives of sorting, searching and unique elements."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int64
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["InTopK", "NonZero", "SearchSorted", "Sort", "TopK", "Unique"]


Sort, TopK = primitive("Sort", F.sort, axis=-1, descending=False), primitive("TopK", F.top_k, sorted=True)
InTopK, NonZero = primitive("InTopK", F.intopk, k=REQUIRED), primitive("NonZero", F.nonzero)
Unique = primitive("Unique", F.unique)


def _search_sorted(
    sorted_sequence: Tensor, values: Tensor, sorter: Tensor | None = None, *, dtype: DType, right: bool
) -> Tensor:
    """The indices at which values would be inserted into a sorted sequence."""
    return F.cast(F.searchsorted(sorted_sequence, values, right=right, sorter=sorter), dtype)


SearchSorted = primitive("SearchSorted", _search_sorted, dtype=int64, right=False)
