"""The shape of tensors and the order of their axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape
from minigraph.operators import views
from minigraph.operators.families import check_tensors, normalize_axis
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.operator_functions import rename_arguments

FORMS = """
method mint: ravel t
method: expand_as moveaxis movedim numel swapdims view_as
mint: broadcast_to reshape swapaxes:TransposeExtView tile:Tile unsqueeze
function: dyn_shape:TensorShape expand:Expand expand_dims flatten:Flatten permute rank:Rank reshape_ shape:Shape shape_
    size:Size squeeze transpose:TransposeView
"""
export(globals())


# ---- shape -----------------------------------------------------------------------------------------


def reshape(input: Tensor, shape: Sequence[int]) -> Tensor:
    """The same elements in another shape; one size may be -1."""
    return apply(views.RESHAPE, input, shape=shape)


def flatten(input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """Merges the axes from ``start_dim`` to ``end_dim``; by default all but axis 0."""
    if order not in ("C", "F"):
        raise UsageError(f"flatten: order is 'C' or 'F', got {order!r}")
    input = input if order == "C" else transpose(input, range(input.ndim)[::-1])
    if input.ndim < 2:
        return apply(views.RESHAPE, input, shape=(-1,))
    return apply(views.FLATTEN, input, start=start_dim, end=end_dim)


def ravel(input: Tensor) -> Tensor:
    """All axes merged into one."""
    return reshape(input, (-1,))


def view_as(input: Tensor, other: Tensor) -> Tensor:
    """The same elements in the shape of another tensor."""
    check_tensors("view_as", other)
    return reshape(input, other.shape)


def expand_dims(input_x: Tensor, axis: int) -> Tensor:
    """A new axis of size 1 before ``axis``."""
    return apply(views.EXPAND_DIMS, input_x, axis=axis)


unsqueeze = rename_arguments(expand_dims, input="input_x", dim="axis")


def squeeze(input: Tensor, axis: IntOrTuple | None = None) -> Tensor:
    """Axes of size 1 removed (``None``: all of them)."""
    return apply(views.SQUEEZE, input, axis=axis)


# ---- order of axes ---------------------------------------------------------------------------------


def transpose(input: Tensor, dims: Sequence[int]) -> Tensor:
    """The axes permuted."""
    return apply(views.TRANSPOSE, input, axes=tuple(dims))


permute = rename_arguments(transpose, axis="dims")


def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Two axes swapped."""
    return input.swapaxes(axis0, axis1)


def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two axes swapped."""
    return input.swapaxes(dim0, dim1)


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and scalars unchanged."""
    if input.ndim > 2:
        raise ShapeError(f"t: needs at most two axes, got {input.type}; use swapaxes")
    return input if input.ndim < 2 else input.swapaxes(0, 1)


def moveaxis(x: Tensor, source: IntOrTuple, destination: IntOrTuple) -> Tensor:
    """Moves axes to new positions; the other axes keep their order.

    >>> moveaxis(Tensor([[[1.0, 2.0]]]), 2, 0).shape
    (2, 1, 1)
    """
    old, new = ([n] if isinstance(n, int) else list(n) for n in (source, destination))
    if len(old) != len(new):
        raise UsageError(f"moveaxis: {len(old)} axes to {len(new)} positions; pass one for each")
    start = [normalize_axis("moveaxis", axis, x.ndim) for axis in old]
    order = [axis for axis in range(x.ndim) if axis not in start]
    for position, axis in sorted(zip((normalize_axis("moveaxis", axis, x.ndim) for axis in new), start, strict=True)):
        order.insert(position, axis)
    return transpose(x, order)


movedim = moveaxis

# ---- broadcasting and tiling -----------------------------------------------------------------------


def broadcast_to(input: Tensor, shape: Sequence[int]) -> Tensor:
    """Broadcasts to a shape; -1 keeps a size."""
    return apply(views.BROADCAST_TO, input, shape=tuple(shape))


def expand(input_x: Tensor, size: Tensor | Sequence[int]) -> Tensor:
    """Broadcasts to a shape; -1 keeps a size."""
    sizes = tuple(size.tolist()) if isinstance(size, Tensor) else tuple(size)
    return apply(views.BROADCAST_TO, input_x, shape=sizes)


def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Broadcasts to the shape of another tensor."""
    check_tensors("expand_as", other)
    return apply(views.BROADCAST_TO, input, shape=other.shape)


def tile(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Repeats the whole tensor ``dims[i]`` times along axis i.

    >>> print(tile(Tensor([1, 2]), (2, 2)))
    [[1 2 1 2]
     [1 2 1 2]]
    """
    counts = (1,) * (input.ndim - len(dims)) + tuple(dims)
    shape = (1,) * (len(counts) - input.ndim) + tuple(input.shape)
    expanded = tuple(n for size in shape for n in (1, size))
    tiled = tuple(n for count, size in zip(counts, shape, strict=True) for n in (count, size))
    repeated = apply(views.BROADCAST_TO, apply(views.RESHAPE, input, shape=expanded), shape=tiled)
    return apply(views.RESHAPE, repeated, shape=tuple(c * n for c, n in zip(counts, shape, strict=True)))


# ---- sizes -----------------------------------------------------------------------------------------


def size(input_x: Tensor) -> int:
    """The number of elements."""
    return int(input_x.size)


def shape(input_x: Tensor) -> Shape:
    """The sizes of the axes."""
    return tuple(input_x.shape)


def rank(input_x: Tensor) -> int:
    """The number of axes."""
    return len(input_x.shape)


def numel(input: Tensor) -> int:
    """The number of elements."""
    return int(input.size)


def dyn_shape(input_x: Tensor) -> Tensor:
    """The sizes of the axes as a tensor."""
    return Tensor(np.array(input_x.shape, np.int64))


shape_, reshape_ = shape, reshape  # MindSpore's instances of the primitives
