"""Diagonals, triangles and their indices."""

from __future__ import annotations

import numpy as np

from minigraph import ops
from minigraph.core.aliases import ArrayLike, DTypeLike, Function
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32
from minigraph.numpy.conversion import as_tensor, cast_to

__all__ = [
    "diag", "diag_indices", "diagflat", "diagonal", "trace", "tri", "tril", "tril_indices", "tril_indices_from",
    "triu", "triu_indices", "triu_indices_from",
]  # fmt: skip


# ---- diagonals -------------------------------------------------------------------------------------


def diag(v: ArrayLike, k: int = 0) -> Tensor:
    """A matrix with a vector as its k-th diagonal, or the k-th diagonal of a matrix.

    >>> print(diag([1, 2]), diag([[1, 2], [3, 4]]))
    [[1 0]
     [0 2]] [1 4]
    """
    v = as_tensor(v)
    if v.ndim not in (1, 2):
        raise ShapeError(f"diag takes a vector or a matrix, got shape {list(v.shape)}")
    return diagflat(v, k) if v.ndim == 1 else diagonal(v, k)


def diagflat(v: ArrayLike, k: int = 0) -> Tensor:
    """A matrix with the flattened elements as its k-th diagonal."""
    return ops.diagflat(as_tensor(v), k)


def diagonal(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonals of two axes, along a new last axis."""
    return ops.diagonal(as_tensor(a), offset, axis1, axis2)


def trace(a: ArrayLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DTypeLike = None) -> Tensor:
    """The sum of a diagonal."""
    return cast_to(ops.sum(diagonal(a, offset, axis1, axis2), -1), dtype)


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices of the main diagonal of a tensor of ``ndim`` axes of size n."""
    return (Tensor(np.arange(n, dtype=np.int32)),) * ndim


# ---- triangles -------------------------------------------------------------------------------------


def tri(N: int, M: int | None = None, k: int = 0, dtype: DTypeLike = float32) -> Tensor:
    """Ones on and below the k-th diagonal, zeros elsewhere."""
    return cast_to(Tensor(np.tri(N, M, k, np.float32)), dtype)


def _triangle(fn: Function, side: str) -> Function:
    def function(m: ArrayLike, k: int = 0) -> Tensor:
        return fn(as_tensor(m), k)

    function.__doc__ = f"The elements on and {side} the k-th diagonal, zeros elsewhere."
    return function


tril, triu = _triangle(ops.tril, "below"), _triangle(ops.triu, "above")


def _triangle_indices(fn: Function, side: str) -> tuple[Function, Function]:
    def indices(n: int, k: int = 0, m: int | None = None) -> tuple[Tensor, ...]:
        return tuple(Tensor(part, int32) for part in fn(n, k, m))

    def indices_from(arr: ArrayLike, k: int = 0) -> tuple[Tensor, ...]:
        arr = as_tensor(arr)
        if arr.ndim != 2:
            raise ShapeError(f"expected a matrix, got shape {list(arr.shape)}")
        return indices(arr.shape[0], k, arr.shape[1])

    indices.__doc__ = f"(rows, columns) of the elements on and {side} the k-th diagonal of an n by m matrix."
    indices_from.__doc__ = f"(rows, columns) of the elements on and {side} the k-th diagonal of a matrix."
    return indices, indices_from


tril_indices, tril_indices_from = _triangle_indices(np.tril_indices, "below")
triu_indices, triu_indices_from = _triangle_indices(np.triu_indices, "above")
