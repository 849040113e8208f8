"""Sorting, searching, and unique elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import CallResult
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, float32, int32, int64
from minigraph.operators import comparison, ordering, reduce
from minigraph.operators.families import normalize_axis
from minigraph.ops.functional.arguments import concrete_values
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.cumulative import cummax, cumsum
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import gather, gather_elements, where
from minigraph.ops.functional.joining import concat
from minigraph.ops.functional.reduction import sum as total
from minigraph.ops.functional.shapes import unsqueeze

FORMS = """
method mint: nonzero:NonZero unique_consecutive
method: argsort argwhere msort top_k unique_with_pad
mint: searchsorted
function: bucketize intopk sort topk unique:Unique
"""
export(globals())


# ---- sorting ---------------------------------------------------------------------------------------


def argsort(input: Tensor, axis: int = -1, descending: bool = False) -> Tensor:
    """The indices, Int32, that sort an axis; the sort is stable."""
    return cast(apply(ordering.ARGSORT, input, axis=axis, descending=descending), int32)


def sort(input_x: Tensor, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """(elements sorted along an axis, their indices as Int32).

    >>> values, indices = sort(Tensor([3.0, 1.0, 2.0]))
    >>> print(values, indices)
    [1. 2. 3.] [1 2 0]
    """
    indices = argsort(input_x, axis, descending)
    return (gather_elements(input_x, axis, indices) if input_x.ndim else input_x), indices


def msort(input: Tensor) -> Tensor:
    """The elements sorted along axis 0."""
    return sort(input, 0)[0]


def topk(
    input: Tensor, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """(the ``k`` largest or smallest elements along an axis, their indices as Int32), sorted.

    >>> values, indices = topk(Tensor([3.0, 1.0, 2.0]), 2)
    >>> print(values, indices)
    [3. 2.] [0 2]
    """
    axis = normalize_axis("topk", -1 if dim is None else dim, input.ndim)
    if not 0 <= k <= input.shape[axis]:
        raise UsageError(f"topk: k is {k}, but axis {axis} of {input.type} has {input.shape[axis]} elements")
    indices = argsort(input, axis, largest)[(*(slice(None),) * axis, slice(k))]
    return gather_elements(input, axis, indices), indices


def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """``topk`` along the last axis."""
    return topk(input_x, k)


def intopk(x1: Tensor, x2: Tensor, k: int) -> Tensor:
    """Whether the score [N,C] of the class ``x2`` of each row is one of its ``k`` largest."""
    scores = gather_elements(x1, 1, cast(x2, int64).expand_dims(1))
    return total(cast(x1 > scores, int64), 1) < k


# ---- searching -------------------------------------------------------------------------------------


def searchsorted(
    sorted_sequence: Tensor, values: Tensor, *, out_int32: bool = False, right: bool = False, side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The indices that keep a sequence sorted if values are inserted: before equal elements, or after (``right``).

    The indices are Int64; NaN goes to the end.
    """
    ordered = sorted_sequence if sorter is None else gather_elements(sorted_sequence, -1, sorter)
    after = right or side == "right"
    rows, columns = unsqueeze(ordered, -2), unsqueeze(values, -1)
    if ordered.ndim == 1:
        rows = ordered
    precedes = apply(comparison.LOGICAL_NOT, rows > columns if after else rows >= columns)  # all elements precede NaN
    return cast(apply(reduce.SUM, precedes, axis=-1), int32 if out_int32 else int64)


def bucketize(input: Tensor, boundaries: Sequence[float], *, right: bool = False) -> Tensor:
    """The index of the interval between ``boundaries`` that contains each value, Int32."""
    return searchsorted(Tensor(boundaries, float32), input, out_int32=True, right=right)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> CallResult:
    """The indices of elements that are not 0, Int64 [count, rank], or one vector per axis.

    Their number must be known, so this works outside of ``@jit``; inside, use ``where``.
    """
    values = concrete_values("nonzero", input)
    if as_tuple:
        return tuple(map(Tensor, np.nonzero(np.atleast_1d(values))))
    return Tensor(np.argwhere(values))


def argwhere(input: Tensor) -> Tensor:
    """``nonzero`` as one tensor."""
    return nonzero(input)


# ---- unique elements -------------------------------------------------------------------------------


def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """(the unique elements in order of first occurrence, the index of each element among them); outside of ``@jit``.

    The indices are Int64 for Int64 elements, else Int32.

    >>> print(*unique(Tensor([3, 1, 3, 2])))
    [3 1 2] [0 1 0 2]
    """
    values, first, inverse = np.unique(concrete_values("unique", input), return_index=True, return_inverse=True)
    order = np.argsort(first)
    indices = np.argsort(order)[inverse.reshape(input.shape)]
    return Tensor(values[order]), Tensor(indices, int64 if input.dtype is int64 else int32)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> CallResult:
    """One of each group of equal neighbours; optionally each element's group and the group sizes. Not in ``@jit``."""
    array = concrete_values("unique_consecutive", input)
    rows = array.reshape(-1, 1) if dim is None else np.moveaxis(array, dim, 0).reshape(array.shape[dim], -1)
    starts = np.concatenate([[True], (rows[1:] != rows[:-1]).any(1)])[: len(rows)]
    groups = np.cumsum(starts) - 1
    elements = array.reshape(-1)[starts] if dim is None else np.compress(starts, array, dim)
    results = [Tensor(elements)]
    if return_inverse:
        results.append(Tensor(groups.reshape(input.shape) if dim is None else groups))
    if return_counts:
        results.append(Tensor(np.bincount(groups)))
    return results[0] if len(results) == 1 else tuple(results)


def unique_with_pad(x: Tensor, pad_num: float) -> tuple[Tensor, Tensor]:
    """(the unique elements in order of first occurrence, padded with ``pad_num`` to the size of x; the index of each).

    >>> print(*unique_with_pad(Tensor([5, 2, 5]), 0))
    [5 2 0] [0 1 0]
    """
    if x.ndim != 1:
        raise ShapeError(f"unique_with_pad: needs a vector, got shape {list(x.shape)}")
    order, positions = argsort(x), arange(x.size)
    rows = gather(x, order, 0)
    starts = concat([Tensor([True] * min(x.size, 1), bool_), rows[1:] != rows[:-1]])
    first = gather(order, cummax(where(starts, positions, 0), 0)[0], 0)  # the first of equal elements, in sorted order
    first = gather(first, argsort(order), 0)
    is_first = first == positions
    ranks = cumsum(cast(is_first, int64), 0) - 1
    elements = where(positions < total(cast(is_first, int64)), gather(x, argsort(~is_first), 0), pad_num)
    return cast(elements, x.dtype), cast(gather(ranks, first, 0), int64 if x.dtype is int64 else int32)
