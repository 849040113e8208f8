"""Primitives that scatter updates into new tensors, and reduce segments."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive
from minigraph.ops.tensor_methods import indexing

__all__ = [
    "FillDiagonal", "InplaceAdd", "InplaceIndexAdd", "InplaceSub", "InplaceUpdate", "InplaceUpdateV2", "MaskedScatter",
    "ScatterAddWithAxis", "ScatterNd", "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum",
    "SparseToDense", "TensorScatterElements",
]  # fmt: skip


ScatterNd, SparseToDense = (primitive(name, F.scatter_nd) for name in ("ScatterNd", "SparseToDense"))


def _inplace_update(x: Tensor, indices: Any, v: Tensor) -> Tensor:
    """Rows replaced by the rows of ``v``."""
    return F.inplace_update(x, v, indices)


def _fill_diagonal(x: Tensor, *, fill_value: float, wrap: bool) -> Tensor:
    """A copy with a number on the diagonal."""
    return indexing.fill_diagonal(x, fill_value, wrap)


def _masked_scatter(x: Tensor, mask: Tensor, updates: Tensor) -> Tensor:
    """A copy with the elements of ``updates``, in order, where the mask holds."""
    return indexing.masked_scatter(x, mask, updates)


InplaceAdd = primitive("InplaceAdd", F.inplace_add, indices=REQUIRED)
InplaceSub = primitive("InplaceSub", F.inplace_sub, indices=REQUIRED)
InplaceIndexAdd = primitive("InplaceIndexAdd", F.inplace_index_add, axis=REQUIRED)
InplaceUpdateV2 = primitive("InplaceUpdateV2", _inplace_update)
TensorScatterElements = primitive("TensorScatterElements", F.tensor_scatter_elements, axis=0, reduction="none")
FillDiagonal = primitive("FillDiagonal", _fill_diagonal, fill_value=REQUIRED, wrap=False)
MaskedScatter = primitive("MaskedScatter", _masked_scatter)


# ---- segments --------------------------------------------------------------------------------------


def _segments(reduce: Function, has_neutral: bool) -> Function:
    def of_segments(input_x: Tensor, segment_ids: Tensor) -> Tensor:
        """The rows of each segment reduced; ids are sorted, and of a missing one the row is 0, of a product 1."""
        count = int(segment_ids.asnumpy()[-1]) + 1
        rows = reduce(input_x, segment_ids, count)
        return rows if has_neutral else F.where(_sizes(segment_ids, count, input_x.ndim) > 0, rows, 0)

    return of_segments


def _sizes(segment_ids: Tensor, count: int, rank: int) -> Tensor:
    """The number of rows of each segment, for rows of that rank."""
    sizes = F.unsorted_segment_sum(F.ones_like(F.cast(segment_ids, float32)), segment_ids, count)
    return sizes.reshape(-1, *(1,) * (rank - 1))


def _segment_mean(input_x: Tensor, segment_ids: Tensor) -> Tensor:
    """The mean of the rows of each segment; ids are sorted, and of a missing one the row is 0."""
    count = int(segment_ids.asnumpy()[-1]) + 1
    sums = F.unsorted_segment_sum(input_x, segment_ids, count)
    return F.cast(sums / F.maximum(_sizes(segment_ids, count, input_x.ndim), 1), input_x.dtype)


SegmentSum = primitive("SegmentSum", _segments(F.unsorted_segment_sum, True))
SegmentProd = primitive("SegmentProd", _segments(F.unsorted_segment_prod, True))
SegmentMax = primitive("SegmentMax", _segments(F.unsorted_segment_max, False))
SegmentMin = primitive("SegmentMin", _segments(F.unsorted_segment_min, False))
SegmentMean = primitive("SegmentMean", _segment_mean)


def _scatter_add(input_x: Tensor, indices: Tensor, update: Tensor, *, axis: int) -> Tensor:
    """``input_x`` with the updates added to the elements that ``indices`` select along an axis."""
    return F.tensor_scatter_elements(input_x, indices, update, axis, "add")


def _update_rows(x: Tensor, v: Tensor, *, indices: Any) -> Tensor:
    """Rows replaced by the rows of ``v``."""
    return F.inplace_update(x, v, indices)


ScatterAddWithAxis = primitive("ScatterAddWithAxis", _scatter_add, axis=0)
InplaceUpdate = primitive("InplaceUpdate", _update_rows, indices=REQUIRED)
