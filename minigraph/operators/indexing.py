"""Indexing with ints, slices, ``None``, ``...`` and integer tensors, and its gradient.

A canonical key is a tuple of plain values, one per item of the index: an int, ``(start, stop, step)`` for a slice,
``(position,)`` for a tensor operand, ``None`` for a new axis. It is explicit: ``...`` and missing axes are full slices.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs
from minigraph.core.errors import ArgIndexError, RangeError, ShapeError, UsageError
from minigraph.core.op import EachOperand, Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, TensorType
from minigraph.operators.work import traffic

Key = tuple[Any, ...]


# ---- keys ------------------------------------------------------------------------------------------


def is_slice(item: object) -> bool:
    """Whether an item of a key is a slice."""
    return isinstance(item, tuple) and len(item) == 3


def is_operand(item: object) -> bool:
    """Whether an item of a key is a tensor operand."""
    return isinstance(item, tuple) and len(item) == 1


@lru_cache(maxsize=4096)
def numpy_key(key: Key) -> Key:
    """The key in numpy's form, with operands as ``(position,)``."""
    return tuple(slice(*item) if is_slice(item) else item for item in key)


def numpy_index(key: Key, indices: tuple[Array, ...]) -> Key:
    """The key in numpy's form, with operands as arrays."""
    if not indices:
        return numpy_key(key)
    return tuple(indices[item[0] - 1] if is_operand(item) else item for item in numpy_key(key))


def _axis_count(item: Any, indices: Sequence[Tensor | TensorType]) -> int:
    """How many axes of the indexed tensor an item indexes."""
    if item is None or item is Ellipsis:
        return 0
    mask = is_operand(item) and indices[item[0] - 1].dtype.kind == "b"
    return len(indices[item[0] - 1].shape) if mask else 1


def _expand_ellipsis(shape: Shape, key: Key, indices: Sequence[Tensor | TensorType]) -> Key:
    """The key with ``...`` and the missing axes as full slices."""
    ellipses = key.count(Ellipsis)
    indexed = sum([_axis_count(item, indices) for item in key]) if indices else len(key) - key.count(None) - ellipses
    if indexed > len(shape):
        raise RangeError(f"index: {indexed} indices for a tensor of shape {list(shape)}; use at most {len(shape)}")
    if ellipses > 1:
        raise ArgIndexError("An index can only have a single ellipsis('...')")
    rest = ((None, None, None),) * (len(shape) - indexed)
    if not ellipses:
        return (*key, *rest)
    position = key.index(Ellipsis)
    return (*key[:position], *rest, *key[position + 1 :])


def _canonical_item(item: Any, size: int) -> Any:
    """An int or slice with non-negative indices; raises ``RangeError``."""
    if isinstance(item, tuple):
        return _canonical_slice(slice(*item), size)
    if not -size <= item < size:
        raise ArgIndexError(f"index {item} is out of bounds for dimension with size {size}")
    return int(item) % size


def _canonical_slice(item: slice, size: int) -> tuple[int, int | None, int]:
    if item.step == 0:
        raise UsageError("index: a slice's step must not be 0")
    start, stop, step = item.indices(size)
    if not range(start, stop, step):
        return (0, 0, 1)  # of ``x[-2::-1]`` of one element, the start is -1, which would be its last element
    return (start, None if stop < 0 else stop, step)


def canonical_key(x: Any, *indices: Tensor, key: Key) -> Attrs:
    """The canonical form of a key; raises ``RangeError`` for an index that is out of bounds.

    >>> canonical_key(np.ones((2, 3)), key=(-1, ...))
    {'key': (1, (0, 3, 1))}
    """
    for index in indices:
        if index.dtype.kind not in "bi":
            raise RangeError(f"index: tensor indices are integers or bools, got {index.dtype}; cast the index")
    return {"key": _canonical_items(x.shape, key, indices) if indices else _canonical_basic_key(x.shape, key)}


@lru_cache(maxsize=4096)
def _canonical_basic_key(shape: Shape, key: Key) -> Key:
    """The canonical form of a key without tensors."""
    return _canonical_items(shape, key, ())


