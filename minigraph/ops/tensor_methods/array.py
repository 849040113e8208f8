"""Methods that manipulate or sort arrays and have a signature of their own; ``x`` is the tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import CallResult
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import reduce
from minigraph.ops import functional as F
from minigraph.ops.functional.arguments import as_tuple


def diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The elements on a diagonal of two axes, as the last axis."""
    return F.diagonal(x, offset, axis1, axis2)


def split(x: Tensor, split_size: int | Sequence[int], axis: int = 0) -> tuple[Tensor, ...]:
    """Splits along an axis into chunks of one size (the last may be smaller), or of the given sizes."""
    return F.split(x, split_size, axis)


def tile(x: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """Repeats the whole tensor ``dims[i]`` times along axis i; integers as arguments or as a tuple."""
    return F.tile(x, as_tuple(dims))


def repeat(x: Tensor, *repeats: Any, axis: int | None = None) -> Tensor:
    """``repeat(2)``, ``repeat(2, axis)``: every slice repeated (numpy's); ``repeat((2, 3))``: the tensor (``tile``)."""
    if len(repeats) == 1 and isinstance(repeats[0], tuple | list) and axis is None:
        return F.tile(x, tuple(repeats[0]))
    position = repeats[1] if len(repeats) > 1 else axis
    return F.repeat_interleave(x, repeats[0], position)


def flip(x: Tensor, *dims: int | Sequence[int]) -> Tensor:
    """Reverses the elements along the given axes."""
    return F.flip(x, as_tuple(dims))


def resize(x: Tensor, *new_shape: int | Sequence[int]) -> Tensor:
    """The first elements in another shape, padded with zeros."""
    shape = as_tuple(new_shape)
    count = int(np.prod(shape, dtype=np.int64))
    flat = F.ravel(x)
    elements = flat[:count] if count <= x.size else apply("pad", flat, widths=((0, count - x.size),))
    return F.reshape(elements, shape)


def reshape_as(x: Tensor, other: Tensor) -> Tensor:
    """The same elements in the shape of another tensor."""
    return F.reshape(x, other.shape)


def sum_to_size(x: Tensor, *size: int | Sequence[int]) -> Tensor:
    """The sum over the axes along which a tensor of that shape would be broadcast."""
    return apply(reduce.SUM_TO, x, shape=as_tuple(size))


def topk(x: Tensor, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """(the ``k`` largest or smallest elements along an axis, their indices as Int32), sorted."""
    return F.topk(x, k, axis, largest, sorted)


def sort(x: Tensor, axis: int = -1, descending: bool = False, stable: bool = False) -> tuple[Tensor, Tensor]:
    """(elements sorted along an axis, their indices as Int32); the sort is stable."""
    return F.sort(x, axis, descending)


def searchsorted(x: Tensor, v: Tensor, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """The indices, Int32, at which values would be inserted into the sorted tensor: before equal elements or after."""
    return F.searchsorted(x, v, out_int32=True, side=side, sorter=sorter)


def unique(
    x: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> CallResult:
    """The unique elements (or slices along an axis), sorted; optionally the index of each element, and the counts."""
    results = np.unique(x.asnumpy(), return_inverse=True, return_counts=True, axis=dim)
    values, inverse, counts = (Tensor(array) for array in results)
    inverse = F.reshape(inverse, x.shape if dim is None else (-1,))  # numpy 2.0 gives it another axis
    extra = [result for result, is_requested in ((inverse, return_inverse), (counts, return_counts)) if is_requested]
    return (values, *extra) if extra else values


def choose(x: Tensor, choices: Sequence[Tensor], mode: str = "clip") -> Tensor:
    """Each element of ``choices[x]`` at its position; indices outside are clipped, or with mode "wrap" wrapped."""
    stacked = F.stack([F.broadcast_to(choice, x.shape) for choice in choices])
    count = stacked.shape[0]
    positions = F.floor_mod(x, count) if mode == "wrap" else F.clip(x, 0, count - 1)
    return F.gather_elements(stacked, 0, F.expand_dims(positions, 0))[0]
