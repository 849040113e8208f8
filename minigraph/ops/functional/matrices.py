"""Functions of square matrices and factors of matrices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from minigraph.errors import UsageError
from minigraph.op import apply
from minigraph.ops import elementwise, matrix, views
from minigraph.ops.functional.array import eye
from minigraph.ops.functional.linalg import check_ranks
from minigraph.ops.functional.making import diagonal
from minigraph.ops.functional.math import cast, matmul, sum
from minigraph.tensor import Tensor

__all__ = [
    "cholesky", "det", "inv", "inverse", "matrix_power", "pinv", "qr", "slogdet", "svd", "trace",
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


def inv(x: Any) -> Any:
    """1 / x, element by element; of matrices ``inverse``."""
    return apply(elementwise.RECIPROCAL, x)


def cholesky(input_x: Any, upper: bool = False) -> Any:
    """The lower (or ``upper``) triangular factor of positive definite matrices."""
    found = apply(matrix.CHOLESKY, input_x)
    return found.mT if upper else found


def matrix_power(input: Any, n: int) -> Any:
    """A square matrix times itself ``n`` times; of the inverse for a negative number.

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


def _by_numpy(name: str, x: Any, function: Any) -> Any:
    """What numpy computes of the values: they need to be known, and no gradient flows."""
    if not isinstance(x, Tensor):
        raise UsageError(f"{name}: a tensor is wanted, got {type(x).__name__}")
    found = function(x.asnumpy())
    return tuple(map(Tensor, found)) if isinstance(found, tuple) else Tensor(found)


def svd(input: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """(singular values, left vectors, right vectors) of matrices, or the values alone; outside of ``@jit``."""
    if not compute_uv:
        return _by_numpy("svd", input, lambda a: np.linalg.svd(a, compute_uv=False))
    left, values, right = _by_numpy("svd", input, lambda a: tuple(np.linalg.svd(a, full_matrices)))
    return values, left, right.mT


def qr(input: Any, mode: str = "reduced") -> tuple[Any, Any]:
    """(orthonormal columns, upper triangle) whose product a matrix is; "reduced" or "complete"; outside of ``@jit``."""
    known: dict[str, Literal["reduced", "complete"]] = {"reduced": "reduced", "complete": "complete"}
    if mode not in known:
        raise UsageError(f"qr: mode is 'reduced' or 'complete', got {mode!r}")
    found: tuple[Any, Any] = _by_numpy("qr", input, lambda a: tuple(np.linalg.qr(a, known[mode])))
    return found


def pinv(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudo-inverse of matrices, singular values up to ``rtol`` of the largest left out; outside of ``@jit``."""
    limit = 1e-7 if rtol is None else rtol
    return _by_numpy("pinv", x, lambda a: np.linalg.pinv(a, limit, hermitian).astype(a.dtype))
