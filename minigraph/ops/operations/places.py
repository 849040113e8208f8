"""Primitives of sizes, orders and places, of joining and taking apart, and of random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, int32, int64
from minigraph.operators import random
from minigraph.operators.random import draw
from minigraph.ops.functional import array, making, ordering, pieces, positions, rearrange, scattering, sequences, state
from minigraph.ops.functional import math as maths
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "ArgMaxWithValue", "ArgMinWithValue", "Argmax", "Argmin", "CumProd", "CumSum", "Eye", "Fill", "FillV2", "Flatten",
    "GatherD", "GatherNd", "Identity", "InTopK", "IndexAdd", "InvertPermutation", "LinSpace", "MaskedFill",
    "MaskedSelect", "Meshgrid", "MirrorPad", "NonZero", "Ones", "Pack", "Pad", "Padding", "Range", "Rank",
    "ReverseSequence", "ReverseV2", "Roll", "ScalarToTensor", "ScatterAdd", "ScatterDiv", "ScatterMax", "ScatterMin",
    "ScatterMul", "ScatterNd", "ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate", "ScatterSub", "ScatterUpdate",
    "SearchSorted", "Shape", "Size", "Slice", "Sort", "Split", "StandardNormal", "StopGradient", "StridedSlice",
    "TensorScatterAdd", "TensorScatterDiv", "TensorScatterMax", "TensorScatterMin", "TensorScatterMul",
    "TensorScatterSub", "TensorScatterUpdate", "TensorShape", "TopK", "TupleToArray", "UniformInt", "UniformReal",
    "Unique", "Unpack", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd", "UnsortedSegmentSum",
    "Unstack", "Zeros",
]  # fmt: skip

# ---- sizes and new tensors -------------------------------------------------------------------------


def _eye(n: int, m: int | None, dtype: DType) -> Any:
    """Ones on the diagonal of n rows and m columns."""
    return array.eye(n, m, dtype)


def _filled(shape: Any, x: Any) -> Any:
    """The number in a tensor everywhere."""
    sizes = shape.asnumpy().tolist() if isinstance(shape, Tensor) else shape
    return array.broadcast_to(array.reshape(x, ()), tuple(sizes))


def _invert_permutation(input_x: Any) -> tuple[int, ...]:
    """Where each number stands in an order."""
    return tuple(np.argsort(input_x).tolist())


Shape, TensorShape = primitive("Shape", array.shape), primitive("TensorShape", making.dyn_shape)
Size, Rank = primitive("Size", array.size), primitive("Rank", array.rank)
Eye, Fill, FillV2 = primitive("Eye", _eye), primitive("Fill", making.fill), primitive("FillV2", _filled)
Zeros, Ones = primitive("Zeros", array.zeros), primitive("Ones", array.ones)
Range, LinSpace = primitive("Range", making.range, maxlen=1000000), primitive("LinSpace", making.linspace)
Meshgrid = primitive("Meshgrid", lambda inputs, indexing: making.meshgrid(*inputs, indexing=indexing), indexing="xy")
ScalarToTensor = primitive("ScalarToTensor", making.scalar_to_tensor)
TupleToArray = primitive("TupleToArray", making.tuple_to_array)
InvertPermutation = primitive("InvertPermutation", _invert_permutation)
Identity, StopGradient = primitive("Identity", state.identity), primitive("StopGradient", state.stop_gradient)

# ---- joining and taking apart ----------------------------------------------------------------------


def _split(input_x: Any, *, axis: int, output_num: int) -> tuple[Any, ...]:
    """So many pieces of one size along an axis."""
    return pieces.tensor_split(input_x, output_num, axis)


def _unstack(input_x: Any, *, axis: int, num: int | None = None) -> tuple[Any, ...]:
    """The slices along an axis, without it."""
    return array.unstack(input_x, axis)


def _pad(x: Any, *, paddings: Any) -> Any:
    """Zeros around: (before, after) for each axis."""
    return making.pad(x, tuple(width for pair in reversed(tuple(paddings)) for width in pair))


Pack, Split = primitive("Pack", array.stack, axis=0), primitive("Split", _split, axis=0, output_num=1)
Unpack, Unstack = primitive("Unpack", _unstack, axis=0), primitive("Unstack", _unstack, axis=0, num=None)
Slice, Flatten = primitive("Slice", pieces.slice), primitive("Flatten", array.flatten)
StridedSlice = primitive(
    "StridedSlice", pieces.strided_slice,
    begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0,
)  # fmt: skip
Pad, Padding = primitive("Pad", _pad, paddings=REQUIRED), primitive("Padding", sequences.padding, pad_dim_size=8)
MirrorPad = primitive("MirrorPad", sequences.mirror_pad, mode="REFLECT")
ReverseV2 = primitive("ReverseV2", rearrange.reverse, axis=REQUIRED)
ReverseSequence = primitive("ReverseSequence", sequences.reverse_sequence, seq_dim=REQUIRED, batch_dim=0)
Roll = primitive("Roll", rearrange.roll, shifts=REQUIRED, dims=None)

# ---- orders ----------------------------------------------------------------------------------------


def _argmax(input_x: Any, *, axis: int, output_type: DType) -> Any:
    """Positions of the first largest elements along an axis."""
    return maths.cast(maths.argmax(input_x, axis), output_type)


def _argmin(x: Any, *, axis: int, output_type: DType) -> Any:
    """Positions of the first smallest elements along an axis."""
    return maths.cast(maths.argmin(x, axis), output_type)


def _place_and_largest(input: Any, *, axis: int, keep_dims: bool) -> tuple[Any, Any]:
    """(positions, largest elements) over one axis."""
    values, places = maths.max(input, axis, keep_dims)
    return places, values


def _place_and_smallest(input: Any, *, axis: int, keep_dims: bool) -> tuple[Any, Any]:
    """(positions, smallest elements) over one axis."""
    values, places = maths.min(input, axis, keep_dims)
    return places, values


def _running(fold: Any) -> Any:
    def run(x: Any, axis: int, *, exclusive: bool, reverse: bool) -> Any:
        """What the elements up to each along an axis come to.

        ``exclusive`` leaves the element itself out, ``reverse`` begins at the end.
        """
        turned = array.flip(x, (axis,)) if reverse else x
        first = (slice(None),) * (axis % x.ndim)
        if exclusive:
            none = array.full_like(turned[(*first, slice(1))], 0 if fold is ordering.cumsum else 1)
            turned = array.concat([none, turned[(*first, slice(-1))]], axis)
        found = fold(turned, axis)
        return array.flip(found, (axis,)) if reverse else found

    return run


Argmax = primitive("Argmax", _argmax, axis=-1, output_type=int32)
Argmin = primitive("Argmin", _argmin, axis=-1, output_type=int32)
ArgMaxWithValue = primitive("ArgMaxWithValue", _place_and_largest, axis=0, keep_dims=False)
ArgMinWithValue = primitive("ArgMinWithValue", _place_and_smallest, axis=0, keep_dims=False)
CumSum = primitive("CumSum", _running(ordering.cumsum), exclusive=False, reverse=False)
CumProd = primitive("CumProd", _running(ordering.cumprod), exclusive=False, reverse=False)
Sort, TopK = primitive("Sort", ordering.sort, axis=-1, descending=False), primitive("TopK", ordering.top_k, sorted=True)
InTopK, NonZero = primitive("InTopK", sequences.intopk, k=REQUIRED), primitive("NonZero", ordering.nonzero)
Unique, MaskedSelect = primitive("Unique", ordering.unique), primitive("MaskedSelect", ordering.masked_select)


def _search_sorted(sorted_sequence: Any, values: Any, sorter: Any = None, *, dtype: DType, right: bool) -> Any:
    """Where values would be put into a sequence in order."""
    return maths.cast(ordering.searchsorted(sorted_sequence, values, right=right, sorter=sorter), dtype)


SearchSorted = primitive("SearchSorted", _search_sorted, dtype=int64, right=False)

# ---- places ----------------------------------------------------------------------------------------


def _in_place(change: Any) -> Any:
    def scatter(input_x: Any, indices: Any, updates: Any, *, use_locking: bool) -> Any:
        return change(input_x, indices, updates)

    scatter.__doc__ = change.__doc__
    return scatter


def _index_add(x: Any, indices: Any, y: Any, *, axis: int, use_lock: bool, check_index_bound: bool) -> Any:
    """The slices of a Parameter at ``indices`` of an axis plus those of ``y``, in place."""
    return scattering.inplace_index_add(x, indices, y, axis)


MaskedFill = primitive("MaskedFill", maths.masked_fill)
GatherD, GatherNd = primitive("GatherD", positions.gather_d), primitive("GatherNd", positions.gather_nd)
ScatterNd = primitive("ScatterNd", positions.scatter_nd)
TensorScatterUpdate = primitive("TensorScatterUpdate", positions.tensor_scatter_update)
TensorScatterAdd = primitive("TensorScatterAdd", positions.tensor_scatter_add)
TensorScatterSub = primitive("TensorScatterSub", positions.tensor_scatter_sub)
TensorScatterMul = primitive("TensorScatterMul", positions.tensor_scatter_mul)
TensorScatterDiv = primitive("TensorScatterDiv", positions.tensor_scatter_div)
TensorScatterMax = primitive("TensorScatterMax", positions.tensor_scatter_max)
TensorScatterMin = primitive("TensorScatterMin", positions.tensor_scatter_min)
ScatterUpdate = primitive("ScatterUpdate", _in_place(scattering.scatter_update), use_locking=True)
ScatterAdd = primitive("ScatterAdd", _in_place(scattering.scatter_add), use_locking=False)
ScatterSub = primitive("ScatterSub", _in_place(scattering.scatter_sub), use_locking=False)
ScatterMul = primitive("ScatterMul", _in_place(scattering.scatter_mul), use_locking=False)
ScatterDiv = primitive("ScatterDiv", _in_place(scattering.scatter_div), use_locking=False)
ScatterMax = primitive("ScatterMax", _in_place(scattering.scatter_max), use_locking=False)
ScatterMin = primitive("ScatterMin", _in_place(scattering.scatter_min), use_locking=False)
ScatterNdUpdate = primitive("ScatterNdUpdate", _in_place(scattering.scatter_nd_update), use_locking=True)
ScatterNdAdd = primitive("ScatterNdAdd", _in_place(scattering.scatter_nd_add), use_locking=False)
ScatterNdSub = primitive("ScatterNdSub", _in_place(scattering.scatter_nd_sub), use_locking=False)
IndexAdd = primitive("IndexAdd", _index_add, axis=REQUIRED, use_lock=True, check_index_bound=True)
UnsortedSegmentSum = primitive("UnsortedSegmentSum", positions.unsorted_segment_sum)
UnsortedSegmentMax = primitive("UnsortedSegmentMax", positions.unsorted_segment_max)
UnsortedSegmentMin = primitive("UnsortedSegmentMin", positions.unsorted_segment_min)
UnsortedSegmentProd = primitive("UnsortedSegmentProd", positions.unsorted_segment_prod)

# ---- random numbers --------------------------------------------------------------------------------


def _own_seed(seed: int, seed2: int) -> int | None:
    """The seed of a sequence of draws of its own; both 0: none."""
    return seed * 65537 + seed2 if seed or seed2 else None


def _standard_normal(shape: Any, *, seed: int, seed2: int) -> Any:
    """Numbers from the normal distribution."""
    return draw(random.RANDOM_NORMAL, shape, float32, _own_seed(seed, seed2))


def _uniform_real(shape: Any, *, seed: int, seed2: int) -> Any:
    """Numbers from [0, 1), evenly distributed."""
    return draw(random.RANDOM_UNIFORM, shape, float32, _own_seed(seed, seed2))


def _uniform_int(shape: Any, minval: Any, maxval: Any, *, seed: int, seed2: int) -> Any:
    """Whole numbers, Int32, from ``minval`` up to, without, ``maxval``."""
    low, high = (int(one.asnumpy()) if isinstance(one, Tensor) else one for one in (minval, maxval))
    drawn = draw(random.RANDOM_INTEGER, shape, int64, _own_seed(seed, seed2), low=low, high=high)
    return maths.cast(drawn, int32)


StandardNormal = primitive("StandardNormal", _standard_normal, seed=0, seed2=0)
UniformReal = primitive("UniformReal", _uniform_real, seed=0, seed2=0)
UniformInt = primitive("UniformInt", _uniform_int, seed=0, seed2=0)
