"""Primitives of sorting, searching and unique elements."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int32, int64
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "Bucketize", "InTopK", "ListDiff", "LowerBound", "NthElement", "SearchSorted", "Sort", "TopK", "UniqueConsecutive",
    "UniqueWithPad", "UpperBound",
]  # fmt: skip

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


def _nth_element(x: Tensor, n: int | Tensor, *, reverse: bool) -> Tensor:
    """The n-th smallest element of each row, or with ``reverse`` the n-th largest, from 0 on."""
    return F.sort(x, -1, reverse)[0][..., int(n.asnumpy()) if isinstance(n, Tensor) else n]


def _list_difference(x: Tensor, y: Tensor, *, out_idx: DType) -> tuple[Tensor, Tensor]:
    """(the elements of x that are not in y, in their order, their positions)."""
    positions = np.flatnonzero(~np.isin(x.asnumpy(), y.asnumpy()))
    return Tensor(x.asnumpy()[positions]), Tensor(positions, out_idx)


def _unique_with_pad(x: Tensor, pad_num: Tensor | int) -> tuple[Tensor, Tensor]:
    """(the unique elements, padded with a number to the size of x, the position of each element among them)."""
    values, positions = F.unique(x)
    number = pad_num.item() if isinstance(pad_num, Tensor) else pad_num
    return F.concat([values, F.full((x.size - values.size,), number, dtype=x.dtype)]), positions


NthElement = primitive("NthElement", _nth_element, reverse=False)
ListDiff = primitive("ListDiff", _list_difference, out_idx=int32)
UniqueWithPad = primitive("UniqueWithPad", _unique_with_pad)
