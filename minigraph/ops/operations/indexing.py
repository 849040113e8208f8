"""Primitives that select elements and slices."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.operators import comparison
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "Gather", "GatherD", "GatherNd", "GatherV2", "MaskedFill", "MaskedSelect", "Select", "Slice", "StridedSlice",
    "UnravelIndex",
]  # fmt: skip

Select, MaskedFill = primitive("Select", F.where, comparison.WHERE), primitive("MaskedFill", F.masked_fill)
MaskedSelect, Slice = primitive("MaskedSelect", F.masked_select), primitive("Slice", F.slice)
StridedSlice = primitive(
    "StridedSlice", F.strided_slice,
    begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0,
)  # fmt: skip
Gather, GatherD = primitive("Gather", F.gather, batch_dims=0), primitive("GatherD", F.gather_d)
GatherNd = primitive("GatherNd", F.gather_nd)


def _unravel_index(indices: Tensor, dims: Tensor) -> Tensor:
    """[axes, N]: the positions of flat indices in a tensor of shape ``dims``."""
    columns, rest = [], indices
    for size in reversed(dims.tolist()):
        columns.append(F.floor_mod(rest, size))
        rest = F.floor_div(rest, size)
    return F.stack(columns[::-1], 0)


UnravelIndex = primitive("UnravelIndex", _unravel_index)
GatherV2 = primitive("GatherV2", F.gather)