def _canonical_items(shape: Shape, key: Key, indices: tuple[Tensor, ...]) -> Key:
    items: list[Any] = []
    axis = 0
    for item in _expand_ellipsis(shape, key, indices):
        if item is None:
            items.append(item)
        elif item.__class__ is not int and is_operand(item):
            items.append(tuple(item))
            axis += _axis_count(item, indices)
        else:
            items.append(_canonical_item(item, shape[axis]))
            axis += 1
    return tuple(items)


# ---- index -----------------------------------------------------------------------------------------


def _index(x: Array, *indices: Array, key: Key) -> Array:
    try:
        return x[numpy_index(key, indices) if indices else numpy_key(key)]
    except IndexError as error:
        raise out_of_bounds("index", error, x.shape, indices) from None


def out_of_bounds(name: str, error: IndexError, shape: Shape, indices: Sequence[Array]) -> RangeError:
    """Our error for numpy's; scalars raise that of an int, because an int is a scalar tensor after a branch."""
    if all(index.ndim == 0 for index in indices):
        return ArgIndexError(re.sub(r"axis \d+", "dimension", str(error)))
    return RangeError(f"{name}: {error}; use indices inside the shape {list(shape)}")


def _selected_shape(x: TensorType, indices: tuple[TensorType, ...], key: Key) -> Shape:
    """The shape of the selected elements, without memory for them; raises ``ShapeError`` for a mask.

    An array of one element shows the axis at which numpy puts those of the index tensors: it has two elements there.
    """
    if any(index.dtype.kind == "b" for index in indices):
        raise ShapeError("index: the shape of x[mask] depends on the values of the mask; use ops.where")
    chosen, sizes = np.broadcast_shapes(*(index.shape for index in indices)), iter(x.shape)
    positions, probe, kept = np.zeros((2,) if chosen else (), int), list[Any](), list[int]()
    for item in _expand_ellipsis(x.shape, key, indices):
        size = 1 if item is None else next(sizes)
        kept += [1] if item is None else [len(range(*slice(*item).indices(size)))] if is_slice(item) else []
        probe.append(item if item is None else slice(None) if is_slice(item) else positions if is_operand(item) else 0)
    axes = np.zeros((1,) * len(x.shape), bool)[tuple(probe)].shape
    return tuple(size for axis in axes for size in (chosen if axis == 2 else (kept.pop(0),)))


def selected_type(x: TensorType, *indices: TensorType, key: Key) -> TensorType:
    """The type of the selected elements; raises ``ShapeError`` for a mask, because the shape depends on its values."""
    try:
        return TensorType(_selected_shape(x, indices, key), x.dtype)
    except ValueError as error:
        raise ShapeError(f"index: {error}; the index tensors must broadcast against each other") from None


def _index_grad(position: int, g: Tensor, out: Tensor, x: Tensor, *indices: Tensor, key: Key) -> Tensor | None:
    return apply("index_add", g, *indices, key=key, shape=x.shape) if position == 0 else None


