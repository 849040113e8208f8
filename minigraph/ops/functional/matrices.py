"""Functions of square matrices."""

from __future__ import annotations

from typing import Any

from minigraph.core.op import apply
from minigraph.operators import elementwise, matrix, views
from minigraph.ops.functional.array import eye
from minigraph.ops.functional.linalg import check_ranks
from minigraph.ops.functional.making import diagonal
from minigraph.ops.functional.math import cast, matmul, sum

__all__ = [
    "cholesky", "det", "inv", "inverse", "matrix_inverse", "matrix_power", "slogdet", "trace",
]  # fmt: skip


def trace(input: Any) -> Any:
    """The sum of the diagonal of a matrix, in its dtype."""
    check_ranks("trace", (input, 2))
    return cast(sum(diagonal(input)), input.dtype)


def det(input: Any) -> Any:
    """The determinant of square matrices."""
    return apply(matrix.DET, input)


def slogdet(input: Any) -> tuple[Any, Any]:
    """(the sign, the logarithm of the size) of the determinant."""
    found = det(input)
    return apply(elementwise.SIGN, found), apply(elementwise.LOG, apply(elementwise.ABS, found))


def inverse(input: Any) -> Any:
    """The inverse of square matrices; raises ``ValueError`` for a singular one."""
    return apply(matrix.INVERSE, input)


matrix_inverse = inverse


def inv(x: Any) -> Any:
    """1 / x, element by element; of matrices ``inverse``."""
    return apply(elementwise.RECIPROCAL, x)


def cholesky(input_x: Any, upper: bool = False) -> Any:
    """The lower (or ``upper``) triangular factor of positive definite matrices."""
    found = apply(matrix.CHOLESKY, input_x)
    return found.mT if upper else found


def matrix_power(input: Any, n: int) -> Any:
    """A square matrix times itself ``n`` times; of the inverse for a negative number.

    >>> from minigraph import Tensor
    >>> print(matrix_power(Tensor([[2.0, 0.0], [0.0, 3.0]]), 2))
    [[4. 0.]
     [0. 9.]]
    """
    base = inverse(input) if n < 0 else input
    found, rest = None, abs(n)
    while rest:
        if rest & 1:
            found = base if found is None else matmul(found, base)
        rest >>= 1
        base = matmul(base, base) if rest else base
    if found is not None:
        return found
    return apply(views.BROADCAST_TO, eye(input.shape[-1], dtype=input.dtype), shape=input.shape)
