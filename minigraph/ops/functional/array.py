"""Shapes, joining, indexing, and tensors made from sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import ShapeError, TypeArgument, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.operator_methods import Operand
from minigraph.core.types import DType, Shape, float32, int64
from minigraph.operators import compare, create, elementwise, indexing, joining, losses, views
from minigraph.operators.families import axes_of, axis_of
from minigraph.ops.functional.calls import spelled

__all__ = [
    "arange", "broadcast_to", "cat", "chunk", "concat", "expand_dims", "eye", "flatten", "flip", "full", "full_like",
    "gather", "one_hot", "ones", "ones_like", "permute", "rank", "reshape", "shape", "size", "split", "squeeze",
    "stack", "swapaxes", "tile", "transpose", "tril", "triu", "unbind", "unsqueeze", "unstack", "zeros", "zeros_like",
]  # fmt: skip

EVERY = (None, None, None)

# ---- views -----------------------------------------------------------------------------------------


def reshape(input: Any, shape: Any) -> Any:
    """The same elements in another shape; one size may be -1."""
    return apply(views.RESHAPE, input, shape=shape)


def flatten(input: Any, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Any:
    """The axes from ``start_dim`` to ``end_dim`` made one; by default axis 0 is kept."""
    if order not in ("C", "F"):
        raise UsageError(f"flatten: order is 'C' or 'F', got {order!r}")
    input = input if order == "C" else transpose(input, range(input.ndim)[::-1])
    if input.ndim < 2:
        return apply(views.RESHAPE, input, shape=(-1,))
    return apply(views.FLATTEN, input, start=start_dim, end=end_dim)


def transpose(input: Any, dims: Any) -> Any:
    """The axes in the given order."""
    return apply(views.TRANSPOSE, input, axes=tuple(dims))


permute = spelled(transpose, axis="dims")


def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """Two axes swapped."""
    return input.swapaxes(axis0, axis1)


def expand_dims(input_x: Any, axis: int) -> Any:
    """A new axis of size 1 before ``axis``."""
    return apply(views.EXPAND_DIMS, input_x, axis=axis)


unsqueeze = spelled(expand_dims, input="input_x", dim="axis")


def squeeze(input: Any, axis: Any = None) -> Any:
    """Axes of size 1 removed (``None``: all of them)."""
    return apply(views.SQUEEZE, input, axis=axis)


def broadcast_to(input: Any, shape: Any) -> Any:
    """Repeated along axes of size 1 to a shape; -1 keeps a size."""
    return apply(views.BROADCAST_TO, input, shape=tuple(shape))


def tile(input: Any, dims: Sequence[int]) -> Any:
    """The whole tensor repeated ``dims[i]`` times along axis i.

    >>> print(tile(Tensor([1, 2]), (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    counts = (1,) * (input.ndim - len(dims)) + tuple(dims)
    shape = (1,) * (len(counts) - input.ndim) + tuple(input.shape)
    apart = tuple(n for size in shape for n in (1, size))
    wide = tuple(n for count, size in zip(counts, shape, strict=True) for n in (count, size))
    repeated = apply(views.BROADCAST_TO, apply(views.RESHAPE, input, shape=apart), shape=wide)
    return apply(views.RESHAPE, repeated, shape=tuple(c * n for c, n in zip(counts, shape, strict=True)))


# ---- joining and splitting -------------------------------------------------------------------------


def concat(tensors: Any, axis: int = 0) -> Any:
    """Tensors one after the other along an axis; raises ``TypeError`` for a bare tensor."""
    return apply(joining.CONCAT, *_several("concat", tensors), axis=axis)


cat = concat


def stack(tensors: Any, axis: int = 0) -> Any:
    """Tensors of one shape side by side along a new axis."""
    return apply(joining.STACK, *_several("stack", tensors), axis=axis)


def _several(name: str, tensors: Any) -> Any:
    if not isinstance(tensors, tuple | list):
        kind = type(tensors).__name__
        raise TypeArgument(f"For '{name}', the 'tensors' must be a tuple or list of tensors, but got {kind}.")
    return tensors


def split(tensor: Any, split_size_or_sections: Any, axis: int = 0) -> tuple[Any, ...]:
    """Pieces of one size (the last may be smaller), or of the given sizes, along an axis."""
    sizes = split_size_or_sections
    found = apply(joining.SPLIT, tensor, sizes=sizes if isinstance(sizes, int) else tuple(sizes), axis=axis)
    return found if isinstance(found, tuple) else (found,)


def chunk(input: Any, chunks: int, axis: int = 0) -> tuple[Any, ...]:
    """At most ``chunks`` pieces of one size along an axis; the last may be smaller."""
    size = input.shape[axis_of("chunk", axis, input.ndim)]
    return split(input, max(-(-size // chunks), 1), axis)


def unstack(input_x: Any, axis: int = 0) -> tuple[Any, ...]:
    """The slices along an axis, without it."""
    at = axis_of("unstack", axis, input_x.ndim)
    return tuple(apply(indexing.INDEX, input_x, key=(*(EVERY,) * at, i, ...)) for i in range(input_x.shape[at]))


unbind = spelled(unstack, input="input_x", dim="axis")


# ---- picking ---------------------------------------------------------------------------------------


def gather(input_params: Any, input_indices: Any, axis: int, batch_dims: int = 0) -> Any:
    """The slices of ``input_params`` at the given positions along an axis.

    The first ``batch_dims`` axes of both are cases: each has positions of its own.

    >>> print(gather(Tensor([[1, 2], [3, 4]]), Tensor([[1], [0]]), 1, batch_dims=1))
    [[2]
     [3]]
    """
    at = axis_of("gather", axis, input_params.ndim)
    before = (EVERY,) * at
    if not batch_dims:
        return apply(indexing.INDEX, input_params, input_indices, key=(*before, Operand(1), ...))
    if not 0 < batch_dims <= at or input_params.shape[:batch_dims] != input_indices.shape[:batch_dims]:
        told = f"in {input_params.type} and {input_indices.type} along axis {axis}"
        raise ShapeError(f"gather: the first {batch_dims} axes must be the same in both, and before the axis, {told}")
    return _gather_cases(input_params, input_indices, at, batch_dims)


def _gather_cases(x: Any, indices: Any, at: int, cases: int) -> Any:
    """The axis brought behind those of the cases, all slices in one row, positions counted through, and back."""
    others = [axis for axis in range(cases, x.ndim) if axis != at]
    rows = reshape(transpose(x, (*range(cases), at, *others)), (-1, *(x.shape[axis] for axis in others)))
    count, size = math.prod(x.shape[:cases]), x.shape[at]
    starts = reshape(arange(count), (*x.shape[:cases], *(1,) * (indices.ndim - cases)))
    inside = apply(elementwise.FLOOR_MOD, indices, size) + starts * size
    found = gather(rows, inside, 0)
    first, own = at - cases, range(cases, indices.ndim)
    behind = range(indices.ndim, found.ndim)
    return transpose(found, (*range(cases), *behind[:first], *own, *behind[first:]))


def one_hot(indices: Any, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1) -> Any:
    """``on_value`` where the position along a new axis is the index, else ``off_value``; Int64 for ints."""
    dtype = on_value.dtype if isinstance(on_value, Tensor) else float32 if isinstance(on_value, float) else int64
    hot = apply(losses.ONE_HOT, indices, depth=depth, axis=axis, dtype=dtype)
    plain = not isinstance(on_value, Tensor) and not isinstance(off_value, Tensor) and (on_value, off_value) == (1, 0)
    return hot if plain else hot * (on_value - off_value) + off_value


def flip(input: Any, dims: Sequence[int]) -> Any:
    """The given axes in reverse order of their elements."""
    turned = set(axes_of("flip", tuple(dims), input.ndim)) if dims else set()
    key = tuple((None, None, -1) if i in turned else EVERY for i in range(input.ndim))
    return apply(indexing.INDEX, input, key=key)


def tril(input: Any, diagonal: int = 0) -> Any:
    """The elements on and below a diagonal; zeros elsewhere."""
    return apply(compare.WHERE, _below(input, diagonal), input, zeros((), input.dtype))


def triu(input: Any, diagonal: int = 0) -> Any:
    """The elements on and above a diagonal; zeros elsewhere."""
    return apply(compare.WHERE, _below(input, diagonal - 1), zeros((), input.dtype), input)


def _below(input: Any, diagonal: int) -> Any:
    """Whether column <= row + diagonal, for the last two axes."""
    rows, columns = (arange(size) for size in input.shape[-2:])
    return columns <= apply(views.EXPAND_DIMS, rows, axis=1) + diagonal


# ---- creating --------------------------------------------------------------------------------------


def full(size: Any, fill_value: Any, *, dtype: DType | None = None) -> Any:
    """One number everywhere; its dtype is that of ``Tensor(fill_value)`` unless given."""
    return apply(create.FULL, shape=size, value=fill_value, dtype=dtype or Tensor(fill_value).dtype)


def zeros(size: Any, dtype: DType | None = None) -> Any:
    """Zeros, Float32 unless ``dtype`` says otherwise.

    >>> print(zeros((2, 2)))
    [[0. 0.]
     [0. 0.]]
    """
    return apply(create.FULL, shape=size, value=0, dtype=dtype or float32)


def ones(shape: Any, dtype: DType | None = None) -> Any:
    """Ones, Float32 unless ``dtype`` says otherwise."""
    return apply(create.FULL, shape=shape, value=1, dtype=dtype or float32)


def full_like(input: Any, fill_value: Any, *, dtype: DType | None = None) -> Any:
    """One number in the shape and dtype of another tensor."""
    return apply(create.FULL, shape=input.shape, value=fill_value, dtype=dtype or input.dtype)


def zeros_like(input: Any, *, dtype: DType | None = None) -> Any:
    """Zeros in the shape and dtype of another tensor."""
    return full_like(input, 0, dtype=dtype)


def ones_like(input: Any, *, dtype: DType | None = None) -> Any:
    """Ones in the shape and dtype of another tensor."""
    return full_like(input, 1, dtype=dtype)


def eye(n: int, m: int | None = None, dtype: DType | None = None) -> Any:
    """Ones on the diagonal of n rows and m columns (``None``: n), zeros elsewhere."""
    return apply(create.EYE, rows=n, columns=m, dtype=dtype or float32)


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: DType | None = None) -> Any:
    """Numbers from ``start`` up to, without, ``end``; one argument is the end. Int64, or Float32 for floats."""
    start, end = (0, start) if end is None else (start, end)
    whole = all(isinstance(n, int) for n in (start, end, step))
    return apply(create.ARANGE, start=start, stop=end, step=step, dtype=dtype or (int64 if whole else float32))


def size(input_x: Any) -> int:
    """The number of elements."""
    return int(input_x.size)


def shape(input_x: Any) -> Shape:
    """The sizes of the axes."""
    return tuple(input_x.shape)


def rank(input_x: Any) -> int:
    """The number of axes."""
    return len(input_x.shape)
