"""Primitives of matrix products."""

from __future__ import annotations

from minigraph.core.errors import ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.operators import linalg
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["BatchMatMul", "Cross", "Einsum", "MatMul"]


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
Einsum = primitive("Einsum", _einsum, equation=REQUIRED)
Cross = primitive("Cross", F.cross, dim=None)
