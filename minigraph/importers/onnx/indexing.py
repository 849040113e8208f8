"""ONNX's operators that select, sort, scatter and accumulate elements, written with our operators."""

from __future__ import annotations

import math
import string

import numpy as np

from minigraph import ops
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.importers.onnx.elementwise import cast, select
from minigraph.importers.onnx.shapes import ints, split
from minigraph.importers.onnx.tensors import dtype_of_code
from minigraph.importers.operator_table import Converter, Converters, KnownValue, node_axis
from minigraph.importers.size_limits import check_count
from minigraph.importers.weights import constant
from minigraph.ops.functional.indexing import coordinate_grids

T = Tensor


def arg_extremum(name: str, x: T, axis: int, keepdims: int, last: int) -> T:
    """The position of the extremum along an axis, the first or the last of equal ones."""
    dim = node_axis(axis, x.ndim)
    best = apply(name, x[(*[slice(None)] * dim, slice(None, None, -1))] if last else x, axis=dim)
    best = cast(x.shape[dim] - 1 - best if last else best, int64)
    return apply("expand_dims", best, axis=dim) if keepdims else best


def top_k(x: T, k: KnownValue, axis: int, largest: int) -> tuple[T, T]:
    """The k largest or smallest elements along an axis, in order, and their positions."""
    dim, count = node_axis(axis, x.ndim), int(np.ravel(k)[0])
    if not 0 <= count <= x.shape[dim]:
        raise ModelError(f"the {count} largest of {x.shape[dim]} elements; k must be 0 to {x.shape[dim]}")
    order = apply("argsort", x, axis=dim, descending=bool(largest))
    best = order[(*[slice(None)] * dim, slice(0, count))]
    return ops.gather_elements(x, dim, best), cast(best, int64)


def gather_nd(x: T, indices: T, batch: int) -> T:
    """Elements or slices at rows of indices."""
    depth, positions = indices.shape[-1], indices.shape[:-1]
    batches = [
        constant(np.arange(n).reshape(*(-1 if k == axis else 1 for k in range(len(positions)))))
        for axis, n in enumerate(positions[:batch])
    ]
    columns = [cast(indices[..., k], int64) for k in range(depth)]
    return apply("index", x, *batches, *columns, key=(*((k + 1,) for k in range(batch + depth)), ...))


def scatter_elements(x: T, indices: T, updates: T, axis: int, reduction: str) -> T:
    """The tensor with elements replaced, or combined with others, at positions along an axis."""
    grids = coordinate_grids("ScatterElements", cast(indices, int64), x.ndim, node_axis(axis, x.ndim))
    columns = [apply("broadcast_to", grid, shape=indices.shape) for grid in grids]
    return scatter_nd(x, apply("stack", *columns, axis=-1), updates, reduction)


SCATTERS = {
    "none": ops.tensor_scatter_update, "add": ops.tensor_scatter_add, "mul": ops.tensor_scatter_mul,
    "max": ops.tensor_scatter_max, "min": ops.tensor_scatter_min,
}  # fmt: skip


def scatter_nd(x: T, indices: T, updates: T, reduction: str) -> T:
    """The tensor with slices replaced, or combined with others, at rows of indices."""
    if reduction not in SCATTERS:
        raise ModelError(f"no reduction '{reduction[:40]}'; use one of {', '.join(SCATTERS)}")
    return SCATTERS[reduction](x, cast(indices, int64), updates)


def accumulate(name: str, x: T, axis: KnownValue, exclusive: int, reverse: int) -> T:
    """Cumulative sums or products along an axis, also from the end, also without the element itself."""
    dim = node_axis(int(np.ravel(axis)[0]), x.ndim)
    key = (*[slice(None)] * dim, slice(None, None, -1))
    x = x[key] if reverse else x
    if exclusive:
        widths = tuple((1, 0) if k == dim else (0, 0) for k in range(x.ndim))
        shifted = apply("pad", x, widths=widths, value=1 if name == "cumprod" else 0)
        x = shifted[(*[slice(None)] * dim, slice(0, x.shape[dim]))]
    out = apply(name, x, axis=dim)
    return out[key] if reverse else out


def triangle(x: T, k: KnownValue, upper: int) -> T:
    """The upper or lower triangles of matrices; zeros elsewhere."""
    offset = 0 if k is None else int(np.ravel(k)[0])
    mask = np.tri(x.shape[-2], x.shape[-1], k=offset - 1 if upper else offset, dtype=bool)
    return select(constant(~mask if upper else mask), x, 0)


