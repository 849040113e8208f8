"""Primitives of linear algebra: inverses, determinants, systems and decompositions."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "Cholesky", "CholeskyInverse", "CholeskySolve", "Lstsq", "MatrixInverse", "MatrixPower", "MatrixSolve",
    "MatrixTriangularSolve", "Qr", "Svd",
]  # fmt: skip


def _matrix_inverse(x: Tensor, *, adjoint: bool) -> Tensor:
    """The inverse of square matrices, or of their adjoints."""
    return F.inverse(F.adjoint(x) if adjoint else x)


MatrixInverse = primitive("MatrixInverse", _matrix_inverse, adjoint=False)
Cholesky = primitive("Cholesky", F.cholesky, upper=False)


def _triangular_solve(matrix: Tensor, rhs: Tensor, *, lower: bool, adjoint: bool) -> Tensor:
    """x with matrix @ x = rhs, where only a triangle of the matrix counts."""
    return F.matrix_solve(F.tril(matrix) if lower else F.triu(matrix), rhs, adjoint)


def _qr(x: Tensor, *, full_matrices: bool) -> tuple[Tensor, Tensor]:
    """(orthonormal columns, upper triangle) of matrices."""
    return F.qr(x, "complete" if full_matrices else "reduced")


def _svd(x: Tensor, *, full_matrices: bool, compute_uv: bool) -> tuple[Tensor, ...]:
    """(singular values, left vectors, right vectors); without ``compute_uv`` one 0 replaces the vectors."""
    if compute_uv:
        factors: tuple[Tensor, ...] = F.svd(x, full_matrices)
        return factors
    return F.svd(x, compute_uv=False), F.zeros((1,), x.dtype), F.zeros((1,), x.dtype)


def _lstsq(x: Tensor, a: Tensor, *, fast: bool, l2_regularizer: float) -> Tensor:
    """The least-squares solution of x @ y = a."""
    return F.lstsq(x, a)


CholeskyInverse = primitive("CholeskyInverse", F.cholesky_inverse, upper=False)
CholeskySolve = primitive("CholeskySolve", F.cholesky_solve, upper=False)
MatrixPower = primitive("MatrixPower", F.matrix_power, n=REQUIRED)
MatrixSolve = primitive("MatrixSolve", F.matrix_solve, adjoint=False)
MatrixTriangularSolve = primitive("MatrixTriangularSolve", _triangular_solve, lower=True, adjoint=False)
Qr, Svd = primitive("Qr", _qr, full_matrices=False), primitive("Svd", _svd, full_matrices=False, compute_uv=True)
Lstsq = primitive("Lstsq", _lstsq, fast=True, l2_regularizer=0.0)
