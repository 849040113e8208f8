"""Sorting, running totals, medians, and what is found by value: its size may depend on the values."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import TypeArgument, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float16, float32, int32, int64
from minigraph.operators import compare, elementwise, ordering, reduce, views
from minigraph.operators.families import axis_of
from minigraph.ops.functional.array import arange, flatten, unsqueeze
from minigraph.ops.functional.math import cast, where
from minigraph.ops.functional.positions import gather_elements, scatter_nd

__all__ = [
    "argsort", "argwhere", "bincount", "bucketize", "cummax", "cummin", "cumprod", "cumsum", "diff", "histc",
    "logcumsumexp", "masked_select", "median", "msort", "nonzero", "quantile", "searchsorted", "sort", "top_k",
    "topk", "unique", "unique_consecutive",
]  # fmt: skip

# ---- sorting ---------------------------------------------------------------------------------------


def argsort(input: Any, axis: int = -1, descending: bool = False) -> Any:
    """The positions, Int32, that put an axis in order; equal elements stay as they stood."""
    return cast(apply(ordering.ARGSORT, input, axis=axis, descending=descending), int32)


def sort(input_x: Any, axis: int = -1, descending: bool = False) -> tuple[Any, Any]:
    """(elements in order along an axis, where they stood as Int32).

    >>> values, places = sort(Tensor([3.0, 1.0, 2.0]))
    >>> print(values, places)
    [1. 2. 3.] [1 2 0]
    """
    places = argsort(input_x, axis, descending)
    return (gather_elements(input_x, axis, places) if input_x.ndim else input_x), places


def msort(input: Any) -> Any:
    """The elements in order along axis 0."""
    return sort(input, 0)[0]


def topk(input: Any, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    """(the ``k`` largest or smallest elements along an axis, their places as Int32), in order.

    >>> values, places = topk(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, places)
    [3. 2.] [0 2]
    """
    axis = axis_of("topk", -1 if dim is None else dim, input.ndim)
    if not 0 <= k <= input.shape[axis]:
        raise UsageError(f"topk: k is {k}, axis {axis} of {input.type} has {input.shape[axis]} elements; ask for fewer")
    places = argsort(input, axis, largest)[(*(slice(None),) * axis, slice(k))]
    return gather_elements(input, axis, places), places


def top_k(input_x: Any, k: int, sorted: bool = True) -> tuple[Any, Any]:
    """The same along the last axis."""
    return topk(input_x, k)


def median(input: Any, axis: int = -1, keepdims: bool = False) -> tuple[Any, Any]:
    """(the middle element of an axis, where it stands as Int64); of an even number the lower one of the two.

    A NaN among the elements is the answer.

    >>> print(median(Tensor([3.0, 1.0, 2.0, 4.0])))
    (Tensor(shape=[], dtype=Float32, value= 2), Tensor(shape=[], dtype=Int64, value= 2))
    """
    if not input.ndim:
        return input, apply(reduce.ARGMAX, input, axis=None)
    middle = (input.shape[axis] - 1) // 2
    places, before = apply(ordering.ARGSORT, input, axis=axis), (slice(None),) * (axis % input.ndim)
    chosen, last = places[(*before, slice(middle, middle + 1))], places[(*before, slice(-1, None))]
    largest = gather_elements(input, axis, last)  # where a NaN would be
    chosen = where(largest != largest, last, chosen)
    found = gather_elements(input, axis, chosen)
    return (found, chosen) if keepdims else (found.squeeze(axis), chosen.squeeze(axis))


def quantile(input: Any, q: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """The value below which the share ``q`` of the elements lies, on the line between the two next to it."""
    if not 0 <= float(q) <= 1:
        raise UsageError(f"quantile: a share is from 0 to 1, got {q}")
    rows = flatten(input, start_dim=0) if axis is None else input
    at = -1 if axis is None else axis
    ordered, last = sort(rows, at)[0], rows.shape[at] - 1
    place = float(q) * last
    below = int(place)
    low, high = (_slice(ordered, at, i) for i in (below, min(below + 1, last)))
    found = low + (high - low) * (place - below)
    return found if keepdims and axis is not None else found.squeeze(at)


def _slice(x: Any, axis: int, position: int) -> Any:
    return x[(*(slice(None),) * (axis % x.ndim), slice(position, position + 1))]


# ---- running totals --------------------------------------------------------------------------------


def cumsum(x: Any, axis: int, dtype: DType | None = None) -> Any:
    """The sum of the elements up to each along an axis.

    >>> print(cumsum(Tensor([1.0, 2.0, 3.0]), 0))
    [1. 3. 6.]
    """
    return apply(ordering.CUMSUM, x if dtype is None else cast(x, dtype), axis=axis)


def cumprod(input: Any, dim: int, dtype: DType | None = None) -> Any:
    """The product of the elements up to each along an axis; that of integers is Int64."""
    wide = dtype or (input.dtype if input.dtype.is_float else int64)
    return apply(ordering.CUMPROD, cast(input, wide), axis=dim)


def cummax(input: Any, axis: int) -> tuple[Any, Any]:
    """(the largest element up to each along an axis, where it stands as Int64)."""
    places = apply(ordering.CUMMAX_AT, input, axis=axis)
    return gather_elements(input, axis, places), places


def cummin(input: Any, axis: int) -> tuple[Any, Any]:
    """(the smallest element up to each along an axis, where it stands as Int32)."""
    places = cast(apply(ordering.CUMMIN_AT, input, axis=axis), int32)
    return gather_elements(input, axis, places), places


def logcumsumexp(input: Any, axis: int) -> Any:
    """The logarithm of the sum of exp(x) up to each along an axis, relative to the largest of all."""
    top = apply(views.STOP_GRADIENT, apply(reduce.MAX, input, axis=axis, keepdims=True))
    return apply(elementwise.LOG, cumsum(apply(elementwise.EXP, input - top), axis)) + top


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The ``n``-th differences of neighbours along an axis, after putting ``prepend`` before and ``append`` behind."""
    parts = [one for one in (prepend, x, append) if one is not None]
    found = apply("concat", *parts, axis=axis) if len(parts) > 1 else x
    before = (slice(None),) * axis_of("diff", axis, x.ndim)
    for _ in range(n):
        found = found[(*before, slice(1, None))] - found[(*before, slice(-1))]
    return found