def one_hot(indices: T, depth: KnownValue, values: T, axis: int) -> T:
    """``values[1]`` at the indices along a new axis, ``values[0]`` elsewhere; out of range, nowhere."""
    count = check_count(int(np.ravel(depth)[0]))
    axis = node_axis(axis, indices.ndim + 1)
    integers = cast(indices, int64)
    positions = apply("expand_dims", select(integers < 0, integers + count, integers), axis=axis)
    shape = tuple(-1 if k == axis else 1 for k in range(indices.ndim + 1))
    return apply("where", apply("equal", positions, constant(np.arange(count).reshape(shape))), values[1], values[0])


def depth_to_space(x: T, size: int, mode: str) -> T:
    """Blocks of channels as blocks of pixels; ``mode`` "DCR": depth, column, row is the order of the channels."""
    if mode != "DCR":
        return ops.pixel_shuffle(x, size)
    n, c, h, w = x.shape
    blocks = apply("reshape", x, shape=(n, size, size, c // size**2, h, w))
    transposed = apply("transpose", blocks, axes=(0, 3, 4, 1, 5, 2))
    return apply("reshape", transposed, shape=(n, c // size**2, h * size, w * size))


def space_to_depth(x: T, size: int, mode: str) -> T:
    """Blocks of pixels as blocks of channels."""
    n, c, h, w = x.shape
    blocks = apply("reshape", x, shape=(n, c, h // size, size, w // size, size))
    return apply(
        "reshape",
        apply("transpose", blocks, axes=(0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)),
        shape=(n, -1, h // size, w // size),
    )


def compress(x: T, condition: KnownValue, axis: int | None) -> T:
    """Slices where a condition holds; its length may be shorter than the axis."""
    selected_positions = constant(np.flatnonzero(condition))
    if axis is None:
        return apply("index", apply("reshape", x, shape=(-1,)), selected_positions, key=((1,),))
    key = (*((None, None, None),) * node_axis(axis, x.ndim), (1,), ...)
    return apply("index", x, selected_positions, key=key)


def unique(x: KnownValue, axis: int | None, is_sorted: int) -> tuple[T, ...]:
    """The different elements or slices, their first positions, the inverse, and counts; as constants."""
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    inverse = np.ravel(inverse)
    if not is_sorted:
        order = np.argsort(first, kind="stable")
        rank = np.argsort(order, kind="stable")
        values = np.take(values, order, axis=0 if axis is None else axis)
        first, inverse, counts = first[order], rank[inverse], counts[order]
    return constant(values), *(constant(part.astype(np.int64)) for part in (first, inverse, counts))


def fold_columns(x: T, image: object, block: object, dilations: KnownValue, pads: KnownValue, strides: KnownValue) -> T:
    """The sum of columns at the positions of their blocks in an image: the inverse of im2col."""
    sizes, kernel = ints(image), ints(block)
    rank = len(sizes)
    strides, dilations, pads = strides or (1,) * rank, dilations or (1,) * rank, pads or (0,) * 2 * rank
    whole = [n + pads[k] + pads[rank + k] for k, n in enumerate(sizes)]
    positions = np.zeros((), np.int64)
    check_count(math.prod(whole) * math.prod(kernel))
    for axis in range(rank):
        count = (whole[axis] - (kernel[axis] - 1) * dilations[axis] - 1) // strides[axis] + 1
        taps = np.arange(kernel[axis])[:, None] * dilations[axis] + np.arange(count) * strides[axis]
        stride = int(np.prod(whole[axis + 1 :]))
        positions = positions[..., None, None] + (taps * stride)
    order = (*range(0, 2 * rank, 2), *range(1, 2 * rank, 2))
    flat = positions.transpose(order).reshape(-1)
    n, channels = x.shape[0], x.shape[1] // int(np.prod(kernel))
    columns = apply("reshape", x, shape=(n, channels, flat.size))
    total = apply("index_add", columns, constant(flat), key=((None, None, None), (None, None, None), (1,)),
                  shape=(n, channels, int(np.prod(whole))))  # fmt: skip
    spans = [slice(pads[k], pads[k] + size) for k, size in enumerate(sizes)]
    return apply("reshape", total, shape=(n, channels, *whole))[(slice(None), slice(None), *spans)]


def without_ellipsis(equation: str, xs: tuple[T, ...]) -> str:
    """The equation with letters in place of ``...``."""
    terms, arrow, out = equation.replace(" ", "").partition("->")
    letters = [letter for letter in string.ascii_letters if letter not in equation]
    ranks = [x.ndim - len(term.replace("...", "")) for term, x in zip(terms.split(","), xs, strict=True)]
    filled = [term.replace("...", "".join(letters[:rank])) for term, rank in zip(terms.split(","), ranks, strict=True)]
    return ",".join(filled) + arrow + out.replace("...", "".join(letters[: max(ranks)]))


def eye_like(x: T, code: int | None, k: int) -> T:
    """Ones on a diagonal of a matrix of the same shape."""
    dtype = dtype_of_code(code, "EyeLike") if code else x.dtype
    check_count(x.size)
    return constant(np.eye(x.shape[0], x.shape[1], k=k, dtype=dtype.numpy))


def tensor_scatter(cache: T, update: T, begins: T | None, axis: int, mode: str) -> T:
    """A cache with slices replaced from an index on, for each element of the batch; it wraps around if circular."""
    axis = node_axis(axis, cache.ndim)
    count, size, batch = update.shape[axis], cache.shape[axis], cache.shape[0]
    starts = constant(np.zeros(batch, np.int64)) if begins is None else cast(begins, int64)
    positions = apply("reshape", starts, shape=(-1, 1)) + constant(np.arange(count))
    positions = positions % size if mode == "circular" else positions
    shape = [1] * cache.ndim
    shape[0], shape[axis] = batch, count
    indices = apply("broadcast_to", apply("reshape", positions, shape=tuple(shape)), shape=update.shape)
    return scatter_elements(cache, indices, update, axis, "none")


CONVERTERS: Converters = {
    "ArgMax": lambda x, *, axis=0, keepdims=1, select_last_index=0: arg_extremum(
        "argmax", x, axis, keepdims, select_last_index),
    "ArgMin": lambda x, *, axis=0, keepdims=1, select_last_index=0: arg_extremum(
        "argmin", x, axis, keepdims, select_last_index),
    "TopK": lambda x, *, k, axis=-1: top_k(x, k, axis, 1),
    "TopK@10": Converter(lambda x, k, *, axis=-1, largest=1, sorted=1: top_k(x, k, axis, largest), known="k"),
    "GatherElements": lambda x, indices, *, axis=0: ops.gather_elements(x, axis, cast(indices, int64)),
    "GatherND": lambda x, indices, *, batch_dims=0: gather_nd(x, indices, batch_dims),
    "Scatter": lambda x, indices, updates, *, axis=0: scatter_elements(x, indices, updates, axis, "none"),
    "ScatterElements": lambda x, indices, updates, *, axis=0, reduction="none": scatter_elements(
        x, indices, updates, axis, reduction),
    "ScatterND": lambda x, indices, updates, *, reduction="none": scatter_nd(x, indices, updates, reduction),
    "TensorScatter": lambda cache, update, begins=None, *, axis=-2, mode="linear": tensor_scatter(
        cache, update, begins, axis, mode),
    "CumSum": Converter(lambda x, axis, *, exclusive=0, reverse=0: accumulate("cumsum", x, axis, exclusive, reverse),
                        known="axis"),
    "CumProd": Converter(lambda x, axis, *, exclusive=0, reverse=0: accumulate("cumprod", x, axis, exclusive, reverse),
                         known="axis"),
    "Split": lambda x, *, axis=0, outputs, **sizes: split(x, sizes.get("split"), axis, outputs),
    "Split@13": Converter(lambda x, sizes=None, *, axis=0, num_outputs=0, outputs: split(x, sizes, axis, outputs),
                          known="sizes"),
    "Trilu": Converter(lambda x, k=None, *, upper=1: triangle(x, k, upper), known="k"),
    "OneHot": Converter(lambda indices, depth, values, *, axis=-1: one_hot(indices, depth, values, axis),
                        known="depth"),
    "EyeLike": lambda x, *, dtype=None, k=0: eye_like(x, dtype, k),
    "DepthToSpace": lambda x, *, blocksize, mode="DCR": depth_to_space(x, blocksize, mode),
    "SpaceToDepth": lambda x, *, blocksize, mode="DCR": space_to_depth(x, blocksize, mode),
    "ReverseSequence": lambda x, lengths, *, batch_axis=1, time_axis=0: ops.reverse_sequence(
        x, lengths, time_axis, batch_axis),
    "NonZero": Converter(lambda x: constant(np.array(np.nonzero(x), np.int64)), known="x"),
    "Compress": Converter(lambda x, condition, *, axis=None: compress(x, condition, axis), known="condition"),
    "Unique": Converter(lambda x, *, axis=None, sorted=1: unique(x, axis, sorted), known="x"),
    "Col2Im": Converter(lambda x, image_shape, block_shape, *, dilations=None, pads=None, strides=None: fold_columns(
        x, image_shape, block_shape, dilations, pads, strides), known="image_shape block_shape"),
    "Einsum": lambda *xs, equation: ops.einsum(without_ellipsis(equation, xs), *xs),
    "OptionalHasElement": lambda x=None: constant(np.array(x is not None)),
    "OptionalGetElement": lambda x: x,
}  # fmt: skip
