"""Joining tensors and splitting them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from minigraph.core.aliases import Function
from minigraph.core.errors import ArgTypeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import indexing, joining
from minigraph.operators.families import normalize_axis
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.operator_functions import rename_arguments
from minigraph.ops.functional.shapes import reshape

FORMS = """
method mint: unbind
method: chunk dsplit hsplit tensor_split vsplit
mint: dstack hstack
function: atleast_1d atleast_2d atleast_3d cat column_stack concat row_stack split stack unstack vstack
"""
export(globals())


FULL_SLICE = (None, None, None)  # start, stop and step of ``:``


def index_axis(x: Tensor, axis: int, item: int | tuple[int | None, ...]) -> Tensor:
    """Indexes one axis, not negative, with an integer or with the start, stop and step of a slice."""
    return apply(indexing.INDEX, x, key=(*(FULL_SLICE,) * axis, item, ...))


# ---- joining ---------------------------------------------------------------------------------------


def concat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Joins tensors along an axis; raises ``TypeError`` for a bare tensor."""
    return apply(joining.CONCAT, *_check_sequence("concat", tensors), axis=axis)


cat = concat


def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Joins tensors of one shape along a new axis."""
    return apply(joining.STACK, *_check_sequence("stack", tensors), axis=axis)


def _check_sequence(name: str, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    if not isinstance(tensors, tuple | list):
        name_of_type = type(tensors).__name__
        raise ArgTypeError(f"For '{name}', the 'tensors' must be a tuple or list of tensors, but got {name_of_type}.")
    return tensors


def _map_tensors(fn: Function, inputs: Tensor) -> Tensor:
    """The function of a tensor, or of each tensor of a tuple or list."""
    return tuple(map(fn, inputs)) if isinstance(inputs, tuple | list) else fn(inputs)


def atleast_1d(inputs: Tensor) -> Tensor:
    """A tensor, or each of several, with at least one axis."""
    return _map_tensors(lambda x: x if x.ndim else reshape(x, (1,)), inputs)


def atleast_2d(inputs: Tensor) -> Tensor:
    """A tensor, or each of several, with at least two axes, new ones in front."""
    return _map_tensors(lambda x: x if x.ndim > 1 else reshape(x, (1, -1)), inputs)


def atleast_3d(inputs: Tensor) -> Tensor:
    """A tensor, or each of several, with at least three axes: a vector is [1, n, 1], a matrix [m, n, 1]."""
    return _map_tensors(lambda x: x if x.ndim > 2 else reshape(x, (*x.shape, 1) if x.ndim == 2 else (1, -1, 1)), inputs)


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors horizontally: along axis 1, vectors along axis 0."""
    parts = [atleast_1d(tensor) for tensor in tensors]
    return concat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(inputs: Sequence[Tensor]) -> Tensor:
    """Joins tensors vertically, along axis 0; vectors are rows."""
    return concat([atleast_2d(tensor) for tensor in inputs], 0)


row_stack = rename_arguments(vstack, tensors="inputs")


def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along axis 2."""
    return concat([atleast_3d(tensor) for tensor in tensors], 2)


def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Joins tensors along axis 1; vectors are columns."""
    return concat([reshape(tensor, (-1, 1)) if tensor.ndim < 2 else tensor for tensor in tensors], 1)


# ---- splitting -------------------------------------------------------------------------------------


def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Splits along an axis into chunks of one size (the last may be smaller), or of the given sizes."""
    sizes = split_size_or_sections
    chunks = apply(joining.SPLIT, tensor, sizes=sizes if isinstance(sizes, int) else tuple(sizes), axis=axis)
    return chunks if isinstance(chunks, tuple) else (chunks,)


def chunk(input: Tensor, chunks: int, axis: int = 0) -> tuple[Tensor, ...]:
    """Splits along an axis into at most ``chunks`` chunks of one size; the last may be smaller."""
    size = input.shape[normalize_axis("chunk", axis, input.ndim)]
    return split(input, max(-(-size // chunks), 1), axis)


def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """The slices along an axis, without it."""
    axis = normalize_axis("unstack", axis, input_x.ndim)
    return tuple(index_axis(input_x, axis, i) for i in range(input_x.shape[axis]))


unbind = rename_arguments(unstack, input="input_x", dim="axis")


def tensor_split(input: Tensor, indices_or_sections: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Splits along an axis into nearly equal sections, larger ones first, or at the given indices."""
    axis = normalize_axis("tensor_split", axis, input.ndim)
    size = input.shape[axis]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count < 1:
            raise UsageError(f"tensor_split: {count} sections; pass at least 1")
        return split(input, [size // count + (i < size % count) for i in range(count)], axis)
    bounds = [0, *indices_or_sections, size]
    return tuple(index_axis(input, axis, (start, stop, None)) for start, stop in pairwise(bounds))


def hsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Splits along axis 1; a vector along axis 0."""
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Splits along axis 0."""
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input: Tensor, indices_or_sections: int | Sequence[int]) -> tuple[Tensor, ...]:
    """Splits along axis 2."""
    return tensor_split(input, indices_or_sections, 2)
