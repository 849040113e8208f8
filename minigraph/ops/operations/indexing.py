"""Primitives that select elements and slices."""

from __future__ import annotations

from typing import Any

from minigraph.core.tensor import Tensor
from minigraph.operators import comparison
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive
from minigraph.ops.tensor_methods import indexing

__all__ = [
    "EmbeddingLookup",
    "Gather",
    "IndexPut",
    "MapUniform",
    "Select",
    "StridedSlice",
    "SubAndFilter",
    "UnravelIndex",
]

Select = primitive("Select", F.where, comparison.WHERE)
StridedSlice = primitive(
    "StridedSlice", F.strided_slice,
    begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0,
)  # fmt: skip
Gather = primitive("Gather", F.gather, batch_dims=0)


def _unravel_index(indices: Tensor, dims: Tensor) -> Tensor:
    """[axes, N]: the positions of flat indices in a tensor of shape ``dims``."""
    columns, remainder = [], indices
    for size in reversed(dims.tolist()):
        columns.append(F.floor_mod(remainder, size))
        remainder = F.floor_div(remainder, size)
    return F.stack(columns[::-1], 0)


UnravelIndex = primitive("UnravelIndex", _unravel_index)


def _lookup(input_params: Tensor, input_indices: Tensor, offset: int) -> Tensor:
    """Rows of a table at indices - offset; zeros for indices outside of it."""
    positions = input_indices - offset
    in_range = F.logical_and(positions >= 0, positions < input_params.shape[0])
    rows = F.gather(input_params, F.where(in_range, positions, 0), 0)
    return F.where(F.reshape(in_range, (*in_range.shape, *[1] * (rows.ndim - in_range.ndim))), rows, F.zeros_like(rows))


def _index_put(x1: Tensor, x2: Tensor, indices: Any, *, accumulate: int) -> Tensor:
    """``x1`` with the values ``x2`` written, or added, at indices, one tensor per axis."""
    result: Tensor = indexing.index_put(x1, indices, x2, bool(accumulate))
    return result


EmbeddingLookup = primitive("EmbeddingLookup", _lookup)
IndexPut = primitive("IndexPut", _index_put, accumulate=0)


def _map_uniform(input: Tensor, per_group_size: int, group_num: int) -> Tensor:
    """Keys moved to groups of equal size: key % groups * size + key // groups."""
    return input % group_num * per_group_size + F.floor_div(input, group_num)


def _subtract_and_filter(input_x: Tensor, max_num: int, offset: int) -> tuple[Tensor, Tensor]:
    """(the elements minus ``offset`` that are in [0, max_num), their positions)."""
    shifted = input_x - offset
    positions = F.nonzero((shifted >= 0) & (shifted < max_num)).reshape(-1)
    return shifted[positions], F.cast(positions, input_x.dtype)


MapUniform = primitive("MapUniform", _map_uniform)
SubAndFilter = primitive("SubAndFilter", _subtract_and_filter)
