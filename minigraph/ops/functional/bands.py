"""Diagonals and bands of matrices as tensors of their own; linear equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ops.functional.array import broadcast_to, eye, tril, triu
from minigraph.ops.functional.factors import pinv
from minigraph.ops.functional.making import diag_embed, diagonal
from minigraph.ops.functional.math import cast, log, matmul, where
from minigraph.ops.functional.matrices import det, inverse, slogdet

__all__ = [
    "cholesky_inverse", "cholesky_solve", "log_matrix_determinant", "logdet", "lstsq", "matrix_band_part",
    "matrix_determinant", "matrix_diag", "matrix_diag_part", "matrix_exp", "matrix_set_diag", "matrix_solve",
]  # fmt: skip

# ---- diagonals and bands ---------------------------------------------------------------------------


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


# ---- determinants and equations --------------------------------------------------------------------


def matrix_determinant(input: Any) -> Any:
    """The determinants of square matrices."""
    return det(input)


def log_matrix_determinant(input: Any) -> tuple[Any, Any]:
    """(the sign, the logarithm of the size) of determinants."""
    return slogdet(input)


def logdet(input: Any) -> Any:
    """The logarithm of determinants; NaN for those below 0."""
    return log(det(input))


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """x with matrix @ x = rhs (or matrix.T @ x).

    >>> print(matrix_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [2.0]])))
    [[1. ]
     [0.5]]
    """
    return matmul(inverse(matrix.mT if adjoint else matrix), rhs)


def cholesky_inverse(input_x: Any, upper: bool = False) -> Any:
    """The inverse of the positive definite matrix whose lower (or ``upper``) Cholesky factor is given."""
    return inverse(matmul(input_x.mT, input_x) if upper else matmul(input_x, input_x.mT))


def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Any:
    """x with a @ x = input, the lower (or ``upper``) Cholesky factor of a given."""
    return matmul(cholesky_inverse(triu(input2) if upper else tril(input2), upper), input)


def lstsq(input: Any, A: Any) -> Any:
    """x with the least squares of input @ x - A; zeros below where A has more rows than x."""
    if input.ndim != 2 or input.shape[0] != A.shape[0]:
        raise ShapeError(f"lstsq: needs matrices of as many rows, got {list(input.shape)} and {list(A.shape)}")
    return matmul(pinv(input), A if A.ndim == 2 else A.expand_dims(1))


def matrix_exp(input: Any) -> Any:
    """The exponential of square matrices: the sum of input**n / n!, by scaling and squaring.

    >>> print(matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])))
    [[1. 1.]
     [0. 1.]]
    """
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ShapeError(f"matrix_exp: needs square matrices, got shape {list(input.shape)}")
    small = input / 2**10
    term = broadcast_to(eye(input.shape[-1], dtype=input.dtype), input.shape)
    found = term
    for n in range(1, 9):
        term = matmul(term, small) / n
        found = found + term
    for _ in range(10):
        found = matmul(found, found)
    return found
