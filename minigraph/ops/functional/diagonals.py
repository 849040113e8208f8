"""Diagonals, triangles and bands of matrices."""

from __future__ import annotations

from functools import reduce

import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int64, promote
from minigraph.operators import comparison, joining, views
from minigraph.operators.families import normalize_axis
from minigraph.operators.indexing import INDEX, INDEX_ADD
from minigraph.ops.functional.creation import arange, zeros
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.joining import concat
from minigraph.ops.functional.shapes import moveaxis, reshape

FORMS = """
method mint: tril triu
method: diag:Diag diagflat
function: block_diag diag_embed diagonal matrix_band_part:MatrixBandPart matrix_diag matrix_diag_part matrix_set_diag
    tril_indices triu_indices
"""
export(globals())


# ---- diagonals -------------------------------------------------------------------------------------


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The elements on a diagonal of two axes, as the last axis.

    >>> print(diagonal(Tensor([[1, 2], [3, 4]])))
    [1 4]
    """
    first, second = normalize_axis("diagonal", dim1, input.ndim), normalize_axis("diagonal", dim2, input.ndim)
    if first == second:
        raise UsageError(f"diagonal: dim1 and dim2 are both axis {first}; give two different axes")
    matrices = moveaxis(input, (first, second), (-2, -1))
    row_count, column_count = matrices.shape[-2:]
    first_row, first_column = max(-offset, 0), max(offset, 0)
    count = max(min(row_count - first_row, column_count - first_column), 0)
    indices = np.arange(count)
    rows, columns = Tensor(indices + first_row), Tensor(indices + first_column)
    return apply(INDEX, matrices, rows, columns, key=_elements_of_matrices(input.ndim - 2))


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last axis as a diagonal of two new axes, zeros elsewhere."""
    size, rank = input.shape[-1] + abs(offset), input.ndim + 1
    indices = np.arange(input.shape[-1])
    rows, columns = Tensor(indices + max(-offset, 0)), Tensor(indices + max(offset, 0))
    shape = (*input.shape[:-1], size, size)
    matrices = apply(INDEX_ADD, input, rows, columns, key=_elements_of_matrices(rank - 2), shape=shape)
    first, second = normalize_axis("diag_embed", dim1, rank), normalize_axis("diag_embed", dim2, rank)
    return moveaxis(matrices, (-2, -1), (first, second))


def _elements_of_matrices(batch_axes: int) -> tuple[tuple[int | None, ...], ...]:
    """The key of ``x[:, ..., rows, columns]``: full slices of the batch axes, then operands 1 and 2 as indices."""
    return (*((None, None, None),) * batch_axes, (1,), (2,))


def diag(input: Tensor) -> Tensor:
    """The elements on the diagonal of a tensor of twice the rank: a diagonal matrix for a vector."""
    return reshape(diagflat(input), (*input.shape, *input.shape))


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The flattened elements on a diagonal of a matrix."""
    return diag_embed(reshape(input, (-1,)), offset)


def block_diag(*inputs: Tensor) -> Tensor:
    """The block diagonal matrix of the given matrices."""
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


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The elements on and below a diagonal; zeros elsewhere."""
    return apply(comparison.WHERE, _lower_triangle(input, diagonal), input, zeros((), input.dtype))


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The elements on and above a diagonal; zeros elsewhere."""
    return apply(comparison.WHERE, _lower_triangle(input, diagonal - 1), zeros((), input.dtype), input)


def _lower_triangle(input: Tensor, diagonal: int) -> Tensor:
    """A mask of the last two axes: column <= row + diagonal."""
    rows, columns = (arange(size) for size in input.shape[-2:])
    return columns <= apply(views.EXPAND_DIMS, rows, axis=1) + diagonal


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: DType = int64) -> Tensor:
    """The indices [2, count] of the elements on and below a diagonal of a matrix."""
    return Tensor(np.stack(np.tril_indices(row, offset, col)), dtype)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: DType = int64) -> Tensor:
    """The indices [2, count] of the elements on and above a diagonal of a matrix."""
    return Tensor(np.stack(np.triu_indices(row, offset, col)), dtype)


# ---- batches of matrices ---------------------------------------------------------------------------

# MindSpore's ``align`` says how several diagonals of different lengths are padded. These functions take one diagonal,
# which needs no padding, so they accept ``align`` and ignore it.


def _single_offset(name: str, k: int | Tensor) -> int:
    offsets = np.ravel(k.asnumpy() if isinstance(k, Tensor) else k).tolist()
    if len(set(offsets)) != 1:
        raise UsageError(f"{name}: expected one diagonal, got {k}; call it once for each")
    return int(offsets[0])


def matrix_diag(
    x: Tensor, k: int | Tensor = 0, num_rows: int = -1, num_cols: int = -1, padding_value: float | Tensor = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:  # fmt: skip
    """Matrices with the last axis as their k-th diagonal, ``padding_value`` elsewhere.

    >>> print(matrix_diag(Tensor([1.0, 2.0]), 1))
    [[0. 1. 0.]
     [0. 0. 2.]
     [0. 0. 0.]]
    """
    offset = _single_offset("matrix_diag", k)
    result = diag_embed(x, offset)
    rows, columns = (int(n) if int(n) > 0 else result.shape[-1] for n in (num_rows, num_cols))
    mask = Tensor(np.eye(result.shape[-1], k=offset, dtype=bool))
    fill = padding_value.item() if isinstance(padding_value, Tensor) else padding_value
    result = cast(where(mask, result, fill), x.dtype) if fill else result
    missing = (max(rows - result.shape[-2], 0), max(columns - result.shape[-1], 0))
    if any(missing):
        widths = ((0, 0),) * (result.ndim - 2) + ((0, missing[0]), (0, missing[1]))
        result = apply("pad", result, widths=widths, value=fill)
    return result[..., :rows, :columns]


def matrix_diag_part(
    x: Tensor, k: int | Tensor = 0, padding_value: float | Tensor = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The k-th diagonals of matrices."""
    return diagonal(x, _single_offset("matrix_diag_part", k), -2, -1)


def matrix_set_diag(x: Tensor, diagonal: Tensor, k: int | Tensor = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices with their k-th diagonals replaced."""
    offset = _single_offset("matrix_set_diag", k)
    rows, columns = x.shape[-2:]
    mask = Tensor(np.eye(rows, columns, offset, dtype=bool))
    return where(mask, matrix_diag(diagonal, offset, rows, columns), x)


def matrix_band_part(x: Tensor, lower: int | Tensor, upper: int | Tensor) -> Tensor:
    """Matrices with zeros outside the band of ``lower`` diagonals below the main one and ``upper`` above (-1: all).

    >>> print(matrix_band_part(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0, -1))
    [[1. 2.]
     [0. 4.]]
    """
    rows, columns = x.shape[-2:]
    below, above = (int(n.asnumpy()) if isinstance(n, Tensor) else int(n) for n in (lower, upper))
    offsets = np.arange(columns) - np.arange(rows)[:, None]
    band = (-offsets <= (below if below >= 0 else rows)) & (offsets <= (above if above >= 0 else columns))
    return where(Tensor(band), x, cast(Tensor(0), x.dtype))
