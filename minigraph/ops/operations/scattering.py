"""Primitives that scatter updates into new tensors, and reduce segments."""

from __future__ import annotations

from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "ScatterNd", "TensorScatterAdd", "TensorScatterDiv", "TensorScatterMax", "TensorScatterMin", "TensorScatterMul",
    "TensorScatterSub", "TensorScatterUpdate", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd",
    "UnsortedSegmentSum",
]  # fmt: skip


ScatterNd = primitive("ScatterNd", F.scatter_nd)
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
