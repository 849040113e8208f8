"""Primitives of linear algebra: products, norms, determinants, inverses, triangles."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.errors import ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.operators import linalg
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "BatchMatMul", "Cholesky", "Cross", "Dense", "Diag", "Einsum", "Ger", "LogMatrixDeterminant", "LpNorm", "MatMul",
    "MatrixDeterminant", "MatrixInverse", "Trace", "Tril", "Triu",
]  # fmt: skip


# ---- products --------------------------------------------------------------------------------------


def _matmul(x: Tensor, y: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    if x.ndim != 2 or y.ndim != 2:
        raise ValueArgument("MatMul inputs should have the same dimension size and equal to 2.")
    return _batch_matmul(x, y, transpose_a, transpose_b)


def _batch_matmul(x: Tensor, y: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    return F.matmul(x.mT if transpose_a else x, y.mT if transpose_b else y)


def _einsum(x: tuple[Tensor, ...], *, equation: str) -> Tensor:
    """Einstein summation of the tensors in a tuple."""
    return F.einsum(equation, *x)


MatMul = primitive("MatMul", _matmul, linalg.MATMUL, transpose_a=False, transpose_b=False)
BatchMatMul = primitive("BatchMatMul", _batch_matmul, transpose_a=False, transpose_b=False)
Dense, Einsum = primitive("Dense", F.dense), primitive("Einsum", _einsum, equation=REQUIRED)
Cross, Ger = primitive("Cross", F.cross, dim=None), primitive("Ger", F.ger)

# ---- norms, determinants and inverses --------------------------------------------------------------


def _lp_norm(x: Tensor, *, axis: int | Sequence[int], p: int, keep_dims: bool, epsilon: float) -> Tensor:
    """The p-norm over axes, at least ``epsilon``; p = 0 counts non-zero elements."""
    return F.maximum(F.vector_norm(x, p, axis, keep_dims), epsilon)


LpNorm = primitive("LpNorm", _lp_norm, axis=(), p=2, keep_dims=False, epsilon=1e-12)


def _matrix_inverse(x: Tensor, *, adjoint: bool) -> Tensor:
    """The inverse of square matrices, or of their adjoints."""
    return F.inverse(F.adjoint(x) if adjoint else x)


MatrixInverse = primitive("MatrixInverse", _matrix_inverse, adjoint=False)
MatrixDeterminant = primitive("MatrixDeterminant", F.matrix_determinant)
LogMatrixDeterminant = primitive("LogMatrixDeterminant", F.log_matrix_determinant)
Cholesky = primitive("Cholesky", F.cholesky, upper=False)

# ---- diagonals and triangles -----------------------------------------------------------------------


Trace, Diag = primitive("Trace", F.trace), primitive("Diag", F.diag)
Tril, Triu = primitive("Tril", F.tril, diagonal=0), primitive("Triu", F.triu, diagonal=0)
