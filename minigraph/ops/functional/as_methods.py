"""Methods of a Tensor that are called otherwise than the function of their name; ``x`` is the tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType
from minigraph.operators import reduce
from minigraph.ops.functional import array, making, ordering, rearrange
from minigraph.ops.functional import math as maths
from minigraph.ops.functional.axes import listed
from minigraph.ops.functional.elementary import isclose

# ---- reductions ------------------------------------------------------------------------------------


def sum(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
    """The sum over axes (``None``: all), in ``dtype``; without one integers and bools add up to Int64.

    ``initial`` is added, too.
    """
    if isinstance(dtype, bool):  # x.sum(0, True)
        dtype, keepdims = None, dtype
    found = maths.sum(x, axis, keepdims, dtype=dtype)
    return found if initial is None else found + initial


def mean(x: Any, axis: Any = None, keep_dims: bool = False, *, dtype: DType | None = None) -> Any:
    """The mean over axes (``None``: all), in ``dtype`` when one is given."""
    return maths.mean(x if dtype is None else maths.cast(x, dtype), axis, keep_dims)


def _extreme(pair: Callable[..., Any], alone: Callable[..., Any], other: Callable[..., Any], word: str) -> Any:
    def extreme(
        x: Any,
        *place: Any,
        axis: Any = None,
        dim: int | None = None,
        keepdims: bool = False,
        keepdim: bool = False,
        return_indices: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Any:
        kept = keepdims or keepdim or place[1:] == (True,)
        at = place[0] if place else dim
        if at is not None or return_indices:
            return pair(x, axis if at is None else at, kept)
        found = alone(x if where is None else maths.where(where, x, initial), axis, kept)
        return found if initial is None else other(found, initial)

    extreme.__doc__ = f"""The {word} element of all, or over ``axis``; over ``dim`` also where it stands.

    ``x.max(0)`` and ``x.max(dim=0)`` give (elements, positions) as ``ops.max`` does, ``x.max(axis=0)`` the elements
    alone. ``where`` leaves elements out, ``initial`` counts as one more; ``min`` is called the same way.
    """
    return extreme


max = _extreme(maths.max, maths.amax, maths.maximum, "largest")
min = _extreme(maths.min, maths.amin, maths.minimum, "smallest")


def argmax(x: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Positions of the first largest elements along ``axis`` (``None``: in the flattened tensor), Int64."""
    return maths.argmax(x, axis, keepdims)


def argmax_with_value(x: Any, axis: int = 0, keep_dims: bool = False) -> tuple[Any, Any]:
    """(largest elements, their positions) over one axis."""
    return maths.max(x, axis, keep_dims)


def argmin_with_value(x: Any, axis: int = 0, keep_dims: bool = False) -> tuple[Any, Any]:
    """(smallest elements, their positions) over one axis."""
    return maths.min(x, axis, keep_dims)


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest less the smallest element over axes (``None``: all)."""
    return maths.amax(x, axis, keepdims) - maths.amin(x, axis, keepdims)


def logsumexp(x: Any, axis: Any, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) over axes, without overflow."""
    return maths.logsumexp(x, axis, keepdims)


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DType | None = None) -> Any:
    """The sum of a diagonal, in the dtype of the tensor unless another is given."""
    return maths.cast(maths.sum(making.diagonal(x, offset, axis1, axis2), -1), dtype or x.dtype)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements on a diagonal of two axes, as the last axis."""
    return making.diagonal(x, offset, axis1, axis2)


def allclose(x: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are close to those of another tensor, as a Python bool."""
    return bool(maths.all(isclose(x, other, rtol, atol, equal_nan)))


# ---- pieces and repeats ----------------------------------------------------------------------------


def split(x: Any, split_size: Any, axis: int = 0) -> tuple[Any, ...]:
    """Pieces of one size (the last may be smaller), or of the given sizes, along an axis."""
    return array.split(x, split_size, axis)


def tile(x: Any, *dims: Any) -> Any:
    """The whole tensor repeated ``dims[i]`` times along axis i; numbers one by one or as a tuple."""
    return array.tile(x, listed(dims))


def repeat(x: Any, *repeats: Any, axis: int | None = None) -> Any:
    """``repeat(2)`` and ``repeat(2, axis)``: every slice twice in a row; ``repeat((2, 3))``: the whole, as ``tile``."""
    if len(repeats) == 1 and isinstance(repeats[0], tuple | list) and axis is None:
        return array.tile(x, tuple(repeats[0]))
    place = repeats[1] if len(repeats) > 1 else axis
    return rearrange.repeat_interleave(x, repeats[0], place)


def flip(x: Any, *dims: Any) -> Any:
    """The given axes in reverse order of their elements."""
    return array.flip(x, listed(dims))


def resize(x: Any, *new_shape: Any) -> Any:
    """The first elements in another shape, zeros where they do not reach."""
    shape = listed(new_shape)
    count = int(np.prod(shape, dtype=np.int64))
    flat = rearrange.ravel(x)
    kept = flat[:count] if count <= x.size else apply("pad", flat, widths=((0, count - x.size),))
    return array.reshape(kept, shape)


def reshape_as(x: Any, other: Any) -> Any:
    """The same elements in the shape of another tensor."""
    return array.reshape(x, other.shape)


def sum_to_size(x: Any, *size: Any) -> Any:
    """The sum over the axes along which a tensor of that shape would be repeated."""
    return apply(reduce.SUM_TO, x, shape=listed(size))


def topk(x: Any, k: int, axis: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    """(the ``k`` largest or smallest elements along an axis, their places as Int32), in order."""
    return ordering.topk(x, k, axis, largest, sorted)


def sort(x: Any, axis: int = -1, descending: bool = False, stable: bool = False) -> tuple[Any, Any]:
    """(elements in order along an axis, where they stood as Int32); equal elements stay as they stood."""
    return ordering.sort(x, axis, descending)


def searchsorted(x: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Where values would be put into the tensor, which is in order: before equal ones or behind ("right"), Int32."""
    return ordering.searchsorted(x, v, out_int32=True, side=side, sorter=sorter)


def unique(
    x: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The different elements (or slices of an axis) in order; as asked the place of each among them, and how many."""
    found = np.unique(x.asnumpy(), return_inverse=True, return_counts=True, axis=dim)
    values, inverse, counts = (Tensor(one) for one in found)
    inverse = inverse if dim is not None else array.reshape(inverse, x.shape)
    extra = [one for one, wanted in ((inverse, return_inverse), (counts, return_counts)) if wanted]
    return (values, *extra) if extra else values


# ---- numbers ---------------------------------------------------------------------------------------


def round(x: Any, decimals: int = 0) -> Any:
    """The nearest whole number, halves to even, or the nearest with so many decimals."""
    return maths.round(x, decimals=decimals)


def add(x: Any, other: Any, *, alpha: Any = 1) -> Any:
    """The sum with another tensor, or with ``alpha`` times it."""
    return maths.add(x, other if alpha == 1 else other * alpha)


def softmax(x: Any, axis: int = -1, dtype: DType | None = None) -> Any:
    """exp(x) divided by its sum along an axis."""
    return apply("softmax", x if dtype is None else maths.cast(x, dtype), axis=axis)
