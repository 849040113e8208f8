"""ONNX's operators on shapes and elements by position, written with our operators."""

from __future__ import annotations

import numpy as np

from minigraph import ops
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.importers.onnx.elementwise import axes_tuple, cast
from minigraph.importers.operator_table import Converter, Converters, KnownValue, node_axis
from minigraph.importers.size_limits import check_count
from minigraph.importers.weights import constant

T = Tensor


def ints(values: KnownValue) -> tuple[int, ...]:
    """An array of integers, or a sequence, as a tuple."""
    return tuple(int(value) for value in np.ravel(values))


def reshape(x: T, shape: KnownValue, allowzero: int = 0) -> T:
    """The elements in a new shape; a 0 copies the size of ``x`` unless ``allowzero``."""
    sizes = ints(shape)
    if not allowzero:
        sizes = tuple(x.shape[axis] if size == 0 and axis < x.ndim else size for axis, size in enumerate(sizes))
    if -1 in sizes and not x.size:
        known_size = int(np.prod([size for size in sizes if size != -1]))
        sizes = tuple(x.size // max(known_size, 1) if size == -1 else size for size in sizes)
    return apply("reshape", x, shape=sizes)


def flatten(x: T, axis: int) -> T:
    """The axes before and from ``axis`` on as one axis each."""
    first = x.ndim if axis == x.ndim else node_axis(axis, x.ndim)
    return apply("reshape", x, shape=(int(np.prod(x.shape[:first])), int(np.prod(x.shape[first:]))))


def unsqueeze(x: T, axes: object) -> T:
    """New axes of size 1, at positions of the result."""
    axis_list = ints(axes)
    rank = x.ndim + len(axis_list)
    positions = {node_axis(axis, rank) for axis in axis_list}
    if len(positions) < len(axis_list):
        raise ModelError(f"axes {list(axis_list)} are not {len(axis_list)} axes of a result of rank {rank}")
    sizes = iter(x.shape)
    return apply("reshape", x, shape=tuple(1 if axis in positions else next(sizes) for axis in range(rank)))


def squeeze(x: T, axes: KnownValue) -> T:
    """The tensor without axes of size 1: these, or all."""
    return apply("squeeze", x, axis=axes_tuple(axes, x.ndim))


def slice_of(x: T, starts: KnownValue, ends: object, axes: object = None, steps: object = None) -> T:
    """Slices of some axes, by numpy's rules."""
    key = [slice(None)] * x.ndim
    axis_list = range(len(starts)) if axes is None else ints(axes)
    strides = (1,) * len(starts) if steps is None else ints(steps)
    for number, start, end, step in zip(axis_list, ints(starts), ints(ends), strides, strict=True):
        axis = node_axis(number, x.ndim)
        key[axis] = slice(start, None if end < -x.shape[axis] and step < 0 else end, step)
    return x[tuple(key)] if key else x


def split(x: T, sizes: KnownValue, axis: int, parts: int = 0) -> tuple[T, ...]:
    """Parts of an axis, of given sizes or of equal ones, the last one smaller."""
    length = x.shape[axis]
    if sizes is None:
        size = -(-length // max(parts, 1))
        sizes = [max(0, min(size, length - size * part)) for part in range(check_count(parts))]
    out = apply("split", x, sizes=ints(sizes), axis=axis)
    return out if isinstance(out, tuple) else (out,)


def gather(x: T, indices: T, axis: int) -> T:
    """Slices of an axis at indices."""
    key = (*((None, None, None),) * node_axis(axis, x.ndim), (1,), ...)
    return apply("index", x, cast(indices, int64), key=key)


def pad(x: T, pads: KnownValue, value: KnownValue, axes: object, mode: str) -> T:
    """Elements added before and after axes, or removed where a pad is negative."""
    counts, axis_list = ints(pads), range(x.ndim) if axes is None else ints(axes)
    half = len(counts) // 2
    widths = dict.fromkeys(range(x.ndim), (0, 0))
    for axis, before, after in zip(axis_list, counts[:half], counts[half:], strict=True):
        widths[node_axis(axis, x.ndim)] = (before, after)
    slices = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, widths.values(), strict=True))
    x = x[slices] if any(min(pair) < 0 for pair in widths.values()) else x
    added = tuple((max(a, 0), max(b, 0)) for a, b in widths.values())
    if mode == "constant":
        number = 0 if value is None else np.asarray(value).item()
        return apply("pad", x, widths=added, value=number)
    for axis, (size, (before, after)) in enumerate(zip(x.shape, added, strict=True)):
        if before or after:
            rows = np.pad(np.arange(check_count(size + before + after) - before - after), (before, after), mode=mode)  # type: ignore[call-overload]
            x = gather(x, constant(rows), axis)
    return x


