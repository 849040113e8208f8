"""Methods of a Tensor that pick and put elements and are called otherwise than the function of their name."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.operators import views
from minigraph.operators.families import axis_of
from minigraph.ops import functional as F
from minigraph.ops.functional.joining import along


def gather(
    x: Any, first: Any = None, second: Any = None, batch_dims: int = 0, *, dim: Any = None, index: Any = None,
    input_indices: Any = None, axis: Any = None,
) -> Any:  # fmt: skip
    """``gather(dim, index)``: one element for each of ``index``; ``gather(input_indices, axis)``: whole slices."""
    if index is not None or (second is not None and not isinstance(first, Tensor)):
        place = dim if dim is not None else first
        return F.gather_elements(x, place, second if index is None else index)
    places = input_indices if first is None else first
    return F.gather(x, places, axis if second is None else second, batch_dims)


def select(
    x: Any, first: Any = None, second: Any = None, *, dim: Any = None, index: Any = None, condition: Any = None,
    y: Any = None,
) -> Any:  # fmt: skip
    """``select(dim, index)``: one slice of an axis; ``select(condition, y)``: x where the condition holds, else y."""
    chosen = condition if first is None else first
    if isinstance(chosen, Tensor):
        return F.where(chosen, x, y if second is None else second)
    axis = axis_of("select", dim if first is None else first, x.ndim)
    return along(x, axis, index if second is None else second)


def where(x: Any, condition: Any, y: Any) -> Any:
    """x where the condition holds, else y."""
    return F.where(condition, x, y)


def take(x: Any, indices: Any, axis: int | None = None, mode: str = "clip") -> Any:
    """Slices along an axis (``None``: elements of the flattened tensor) at positions held inside of it ("clip").

    ``mode`` "wrap" counts positions beyond the end from the front again.
    """
    rows = F.ravel(x) if axis is None else x
    size = rows.shape[0 if axis is None else axis]
    places = indices if isinstance(indices, Tensor) else Tensor(indices)
    inside = F.floor_mod(places, size) if mode == "wrap" else F.clip(places, 0, size - 1)
    return F.gather(rows, inside, 0 if axis is None else axis)


def scatter_add(x: Any, *args: Any, **kwargs: Any) -> Any:
    """``scatter_add(dim, index, src)``: elements added along an axis; ``(indices, updates)``: at places of all axes."""
    if len(args) + len(kwargs) == 2:
        return F.tensor_scatter_add(x, *args, **kwargs)
    return _added_along(x, *args, **kwargs)


def _added_along(x: Any, dim: int, index: Any, src: Any) -> Any:
    return F.tensor_scatter_elements(x, index, src, dim, "add")


def index_add(
    x: Any, first: Any = None, second: Any = None, third: Any = None, *, dim: Any = None, index: Any = None,
    source: Any = None, alpha: Any = 1, indices: Any = None, y: Any = None, axis: Any = None,
) -> Any:  # fmt: skip
    """``index_add(dim, index, source)``, or ``(indices, y, axis)``: slices, times ``alpha``, added at positions."""
    given = (first, second, third)
    if isinstance(first, Tensor) or indices is not None:
        places, slices, at = _either(given, (indices, y, axis))
    else:
        at, places, slices = _either(given, (dim, index, source))
    return F.index_add(x, places, slices if alpha == 1 else slices * alpha, at)


def _either(given: tuple[Any, ...], words: tuple[Any, ...]) -> tuple[Any, ...]:
    """What was given in order, else by its word."""
    return tuple(word if one is None else one for one, word in zip(given, words, strict=True))


def index_put(x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    """Elements at places, one tensor of positions per axis, replaced or (``accumulate``) added to."""
    places = F.stack([index if isinstance(index, Tensor) else Tensor(index) for index in indices], -1)
    change = F.tensor_scatter_add if accumulate else F.tensor_scatter_update
    wide = values.expand(places.shape[:-1] + x.shape[places.shape[-1] :])
    return change(x, places, wide)


def masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """The elements where the mask holds replaced by the first ones of ``source``, in order."""
    wide = mask if mask.shape == x.shape else apply(views.BROADCAST_TO, mask, shape=x.shape)
    order = F.cumsum(F.cast(F.ravel(wide), int64), 0) - 1
    new = F.gather(F.ravel(source), F.maximum(order, 0), 0)
    return F.where(wide, F.reshape(new, x.shape), x)


def fill_diagonal(x: Any, fill_value: Any, wrap: bool = False) -> Any:
    """The main diagonal filled with a number; ``wrap`` begins again below the square of a tall matrix."""
    columns = x.shape[-1]
    places = np.arange(0, x.size if wrap else builtins.min(x.size, columns * columns), columns + 1)
    flat = F.index_fill(F.ravel(x), 0, Tensor(places), fill_value)
    return F.reshape(flat, x.shape)
