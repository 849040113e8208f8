"""Primitives of linear algebra: products, norms, determinants, inverses, triangles."""

from __future__ import annotations

import math
from collections.abc import Sequence

from minigraph.core.errors import ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.operators import linalg
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "BatchMatMul", "Cdist", "Cholesky", "CholeskyInverse", "CholeskySolve", "Cross", "Dense", "Diag", "DiagPart",
    "Eig", "Einsum", "Geqrf", "Ger", "LogMatrixDeterminant", "LpNorm", "Lstsq", "LuSolve", "LuUnpack", "MatMul",
    "MatrixDeterminant", "MatrixDiagPartV3", "MatrixDiagV3", "MatrixExp", "MatrixInverse", "MatrixPower",
    "MatrixSolve", "MatrixTriangularSolve", "Orgqr", "Pdist", "Qr", "Renorm", "Svd", "Trace", "Tril", "TrilIndices",
    "Triu", "TriuIndices",
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

# ---- factorisations and systems --------------------------------------------------------------------


def _triangular_solve(matrix: Tensor, rhs: Tensor, *, lower: bool, adjoint: bool) -> Tensor:
    """x with matrix @ x = rhs, where only a triangle of the matrix counts."""
    return F.matrix_solve(F.tril(matrix) if lower else F.triu(matrix), rhs, adjoint)


def _qr(x: Tensor, *, full_matrices: bool) -> tuple[Tensor, Tensor]:
    """(orthonormal columns, upper triangle) of matrices."""
    return F.qr(x, "complete" if full_matrices else "reduced")


def _svd(x: Tensor, *, full_matrices: bool, compute_uv: bool) -> tuple[Tensor, ...]:
    """(singular values, left vectors, right vectors); without ``compute_uv`` one 0 stands for the vectors."""
    if compute_uv:
        factors: tuple[Tensor, ...] = F.svd(x, full_matrices)
        return factors
    return F.svd(x, compute_uv=False), F.zeros((1,), x.dtype), F.zeros((1,), x.dtype)


def _lstsq(x: Tensor, a: Tensor, *, fast: bool, l2_regularizer: float) -> Tensor:
    """The least-squares solution of x @ y = a."""
    return F.lstsq(x, a)


def _eig(x: Tensor, *, compute_v: bool) -> tuple[Tensor, Tensor]:
    """(eigenvalues, eigenvectors); without ``compute_v`` the second is empty."""
    values = F.eigvals(x)
    return F.eig(x) if compute_v else (values, F.zeros((0,), values.dtype))


def _renorm(x: Tensor, *, p: int, dim: int, maxnorm: float) -> Tensor:
    """The slices along an axis scaled to a norm of at most ``maxnorm``."""
    return F.renorm(x, p, dim, maxnorm)


def _diagonal_part(x: Tensor) -> Tensor:
    """The elements [i, ..., i, ...] of a tensor [*shape, *shape]."""
    half = x.shape[: x.ndim // 2]
    return F.diagonal(F.reshape(x, (math.prod(half), -1))).reshape(half)


def _matrix_diag(
    x: Tensor, k: Tensor, num_rows: Tensor, num_cols: Tensor, padding_value: Tensor, *, align: str
) -> Tensor:
    """Matrices with these diagonals."""
    return F.matrix_diag(x, k, int(num_rows.asnumpy()), int(num_cols.asnumpy()), padding_value, align)


CholeskyInverse = primitive("CholeskyInverse", F.cholesky_inverse, upper=False)
CholeskySolve = primitive("CholeskySolve", F.cholesky_solve, upper=False)
MatrixExp, MatrixPower = primitive("MatrixExp", F.matrix_exp), primitive("MatrixPower", F.matrix_power, n=REQUIRED)
MatrixSolve = primitive("MatrixSolve", F.matrix_solve, adjoint=False)
MatrixTriangularSolve = primitive("MatrixTriangularSolve", _triangular_solve, lower=True, adjoint=False)
Qr, Svd = primitive("Qr", _qr, full_matrices=False), primitive("Svd", _svd, full_matrices=False, compute_uv=True)
Lstsq = primitive("Lstsq", _lstsq, fast=True, l2_regularizer=0.0)
Geqrf, Orgqr, LuSolve = primitive("Geqrf", F.geqrf), primitive("Orgqr", F.orgqr), primitive("LuSolve", F.lu_solve)
Eig = primitive("Eig", _eig, compute_v=False)
LuUnpack = primitive("LuUnpack", F.lu_unpack, unpack_data=True, unpack_pivots=True)
Cdist, Pdist = primitive("Cdist", F.cdist, p=2.0), primitive("Pdist", F.pdist, p=2.0)
Renorm = primitive("Renorm", _renorm, p=REQUIRED, dim=REQUIRED, maxnorm=REQUIRED)
DiagPart = primitive("DiagPart", _diagonal_part)
TrilIndices, TriuIndices = (
    primitive(name, function, row=REQUIRED, col=REQUIRED, offset=0, dtype=int32)
    for name, function in (("TrilIndices", F.tril_indices), ("TriuIndices", F.triu_indices))
)
MatrixDiagV3 = primitive("MatrixDiagV3", _matrix_diag, align="RIGHT_LEFT")
MatrixDiagPartV3 = primitive("MatrixDiagPartV3", F.matrix_diag_part, align="RIGHT_LEFT")