def constant_of_shape(shape: object, value: KnownValue) -> T:
    """A tensor of one value: ``[value]``, or zeros."""
    number = np.zeros(1, np.float32) if value is None else value.array
    return apply("broadcast_to", constant(number.reshape(())), shape=ints(shape))


def constant_of(**values: object) -> T:
    """The tensor of a Constant node; raises ``ModelError`` unless exactly one value is given."""
    items = [value for value in values.values() if value is not None]
    if len(items) != 1 or isinstance(items[0], str) or (isinstance(items[0], tuple) and isinstance(items[0][0], str)):
        raise ModelError("a Constant has one tensor, number, or list of numbers; strings are not supported")
    if isinstance(items[0], T):
        return items[0]
    floats = isinstance(items[0], float) or values.get("value_floats") is not None
    return constant(np.asarray(items[0], np.float32 if floats else np.int64))


def arange(start: KnownValue, limit: KnownValue, delta: KnownValue) -> T:
    """Numbers from ``start`` to ``limit``, exclusive."""
    first, last, step = (np.asarray(value).item() for value in (start, limit, delta))
    count = max(int(np.ceil((last - first) / step)), 0)
    numbers = apply("arange", start=0, stop=check_count(count), step=1)
    return cast(numbers, constant(start).dtype) * constant(np.asarray(delta)) + constant(np.asarray(start))


CONVERTERS: Converters = {
    "Constant": lambda *, value=None, value_float=None, value_int=None, value_floats=None, value_ints=None,
    value_string=None, value_strings=None: constant_of(
        value=value, number=value_float, integer=value_int, value_floats=value_floats, integers=value_ints,
        text=value_string, texts=value_strings),
    "Reshape": Converter(lambda x, shape, *, allowzero=0: reshape(x, shape, allowzero), known="shape"),
    "Flatten": lambda x, *, axis=1: flatten(x, axis),
    "Transpose": lambda x, *, perm=None: apply("transpose", x, axes=perm),
    "Unsqueeze": lambda x, *, axes: unsqueeze(x, axes),
    "Unsqueeze@13": Converter(lambda x, axes: unsqueeze(x, axes), known="axes"),
    "Squeeze": lambda x, *, axes=None: squeeze(x, axes),
    "Squeeze@13": Converter(lambda x, axes=None: squeeze(x, axes), known="axes"),
    "Concat": lambda *xs, axis: apply("concat", *xs, axis=axis) if len(xs) > 1 else xs[0],
    "Slice": lambda x, *, starts, ends, axes=None: slice_of(x, starts, ends, axes),
    "Slice@10": Converter(slice_of, known="starts ends axes steps"),
    "Gather": lambda x, indices, *, axis=0: gather(x, indices, axis),
    "Shape": lambda x, *, start=0, end=None: constant(np.array(x.shape[start:end], np.int64)),
    "Size": lambda x: constant(np.array(x.size, np.int64)),
    "Expand": Converter(lambda x, shape: apply("broadcast_to", x, shape=np.broadcast_shapes(x.shape, ints(shape))),
                        known="shape"),
    "Tile": Converter(lambda x, repeats: ops.tile(x, ints(repeats)), known="repeats"),
    "ConstantOfShape": Converter(lambda shape, *, value=None: constant_of_shape(shape, value), known="shape"),
    "Range": Converter(arange, known="start limit delta"),
    "Pad": lambda x, *, pads, mode="constant", value=0.0: pad(x, pads, value, None, mode),
    "Pad@11": Converter(lambda x, pads, value=None, axes=None, *, mode="constant": pad(x, pads, value, axes, mode),
                        known="pads value axes"),
}  # fmt: skip
