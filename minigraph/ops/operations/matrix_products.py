"""Primitives of matrix products."""

from __future__ import annotations

from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Tensor
from minigraph.operators import linalg
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["BatchMatMul", "Cross", "Einsum", "MatMul", "TridiagonalMatMul"]


def _matmul(x: Tensor, y: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    if x.ndim != 2 or y.ndim != 2:
        raise ArgValueError("MatMul inputs should have the same dimension size and equal to 2.")
    return _batch_matmul(x, y, transpose_a, transpose_b)


def _batch_matmul(x: Tensor, y: Tensor, transpose_a: bool, transpose_b: bool) -> Tensor:
    return F.matmul(x.mT if transpose_a else x, y.mT if transpose_b else y)


def _einsum(x: tuple[Tensor, ...], *, equation: str) -> Tensor:
    """Einstein summation of the tensors in a tuple."""
    return F.einsum(equation, *x)


MatMul = primitive("MatMul", _matmul, linalg.MATMUL, transpose_a=False, transpose_b=False)
BatchMatMul = primitive("BatchMatMul", _batch_matmul, transpose_a=False, transpose_b=False)
Einsum = primitive("Einsum", _einsum, equation=REQUIRED)
Cross = primitive("Cross", F.cross, dim=None)


def _tridiagonal_matmul(superdiag: Tensor, maindiag: Tensor, subdiag: Tensor, rhs: Tensor) -> Tensor:
    """The product of matrices with three diagonals [..., 1, M] and matrices [..., M, N].

    The last element of the upper diagonal and the first one of the lower diagonal are not used.
    """
    upper, main, lower = (diagonal.swapaxes(-1, -2) for diagonal in (superdiag, maindiag, subdiag))
    zero = F.zeros_like(rhs[..., :1, :])
    below, above = F.concat([rhs[..., 1:, :], zero], -2), F.concat([zero, rhs[..., :-1, :]], -2)
    return upper * below + main * rhs + lower * above


TridiagonalMatMul = primitive("TridiagonalMatMul", _tridiagonal_matmul)
