"""Primitives of linear algebra: inverses, determinants, systems and decompositions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, complex64, complex128
from minigraph.operators.pyfunc import InputInfo, Types, call_python
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "Cholesky", "CholeskyInverse", "CholeskySolve", "Lstsq", "MatrixInverse", "MatrixLogarithm",
    "MatrixPower", "MatrixSolve", "MatrixSolveLs", "MatrixTriangularSolve", "Qr", "Svd",
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


def _solve_least_squares(matrix: Tensor, rhs: Tensor, l2_regularizer: Tensor, *, fast: bool) -> Tensor:
    """The least-squares solution x of matrix @ x = rhs: the smallest one, or if ``fast`` regularised by the L2 norm."""
    if not fast:
        return F.matmul(F.pinv(matrix), rhs)
    adjoint, (rows, columns) = F.adjoint(matrix), matrix.shape[-2:]
    penalty = F.eye(min(rows, columns), dtype=matrix.dtype) * F.cast(l2_regularizer, matrix.dtype)
    if rows >= columns:
        return F.matrix_solve(F.matmul(adjoint, matrix) + penalty, F.matmul(adjoint, rhs))
    return F.matmul(adjoint, F.matrix_solve(F.matmul(matrix, adjoint) + penalty, rhs))


def _logarithm(matrices: Array) -> Array:
    """The principal logarithms of square matrices, by their eigenvectors."""
    values, vectors = np.linalg.eig(matrices.astype(np.complex128))
    logs = np.log(values)[..., None, :] * vectors
    return np.swapaxes(np.linalg.solve(np.swapaxes(vectors, -1, -2), np.swapaxes(logs, -1, -2)), -1, -2)


def _matrix_logarithm(x: Tensor) -> Tensor:
    """The principal logarithms of complex square matrices that have as many eigenvectors as rows; without gradient."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2] or x.dtype not in (complex64, complex128):
        raise ShapeError(f"MatrixLogarithm: needs complex square matrices, got {x.type}; cast them")

    def infer(operands: Sequence[InputInfo]) -> Types:
        return (TensorType(operands[0].shape, operands[0].dtype),)

    result: Tensor = call_python("matrix_logarithm", lambda a: _logarithm(a).astype(a.dtype), (x,), infer=infer)
    return result


MatrixSolveLs = primitive("MatrixSolveLs", _solve_least_squares, fast=True)
MatrixLogarithm = primitive("MatrixLogarithm", _matrix_logarithm)
