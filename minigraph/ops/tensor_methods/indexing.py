"""Methods of a Tensor that select and replace elements and have a signature of their own; ``x`` is the tensor."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import ArrayLike, TensorLike
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.operators import views
from minigraph.operators.families import normalize_axis
from minigraph.ops import functional as F
from minigraph.ops.functional.joining import index_axis


def gather(
    x: Tensor, first: Any = None, second: Any = None, batch_dims: int = 0, *, dim: Any = None, index: Any = None,
    input_indices: Any = None, axis: Any = None,
) -> Tensor:  # fmt: skip
    """``gather(dim, index)``: one element per index; ``gather(input_indices, axis)``: whole slices."""
    if index is not None or (second is not None and not isinstance(first, Tensor)):
        axis_of_elements = dim if dim is not None else first
        return F.gather_elements(x, axis_of_elements, second if index is None else index)
    indices = input_indices if first is None else first
    return F.gather(x, indices, axis if second is None else second, batch_dims)


def select(
    x: Tensor, first: object = None, second: Any = None, *, dim: object = None, index: Any = None,
    condition: object = None, y: Any = None,
) -> Tensor:  # fmt: skip
    """``select(dim, index)``: one slice along an axis; ``select(condition, y)``: x if the condition holds, else y."""
    mask = condition if first is None else first
    if isinstance(mask, Tensor):
        return F.where(mask, x, y if second is None else second)
    axis = normalize_axis("select", dim if first is None else first, x.ndim)
    return index_axis(x, axis, index if second is None else second)


def where(x: Tensor, condition: Tensor, y: TensorLike) -> Tensor:
    """x where the condition holds, else y."""
    return F.where(condition, x, y)


def take(x: Tensor, indices: ArrayLike, axis: int | None = None, mode: str = "clip") -> Tensor:
    """Slices along an axis (``None``: elements of the flattened tensor) at indices clipped to it ("clip").

    ``mode`` "wrap" takes indices modulo the size.
    """
    rows = F.ravel(x) if axis is None else x
    size = rows.shape[0 if axis is None else axis]
    positions = indices if isinstance(indices, Tensor) else Tensor(indices)
    valid = F.floor_mod(positions, size) if mode == "wrap" else F.clip(positions, 0, size - 1)
    return F.gather(rows, valid, 0 if axis is None else axis)


def scatter_add(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """``scatter_add(dim, index, src)`` adds elements along an axis, ``(indices, updates)`` at coordinates."""
    if len(args) + len(kwargs) == 2:
        return F.tensor_scatter_add(x, *args, **kwargs)
    return _scatter_add_along(x, *args, **kwargs)


def _scatter_add_along(x: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return F.tensor_scatter_elements(x, index, src, dim, "add")


def index_add(
    x: Tensor, first: object = None, second: object = None, third: object = None, *, dim: object = None,
    index: object = None, source: object = None, alpha: float = 1, indices: object = None, y: object = None,
    axis: object = None,
) -> Tensor:  # fmt: skip
    """``index_add(dim, index, source)`` or ``(indices, y, axis)``: adds slices, times ``alpha``, at indices."""
    positional = (first, second, third)
    if isinstance(first, Tensor) or indices is not None:
        positions, slices, along = _merge_arguments(positional, (indices, y, axis))
    else:
        along, positions, slices = _merge_arguments(positional, (dim, index, source))
    return F.index_add(x, positions, slices if alpha == 1 else slices * alpha, along)


def _merge_arguments(positional: tuple[object, ...], keywords: tuple[object, ...]) -> tuple[Any, ...]:
    """Positional arguments, or those passed by keyword."""
    return tuple(keyword if value is None else value for value, keyword in zip(positional, keywords, strict=True))


def index_put(x: Tensor, indices: Sequence[ArrayLike], values: Tensor, accumulate: bool = False) -> Tensor:
    """Elements at coordinates, one index tensor per axis, replaced or (``accumulate``) added to."""
    coordinates = F.stack([index if isinstance(index, Tensor) else Tensor(index) for index in indices], -1)
    scatter = F.tensor_scatter_add if accumulate else F.tensor_scatter_update
    updates = values.expand(coordinates.shape[:-1] + x.shape[coordinates.shape[-1] :])
    return scatter(x, coordinates, updates)


def masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The elements where the mask holds replaced by the elements of ``source``, in order."""
    full_mask = mask if mask.shape == x.shape else apply(views.BROADCAST_TO, mask, shape=x.shape)
    order = F.cumsum(F.cast(F.ravel(full_mask), int64), 0) - 1
    new = F.gather(F.ravel(source), F.maximum(order, 0), 0)
    return F.where(full_mask, F.reshape(new, x.shape), x)


def fill_diagonal(x: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """The main diagonal filled with a number; ``wrap`` continues it below the square part of a tall matrix."""
    columns = x.shape[-1]
    positions = np.arange(0, x.size if wrap else builtins.min(x.size, columns * columns), columns + 1)
    flat = F.index_fill(F.ravel(x), 0, Tensor(positions), fill_value)
    return F.reshape(flat, x.shape)
