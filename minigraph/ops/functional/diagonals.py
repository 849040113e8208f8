"""Diagonals, triangles and bands of matrices."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int64, promote
from minigraph.operators import compare, joining, views
from minigraph.operators.families import axis_of
from minigraph.operators.indexing import INDEX, INDEX_ADD
from minigraph.ops.functional.creation import arange, zeros
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.joining import concat
from minigraph.ops.functional.shapes import moveaxis, reshape

__all__ = [
    "block_diag", "diag", "diag_embed", "diagflat", "diagonal", "matrix_band_part", "matrix_diag", "matrix_diag_part",
    "matrix_set_diag", "tril", "tril_indices", "triu", "triu_indices",
]  # fmt: skip


# ---- diagonals -------------------------------------------------------------------------------------


def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The elements on a diagonal of two axes, as the last axis.

    >>> print(diagonal(Tensor([[1, 2], [3, 4]])))
    [1 4]
    """
    first, second = axis_of("diagonal", dim1, input.ndim), axis_of("diagonal", dim2, input.ndim)
    if first == second:
        raise UsageError(f"diagonal: dim1 and dim2 are both axis {first}; give two")
    matrices = moveaxis(input, (first, second), (-2, -1))
    rows, columns = matrices.shape[-2:]
    low, right = max(-offset, 0), max(offset, 0)
    count = max(min(rows - low, columns - right), 0)
    places = np.arange(count)
    key = (*((None, None, None),) * (input.ndim - 2), (1,), (2,))
    return apply(INDEX, matrices, Tensor(places + low), Tensor(places + right), key=key)


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The last axis put on a diagonal of two new axes, zeros elsewhere."""
    size, rank = input.shape[-1] + abs(offset), input.ndim + 1
    places = np.arange(input.shape[-1])
    rows, columns = Tensor(places + max(-offset, 0)), Tensor(places + max(offset, 0))
    key = (*((None, None, None),) * (rank - 2), (1,), (2,))
    shape = (*input.shape[:-1], size, size)
    found = apply(INDEX_ADD, input, rows, columns, key=key, shape=shape)
    first, second = axis_of("diag_embed", dim1, rank), axis_of("diag_embed", dim2, rank)
    return moveaxis(found, (-2, -1), (first, second))


def diag(input: Any) -> Any:
    """A tensor of twice the rank with the elements where both halves of the place agree: a vector on a diagonal."""
    return reshape(diagflat(input), (*input.shape, *input.shape))


def diagflat(input: Any, offset: int = 0) -> Any:
    """All elements on a diagonal of a matrix."""
    return diag_embed(reshape(input, (-1,)), offset)


def block_diag(*inputs: Any) -> Any:
    """Matrices one after the other along the diagonal, zeros elsewhere."""
    dtype = reduce(promote, (x.dtype for x in inputs))
    blocks = [cast(reshape(x, (1, x.size)) if x.ndim < 2 else x, dtype) for x in inputs]
    width = sum(block.shape[1] for block in blocks)
    rows, start = [], 0
    for block in blocks:
        stop = start + block.shape[1]
        rows.append(apply(joining.PAD, block, widths=((0, 0), (start, width - stop))))
        start = stop
    return concat(rows, 0)


# ---- triangles -------------------------------------------------------------------------------------


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


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: DType = int64) -> Tensor:
    """The places, [2, count], on and below a diagonal of a matrix."""
    return Tensor(np.stack(np.tril_indices(row, offset, col)), dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: DType = int64) -> Tensor:
    """The places, [2, count], on and above a diagonal of a matrix."""
    return Tensor(np.stack(np.triu_indices(row, offset, col)), dtype)


# ---- batches of matrices ---------------------------------------------------------------------------


def _one_diagonal(name: str, k: Any) -> int:
    numbers = np.ravel(k.asnumpy() if isinstance(k, Tensor) else k).tolist()
    if len(set(numbers)) != 1:
        raise UsageError(f"{name}: one diagonal is wanted, got {k}; call it once for each")
    return int(numbers[0])


def matrix_diag(
    x: Any, k: Any = 0, num_rows: int = -1, num_cols: int = -1, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Matrices with the vectors of the last axis on their k-th diagonal, ``padding_value`` elsewhere.

    >>> print(matrix_diag(Tensor([1.0, 2.0]), 1))
    [[0. 1. 0.]
     [0. 0. 2.]
     [0. 0. 0.]]
    """
    offset = _one_diagonal("matrix_diag", k)
    found = diag_embed(x, offset)
    rows, columns = (int(one) if int(one) > 0 else found.shape[-1] for one in (num_rows, num_cols))
    on = Tensor(np.eye(found.shape[-1], k=offset, dtype=bool))
    fill = padding_value.item() if isinstance(padding_value, Tensor) else padding_value
    found = cast(where(on, found, fill), x.dtype) if fill else found
    wider = (max(rows - found.shape[-2], 0), max(columns - found.shape[-1], 0))
    if any(wider):
        found = apply("pad", found, widths=((0, 0),) * (found.ndim - 2) + ((0, wider[0]), (0, wider[1])), value=fill)
    return found[..., :rows, :columns]


def matrix_diag_part(x: Any, k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """The k-th diagonals of matrices."""
    return diagonal(x, _one_diagonal("matrix_diag_part", k), -2, -1)


def matrix_set_diag(x: Any, diagonal: Any, k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Matrices with other k-th diagonals."""
    offset = _one_diagonal("matrix_set_diag", k)
    rows, columns = x.shape[-2:]
    on = Tensor(np.eye(rows, columns, offset, dtype=bool))
    return where(on, matrix_diag(diagonal, offset, rows, columns), x)


def matrix_band_part(x: Any, lower: Any, upper: Any) -> Any:
    """Matrices with zeros beyond ``lower`` diagonals below the main one and ``upper`` above it; -1 keeps all.

    >>> print(matrix_band_part(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0, -1))
    [[1. 2.]
     [0. 4.]]
    """
    rows, columns = x.shape[-2:]
    below, above = (int(one.asnumpy()) if isinstance(one, Tensor) else int(one) for one in (lower, upper))
    apart = np.arange(columns) - np.arange(rows)[:, None]
    kept = (-apart <= (below if below >= 0 else rows)) & (apart <= (above if above >= 0 else columns))
    return where(Tensor(kept), x, cast(Tensor(0), x.dtype))
