"""Primitives that scatter updates into new tensors, and reduce segments."""

from __future__ import annotations

from typing import Any

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive
from minigraph.ops.tensor_methods import indexing

__all__ = [
    "FillDiagonal", "IndexFill", "InplaceAdd", "InplaceIndexAdd", "InplaceSub", "InplaceUpdateV2", "MaskedScatter",
    "ScatterNd", "SparseToDense", "TensorScatterAdd", "TensorScatterDiv", "TensorScatterElements", "TensorScatterMax",
    "TensorScatterMin", "TensorScatterMul", "TensorScatterSub", "TensorScatterUpdate", "UnsortedSegmentMax",
    "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum",
]  # fmt: skip


ScatterNd, SparseToDense = (primitive(name, F.scatter_nd) for name in ("ScatterNd", "SparseToDense"))
TensorScatterUpdate = primitive("TensorScatterUpdate", F.tensor_scatter_update)
TensorScatterAdd = primitive("TensorScatterAdd", F.tensor_scatter_add)
TensorScatterSub = primitive("TensorScatterSub", F.tensor_scatter_sub)
TensorScatterMul = primitive("TensorScatterMul", F.tensor_scatter_mul)
TensorScatterDiv = primitive("TensorScatterDiv", F.tensor_scatter_div)
TensorScatterMax = primitive("TensorScatterMax", F.tensor_scatter_max)
TensorScatterMin = primitive("TensorScatterMin", F.tensor_scatter_min)
UnsortedSegmentSum = primitive("UnsortedSegmentSum", F.unsorted_segment_sum)
UnsortedSegmentMax = primitive("UnsortedSegmentMax", F.unsorted_segment_max)
UnsortedSegmentMin = primitive("UnsortedSegmentMin", F.unsorted_segment_min)
UnsortedSegmentProd = primitive("UnsortedSegmentProd", F.unsorted_segment_prod)


def _inplace_update(x: Tensor, indices: Any, v: Tensor) -> Tensor:
    """Rows replaced by the rows of ``v``."""
    return F.inplace_update(x, v, indices)


def _fill_diagonal(x: Tensor, *, fill_value: float, wrap: bool) -> Tensor:
    """A copy with a number on the diagonal."""
    return indexing.fill_diagonal(x, fill_value, wrap)


def _masked_scatter(x: Tensor, mask: Tensor, updates: Tensor) -> Tensor:
    """A copy with the elements of ``updates``, in order, where the mask holds."""
    return indexing.masked_scatter(x, mask, updates)


IndexFill = primitive("IndexFill", F.index_fill)
InplaceAdd = primitive("InplaceAdd", F.inplace_add, indices=REQUIRED)
InplaceSub = primitive("InplaceSub", F.inplace_sub, indices=REQUIRED)
InplaceIndexAdd = primitive("InplaceIndexAdd", F.inplace_index_add, axis=REQUIRED)
InplaceUpdateV2 = primitive("InplaceUpdateV2", _inplace_update)
TensorScatterElements = primitive("TensorScatterElements", F.tensor_scatter_elements, axis=0, reduction="none")
FillDiagonal = primitive("FillDiagonal", _fill_diagonal, fill_value=REQUIRED, wrap=False)
MaskedScatter = primitive("MaskedScatter", _masked_scatter)
