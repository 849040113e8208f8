"""Diagonals, triangles, and grids of coordinates, under numpy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32
from minigraph.numpy.given import as_kind, given, kind
from minigraph.numpy.joining import stack

__all__ = [
    "diag", "diag_indices", "diagflat", "diagonal", "indices", "ix_", "meshgrid", "mgrid", "ogrid", "trace", "tri",
    "tril", "tril_indices", "tril_indices_from", "triu", "triu_indices", "triu_indices_from", "vander",
]  # fmt: skip

# ---- diagonals -------------------------------------------------------------------------------------


def diag(v: Any, k: int = 0) -> Any:
    """A matrix with a vector on its k-th diagonal, or the k-th diagonal of a matrix.

    >>> print(diag([1, 2]), diag([[1, 2], [3, 4]]))
    [[1 0]
     [0 2]] [1 4]
    """
    v = given(v)
    if v.ndim not in (1, 2):
        raise ShapeError(f"diag takes a vector or a matrix, got shape {list(v.shape)}")
    return diagflat(v, k) if v.ndim == 1 else diagonal(v, k)


def diagflat(v: Any, k: int = 0) -> Any:
    """A matrix with all elements on its k-th diagonal."""
    return ops.diagflat(given(v), k)


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """The diagonals of the matrices that two axes span, along a new last axis."""
    return ops.diagonal(given(a), offset, axis1, axis2)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """The sums of diagonals."""
    return as_kind(ops.sum(diagonal(a, offset, axis1, axis2), -1), dtype)


# ---- triangles -------------------------------------------------------------------------------------


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float32) -> Any:
    """Ones on and below the k-th diagonal, else zeros."""
    return as_kind(Tensor(np.tri(N, M, k, np.float32)), dtype)


def _triangle(fn: Callable[..., Any], what: str) -> Callable[..., Any]:
    def function(m: Any, k: int = 0) -> Any:
        return fn(given(m), k)

    function.__doc__ = f"The elements on and {what} the k-th diagonal, else zeros."
    return function


tril, triu = _triangle(ops.tril, "below"), _triangle(ops.triu, "above")


def _places(fn: Callable[..., Any], what: str) -> Any:
    def places(n: int, k: int = 0, m: int | None = None) -> tuple[Any, ...]:
        return tuple(Tensor(part, int32) for part in fn(n, k, m))

    def places_from(arr: Any, k: int = 0) -> tuple[Any, ...]:
        arr = given(arr)
        if arr.ndim != 2:
            raise ShapeError(f"the triangle of a matrix, got shape {list(arr.shape)}")
        return places(arr.shape[0], k, arr.shape[1])

    places.__doc__ = f"(rows, columns) of the elements on and {what} the k-th diagonal of n by m."
    places_from.__doc__ = f"(rows, columns) of the elements on and {what} the k-th diagonal of a matrix."
    return places, places_from


tril_indices, tril_indices_from = _places(np.tril_indices, "below")
triu_indices, triu_indices_from = _places(np.triu_indices, "above")


def diag_indices(n: int, ndim: int = 2) -> tuple[Any, ...]:
    """The places of the main diagonal of a tensor of ``ndim`` axes of n."""
    return (Tensor(np.arange(n, dtype=np.int32)),) * ndim


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of each number in a row: N - 1 down to 0, or up with ``increasing``.

    >>> print(vander([2, 3], 3))
    [[4 2 1]
     [9 3 1]]
    """
    x = given(x)
    powers = np.arange(x.shape[0] if N is None else N, dtype=np.int32)
    powers = powers if increasing else powers[::-1].copy()
    return ops.cast(ops.expand_dims(x, 1) ** Tensor(powers), x.dtype)


# ---- grids -----------------------------------------------------------------------------------------


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> list[Any]:
    """A tensor of coordinates per vector, over all combinations; with ``sparse`` along its own axis only.

    >>> [one.shape for one in meshgrid([1, 2], [3, 4, 5])]
    [(3, 2), (3, 2)]
    """
    vectors = [ops.ravel(given(one)) for one in xi]
    if not sparse:
        return list(ops.meshgrid(*vectors, indexing=indexing)) if len(vectors) > 1 else vectors
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    return [_along(one, order[at], len(order)) for at, one in enumerate(vectors)]


def _along(vector: Any, axis: int, rank: int) -> Any:
    return ops.reshape(vector, [-1 if at == axis else 1 for at in range(rank)])


def indices(dimensions: Any, dtype: Any = int32, sparse: bool = False) -> list[Any]:
    """A tensor of places per axis of a shape."""
    axes = [Tensor(np.arange(size, dtype=np.int32), kind(dtype)) for size in dimensions]
    return meshgrid(*axes, sparse=sparse, indexing="ij")


def ix_(*args: Any) -> tuple[Any, ...]:
    """Vectors along axes of their own, to index all combinations of rows, columns and so on."""
    return tuple(_along(given(one), at, len(args)) for at, one in enumerate(args))


class Grid:
    """Coordinates by slices: ``mgrid[0:2, 0:3]`` is a tensor of rows and columns, ``ogrid[...]`` a list of two.

    A step of ``5j`` means five numbers, the end included.

    >>> print(mgrid[0:3], mgrid[0:1:3j])
    [0 1 2] [0.  0.5 1. ]
    >>> [one.shape for one in ogrid[0:2, 0:3]]
    [(2, 1), (1, 3)]
    """

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, places: Any) -> Any:
        axes = [_line(one) for one in (places if isinstance(places, tuple) else (places,))]
        if not isinstance(places, tuple):
            return axes[0]
        grids = meshgrid(*axes, sparse=self.sparse, indexing="ij")
        return grids if self.sparse else stack(grids)


def _line(place: slice) -> Tensor:
    found = np.mgrid[place]
    return Tensor(found.astype(np.float32 if found.dtype.kind == "f" else np.int32))


mgrid, ogrid = Grid(False), Grid(True)
