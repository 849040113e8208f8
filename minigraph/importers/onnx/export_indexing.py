"""Keys of indices, slices and tensors as ONNX nodes, for ``to_onnx``.

Slices are ONNX's Slice and one index tensor its Gather. All other keys use the *flat positions* of the selected
elements: the elements that numpy selects from the numbers 0, 1, 2, ... in the tensor's shape. Without index tensors
they are known and written as a constant. With them they are a sum: the positions for indices of zero, plus each index
times the distance of its axis. Reading gathers at these positions; writing and adding scatter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ModelError
from minigraph.core.types import TensorType, bool_, int64
from minigraph.importers.onnx.export_call import Call, Names
from minigraph.operators.indexing import Key, is_operand, numpy_index

END = np.iinfo(np.int64).max


def index(c: Call) -> Names:
    """The selected elements."""
    key: Key = c.attrs["key"]
    tensors = [axis for axis, item in enumerate(key) if is_operand(item)]
    if not tensors:
        return _slice(c, key)
    if len(tensors) == 1 and all(item == (0, size, 1) for item, size in _other_axes(c, key)):
        _refuse_masks(c.types[1:])
        return c("Gather", c.ins[0], c.cast(c.ins[1], int64), axis=tensors[0])
    positions = _flat_positions(c, c.types[0].shape, c.ins[1:], c.types[1:])
    return c("Gather", c("Reshape", c.ins[0], c.ints([-1])), positions, axis=0)


def index_add(c: Call) -> Names:
    """Zeros with values added to the selected elements."""
    positions = _flat_positions(c, c.attrs["shape"], c.ins[1:], c.types[1:])
    return add_at(c, positions, c.ins[0], c.attrs["shape"])


def set_item(c: Call) -> Names:
    """The tensor with the selected elements replaced."""
    x, shape, indices = c.ins[0], c.types[0].shape, c.types[2:]
    if c.types[1].size == 1 and _is_mask(c.attrs["key"], shape, indices):
        return _set_masked(c)
    positions = _flat_positions(c, shape, c.ins[2:], indices)
    selected = np.zeros(shape, bool)[numpy_index(c.attrs["key"], _zeros(indices))].shape
    size = c.types[1].shape[max(len(c.types[1].shape) - len(selected), 0) :]
    value = c("Reshape", c.cast(c.ins[1], c.types[0].dtype), c.ints(size), allowzero=1)
    value = c("Reshape", c("Expand", value, c.ints(selected)), c.ints([-1]))
    flat = [c("Reshape", name, c.ints([-1])) for name in (x, positions)]
    return c("Reshape", c("ScatterElements", *flat, value), c.ints(shape), allowzero=1)


def _is_mask(key: Key, shape: Sequence[int], types: Sequence[TensorType]) -> bool:
    """Whether a key is one mask over the first axes."""
    masks = [type for type in types if type.dtype is bool_]
    return len(masks) == len(types) == 1 and key == ((1,), *((0, n, 1) for n in shape[masks[0].ndim :]))


def _set_masked(c: Call) -> Names:
    """The tensor with one number where a mask over its first axes is true."""
    (_, mask_type), rank = c.types[1:], c.types[0].ndim
    mask = c("Unsqueeze", c.ins[2], c.ints(range(mask_type.ndim, rank))) if mask_type.ndim < rank else c.ins[2]
    return c("Where", mask, c("Reshape", c.cast(c.ins[1], c.types[0].dtype), c.ints([])), c.ins[0])


def add_at(c: Call, positions: str, values: str, shape: Sequence[int]) -> str:
    """Zeros of a shape with values added at flat positions."""
    zeros = c.constant(np.zeros(math.prod(shape), c.types[0].dtype.numpy))
    flat = [c("Reshape", name, c.ints([-1])) for name in (positions, values)]
    return c("Reshape", c("ScatterElements", zeros, *flat, reduction="add"), c.ints(shape), allowzero=1)


def _other_axes(c: Call, key: Key) -> list[tuple[Any, int | None]]:
    """The items of a key that are not tensors, with the sizes of their axes; ``None`` for a new axis."""
    sizes = iter(c.types[0].shape)
    pairs = [(item, None if item is None else next(sizes)) for item in key]
    return [(item, size) for item, size in pairs if not is_operand(item)]


def _slice(c: Call, key: Key) -> Names:
    """Slices, then integers and new axes."""
    slices = [(item, item + 1, 1) if isinstance(item, int) else item for item in key if item is not None]
    bounds = [(start, _slice_end(stop, step), step) for start, stop, step in slices]
    dropped = [axis for axis, item in enumerate(item for item in key if item is not None) if isinstance(item, int)]
    new = [axis for axis, item in enumerate(item for item in key if not isinstance(item, int)) if item is None]
    starts, ends, steps = (c.ints([bound[k] for bound in bounds]) for k in range(3))
    x = c("Slice", c.ins[0], starts, ends, c.ints(range(len(bounds))), steps) if bounds else c.ins[0]
    x = c("Squeeze", x, c.ints(dropped)) if dropped else x
    return c("Unsqueeze", x, c.ints(new)) if new else x


def _slice_end(stop: int | None, step: int) -> int:
    return stop if stop is not None else END if step > 0 else -END


def _flat_positions(c: Call, shape: Sequence[int], indices: Sequence[str], types: Sequence[TensorType]) -> str:
    """The flat positions of the elements that the key selects in a tensor of a shape, in the selection's shape."""
    _refuse_masks(types)
    key: Key = c.attrs["key"]
    flat_positions = np.arange(math.prod(shape)).reshape(shape)[numpy_index(key, _zeros(types))]
    trailing = _axes_after(key, flat_positions.ndim, types)
    positions, axes = c.ints(flat_positions), iter(range(len(shape)))
    for item in key:
        axis = None if item is None else next(axes)
        if axis is not None and is_operand(item):
            name, size = c.cast(indices[item[0] - 1], int64), shape[axis]
            forward = c("Where", c("Less", name, c.ints(0)), c("Add", name, c.ints(size)), name)
            distance = c("Mul", forward, c.ints(math.prod(shape[axis + 1 :])))
            rank = types[item[0] - 1].ndim
            if trailing:
                distance = c("Unsqueeze", distance, c.ints(range(rank, rank + trailing)))
            positions = c("Add", positions, distance)
    return positions


def _axes_after(key: Key, rank: int, types: Sequence[TensorType]) -> int:
    """The number of axes of a selection after the axes of the index tensors.

    numpy's rule: integers count as tensors; if they are adjacent, their axes take their place, else they come first.
    """
    if not types:
        return 0
    tensors = [axis for axis, item in enumerate(key) if isinstance(item, int) or is_operand(item)]
    side_by_side = tensors[-1] - tensors[0] == len(tensors) - 1
    before = tensors[0] if side_by_side else 0
    return rank - before - len(np.broadcast_shapes(*(type.shape for type in types)))


def _zeros(types: Sequence[TensorType]) -> tuple[Any, ...]:
    return tuple(np.zeros(type.shape, np.int64) for type in types)


def _refuse_masks(types: Sequence[TensorType]) -> None:
    if any(type.dtype is bool_ for type in types):
        raise ModelError("to_onnx: this use of a mask as an index is not supported; use where")