# ---- places in an order ----------------------------------------------------------------------------


def searchsorted(
    sorted_sequence: Any, values: Any, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Any = None,
) -> Any:  # fmt: skip
    """Where values would be put into a sequence in order: before equal ones, or behind them (``right``), Int64.

    NaN would be put at the end.
    """
    ordered = sorted_sequence if sorter is None else gather_elements(sorted_sequence, -1, sorter)
    after = right or side == "right"
    rows, wanted = unsqueeze(ordered, -2), unsqueeze(values, -1)
    if ordered.ndim == 1:
        rows = ordered
    passed = apply(compare.LOGICAL_NOT, rows > wanted if after else rows >= wanted)  # NaN passes all
    return cast(apply(reduce.SUM, passed, axis=-1), int32 if out_int32 else int64)


def bucketize(input: Any, boundaries: Any, *, right: bool = False) -> Any:
    """Which of the ranges between ``boundaries`` each value is in, Int32."""
    return searchsorted(Tensor(boundaries, float32), input, out_int32=True, right=right)


# ---- how many, and which ---------------------------------------------------------------------------


def _known(where_: str, x: Any) -> np.ndarray:
    """The values of a tensor; raises ``TypeError`` for what is no tensor."""
    if not isinstance(x, Tensor):
        raise TypeArgument(f"{where_}: a tensor is wanted, got {type(x).__name__}; wrap it in Tensor(...)")
    return x.asnumpy()


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each of the numbers from 0 occurs, as Float32, or the sum of their weights.

    The size is that of the largest number, so it needs to be known: outside of ``@jit``.
    """
    size = max(int(_known("bincount", input).max(initial=-1)) + 1, minlength)
    ones = apply("full", shape=input.shape, value=1.0, dtype=float32) if weights is None else weights
    return scatter_nd(unsqueeze(input, -1), cast(ones, float32), (size,))


def histc(input: Any, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Any:
    """How many elements lie in each of ``bins`` ranges of one width from ``min`` to ``max`` (both 0: of all)."""
    values = flatten(input, start_dim=0) if input.ndim != 1 else input
    low, high = (min, max) if (min, max) != (0, 0) else _ends(values)
    place = apply(elementwise.FLOOR, (cast(values, float32) - low) * (bins / (high - low)))
    last = apply(compare.LOGICAL_AND, values == high, place == bins)
    found = where(last, bins - 1.0, place)
    hits = unsqueeze(found, 0) == unsqueeze(cast(arange(bins), float32), 1)
    return cast(apply(reduce.SUM, hits, axis=1), float32 if input.dtype is float16 else input.dtype)


def _ends(values: Any) -> tuple[float, float]:
    known = _known("histc", values)
    low, high = float(known.min()), float(known.max())
    return (low, high) if low < high else (low - 1, high + 1)


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """The places of elements that are not 0, Int64 [count, rank], or one vector per axis.

    How many there are needs to be known: outside of ``@jit``; inside, ``where`` does without.
    """
    known = _known("nonzero", input)
    if as_tuple:
        return tuple(map(Tensor, np.nonzero(np.atleast_1d(known))))
    return Tensor(np.argwhere(known))


def argwhere(input: Any) -> Any:
    """The same as ``nonzero``."""
    return nonzero(input)


def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask holds, in one row; how many needs to be known: outside of ``@jit``."""
    shape = np.broadcast_shapes(input.shape, mask.shape)
    wide, chosen = (x if x.shape == shape else apply(views.BROADCAST_TO, x, shape=shape) for x in (input, mask))
    return wide[chosen]


def unique(input: Any) -> tuple[Any, Any]:
    """(the different elements as they first come, for each its place among them); outside of ``@jit``.

    Places of Int64 elements are Int64, of others Int32.

    >>> print(*unique(Tensor([3, 1, 3, 2])))
    [3 1 2] [0 1 0 2]
    """
    values, first, inverse = np.unique(_known("unique", input), return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.argsort(order)[inverse.reshape(input.shape)]
    return Tensor(values[order]), Tensor(places, int64 if input.dtype is int64 else int32)


def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """One of each run of equal neighbours; as asked the run of each element, and the lengths. Outside of ``@jit``."""
    array = _known("unique_consecutive", input)
    rows = array.reshape(-1, 1) if dim is None else np.moveaxis(array, dim, 0).reshape(array.shape[dim], -1)
    starts = np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)])[: len(rows)]
    numbers = np.cumsum(starts) - 1
    kept = array.reshape(-1)[starts] if dim is None else np.compress(starts, array, dim)
    found = [Tensor(kept)]
    if return_inverse:
        found.append(Tensor(numbers.reshape(input.shape) if dim is None else numbers))
    if return_counts:
        found.append(Tensor(np.bincount(numbers)))
    return found[0] if len(found) == 1 else tuple(found)
