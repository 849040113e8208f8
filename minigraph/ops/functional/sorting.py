"""Sorting, searching, and sets of distinct elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, float32, int32, int64
from minigraph.operators import compare, ordering, reduce
from minigraph.operators.families import axis_of
from minigraph.ops.functional.arguments import concrete_values
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.cumulative import cummax, cumsum
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import gather, gather_elements, where
from minigraph.ops.functional.joining import concat
from minigraph.ops.functional.reduction import sum as total
from minigraph.ops.functional.shapes import unsqueeze

__all__ = [
    "argsort", "argwhere", "bucketize", "intopk", "msort", "nonzero", "searchsorted", "sort", "top_k", "topk",
    "unique", "unique_consecutive", "unique_with_pad",
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


def intopk(x1: Any, x2: Any, k: int) -> Any:
    """Whether the score [N,C] of each class of ``x2`` is among the ``k`` largest of its case."""
    own = gather_elements(x1, 1, cast(x2, int64).expand_dims(1))
    return total(cast(x1 > own, int64), 1) < k


# ---- searching -------------------------------------------------------------------------------------


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


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """The places of elements that are not 0, Int64 [count, rank], or one vector per axis.

    How many there are needs to be known: outside of ``@jit``; inside, ``where`` does without.
    """
    known = concrete_values("nonzero", input)
    if as_tuple:
        return tuple(map(Tensor, np.nonzero(np.atleast_1d(known))))
    return Tensor(np.argwhere(known))


def argwhere(input: Any) -> Any:
    """The same as ``nonzero``."""
    return nonzero(input)


# ---- distinct elements -----------------------------------------------------------------------------


def unique(input: Any) -> tuple[Any, Any]:
    """(the different elements as they first come, for each its place among them); outside of ``@jit``.

    Places of Int64 elements are Int64, of others Int32.

    >>> print(*unique(Tensor([3, 1, 3, 2])))
    [3 1 2] [0 1 0 2]
    """
    values, first, inverse = np.unique(concrete_values("unique", input), return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.argsort(order)[inverse.reshape(input.shape)]
    return Tensor(values[order]), Tensor(places, int64 if input.dtype is int64 else int32)


def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """One of each run of equal neighbours; as asked the run of each element, and the lengths. Outside of ``@jit``."""
    array = concrete_values("unique_consecutive", input)
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


def unique_with_pad(x: Any, pad_num: Any) -> tuple[Any, Any]:
    """(the different elements as they first come, then ``pad_num`` up to the size of x; where each one is among them).

    >>> print(*unique_with_pad(Tensor([5, 2, 5]), 0))
    [5 2 0] [0 1 0]
    """
    if x.ndim != 1:
        raise ShapeError(f"unique_with_pad: needs a vector, got shape {list(x.shape)}")
    order, here = argsort(x), arange(x.size)
    rows = gather(x, order, 0)
    starts = concat([Tensor([True] * min(x.size, 1), bool_), rows[1:] != rows[:-1]])
    first = gather(order, cummax(where(starts, here, 0), 0)[0], 0)  # of equal ones, in sorted order
    first = gather(first, argsort(order), 0)
    new = first == here
    ranks = cumsum(cast(new, int64), 0) - 1
    found = where(here < total(cast(new, int64)), gather(x, argsort(~new), 0), pad_num)
    return cast(found, x.dtype), cast(gather(ranks, first, 0), int64 if x.dtype is int64 else int32)