def _index_work(out: TensorType, x: TensorType, *indices: TensorType, key: Key) -> Work:
    """A view for ints and slices; a gather of the selected elements for tensor indices."""
    if not indices:
        return Work()
    if len(key) == len(indices) == len(x.shape) > 1 and all(map(_covers_axis, indices[:-1], x.shape)):  # in rows
        rows = (out.size // out.shape[-1], out.shape[-1])
        return Work(lanes=(("gather", out.size),), rows=rows) + traffic(out, (x, *indices))
    return Work(lanes=(("gather", out.size),), read=out.nbytes, run=_run_length(out, key)) + traffic(out, indices)


def _covers_axis(index: TensorType, size: int) -> bool:
    """Whether an index varies along one axis, as long as the axis of this size that it selects from."""
    return index.size == size == max(index.shape, default=1)


def _run_length(selected: TensorType, key: Key) -> int:
    """The number of contiguous elements: those of the slices at the end of the key; 0 if there is only one."""
    slices = 0
    while slices < len(key) and is_slice(key[-1 - slices]):
        slices += 1
    run = math.prod(selected.shape[len(selected.shape) - slices :])
    return run if run > 1 else 0


def key_text(key: Key) -> str:
    """A key as Python text.

    >>> key_text((1, (0, 3, 1), None, (1,)))
    '1,0:3,None,t1'
    """
    return ",".join(map(_item_text, key))


def _item_text(item: Any) -> str:
    if is_operand(item):
        return f"t{item[0]}"
    if not is_slice(item):
        return str(item)
    start, stop, step = ("" if n is None else str(n) for n in item)
    return f"{start}:{stop}" + ("" if step == "1" else f":{step}")


def _index_samples(rng: np.random.Generator) -> list[Sample]:
    x = rng.normal(size=(3, 4))
    full_slice = (None, None, None)
    return [
        Sample((x,), {"key": (-1,)}),
        Sample((x,), {"key": (..., (1, None, 2), None)}),
        Sample((x,), {"key": ((None, None, -1), 0)}),
        Sample((x,), {"key": (1, 2)}),
        Sample((x, np.array([0, 2, 2, -1])), {"key": ((1,),)}),
        Sample((x, np.array([0, 2]), np.array([[1], [1]])), {"key": ((1,), (2,))}),
        Sample((x, np.array([3, 3])), {"key": (full_slice, (1,))}),
    ]


INDEX = define(Op(
    "index", _index, selected_type, vjp=EachOperand(_index_grad), work=_index_work, unit="move", view=True,
    canonical=canonical_key,
    label=lambda attrs: f"[{key_text(attrs['key'])}]",
    samples=_index_samples,
    doc="Elements selected by ints, slices, new axes and integer tensors, by numpy's rules.",
))  # fmt: skip


# ---- its gradient ----------------------------------------------------------------------------------


def _index_add(values: Array, *indices: Array, key: Key, shape: Shape, out: Array | None = None) -> Array:
    total = np.zeros(shape, values.dtype) if out is None else out
    if out is not None:
        out.fill(0)
    if not indices:
        return _index_add_to(total, values, key=key)
    try:
        np.add.at(total, numpy_index(key, indices), values)  # an element may be selected more than once
    except IndexError as error:  # a graph may compute the gradient of indexing before the indexing itself
        raise out_of_bounds("index", error, shape, indices) from None
    return total


def _index_add_to(total: Array, values: Array, *, key: Key, shape: Shape = ()) -> Array:
    """The values added in place to elements that are selected once each."""
    selection = numpy_key(key)
    total[selection] += values
    return total


def _index_add_types(values: TensorType, *indices: TensorType, key: Key, shape: Shape) -> TensorType:
    selected = selected_type(TensorType(shape, values.dtype), *indices, key=key)
    if selected != values:
        raise ShapeError(f"index_add: {values} does not fill the selected elements, {selected}")
    return TensorType(shape, values.dtype)


def _index_add_work(out: TensorType, values: TensorType, *indices: TensorType, key: Key, shape: Shape) -> Work:
    """Initial zeros, and the addition of the values."""
    return Work(lanes=(("gather", values.size),), run=_run_length(values, key)) + traffic(out, (values, *indices))


def _index_add_grad(
    position: int, g: Tensor, out: Tensor, values: Tensor, *indices: Tensor, key: Key, shape: Shape
) -> Tensor | None:
    return apply("index", g, *indices, key=key) if position == 0 else None


INDEX_ADD = define(Op(
    "index_add",
    _index_add,
    _index_add_types,
    vjp=EachOperand(_index_add_grad),
    into=True,
    work=_index_add_work,
    unit="move",
    canonical=lambda values, *indices, key, shape: {
        **canonical_key(TensorType(shape, values.dtype), *indices, key=key),
        "shape": shape,
    },
    label=lambda attrs: f"add at [{key_text(attrs['key'])}]",
    doc="Zeros of `shape` with values added to the selected elements: the gradient of indexing.",
    samples=lambda rng: [
        Sample((rng.normal(size=4), np.array([0, 2, 2, -1])), {"key": ((1,),), "shape": (3,)}),
        Sample((rng.normal(size=(2, 3)),), {"key": ((0, 3, 2),), "shape": (3, 3)}),
    ],
))  # fmt: skip
