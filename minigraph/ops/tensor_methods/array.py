"""Methods that manipulate, sort or pick, with a signature of their own; ``x`` is the tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import reduce
from minigraph.ops import functional as F
from minigraph.ops.functional.arguments import listed


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements on a diagonal of two axes, as the last axis."""
    return F.diagonal(x, offset, axis1, axis2)


def split(x: Any, split_size: Any, axis: int = 0) -> tuple[Any, ...]:
    """Pieces of one size (the last may be smaller), or of the given sizes, along an axis."""
    return F.split(x, split_size, axis)


def tile(x: Any, *dims: Any) -> Any:
    """The whole tensor repeated ``dims[i]`` times along axis i; numbers one by one or as a tuple."""
    return F.tile(x, listed(dims))


def repeat(x: Any, *repeats: Any, axis: int | None = None) -> Any:
    """``repeat(2)`` and ``repeat(2, axis)``: every slice twice in a row; ``repeat((2, 3))``: the whole, as ``tile``."""
    if len(repeats) == 1 and isinstance(repeats[0], tuple | list) and axis is None:
        return F.tile(x, tuple(repeats[0]))
    place = repeats[1] if len(repeats) > 1 else axis
    return F.repeat_interleave(x, repeats[0], place)


def flip(x: Any, *dims: Any) -> Any:
    """The given axes in reverse order of their elements."""
    return F.flip(x, listed(dims))


def resize(x: Any, *new_shape: Any) -> Any:
    """The first elements in another shape, zeros where they do not reach."""
    shape = listed(new_shape)
    count = int(np.prod(shape, dtype=np.int64))
    flat = F.ravel(x)
    kept = flat[:count] if count <= x.size else apply("pad", flat, widths=((0, count - x.size),))
    return F.reshape(kept, shape)


def reshape_as(x: Any, other: Any) -> Any:
    """The same elements in the shape of another tensor."""
    return F.reshape(x, other.shape)


def sum_to_size(x: Any, *size: Any) -> Any:
    """The sum over the axes along which a tensor of that shape would be repeated."""
    return apply(reduce.SUM_TO, x, shape=listed(size))


def topk(x: Any, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    """(the ``k`` largest or smallest elements along an axis, their places as Int32), in order."""
    return F.topk(x, k, axis, largest, sorted)


def sort(x: Any, axis: int = -1, descending: bool = False, stable: bool = False) -> tuple[Any, Any]:
    """(elements in order along an axis, where they stood as Int32); equal elements stay as they stood."""
    return F.sort(x, axis, descending)


def searchsorted(x: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where values would be put into the tensor, which is in order: before equal ones or behind ("right"), Int32."""
    return F.searchsorted(x, v, out_int32=True, side=side, sorter=sorter)


def unique(
    x: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The different elements (or slices of an axis) in order; as asked the place of each among them, and how many."""
    found = np.unique(x.asnumpy(), return_inverse=True, return_counts=True, axis=dim)
    values, inverse, counts = (Tensor(one) for one in found)
    inverse = inverse if dim is not None else F.reshape(inverse, x.shape)
    extra = [one for one, wanted in ((inverse, return_inverse), (counts, return_counts)) if wanted]
    return (values, *extra) if extra else values
