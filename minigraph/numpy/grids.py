"""Coordinate grids and open meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.numpy.conversion import as_dtype, as_tensor
from minigraph.numpy.joining import stack

__all__ = ["indices", "ix_", "meshgrid", "mgrid", "ogrid"]


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> list[Any]:
    """A tensor of coordinates per vector, over all combinations; with ``sparse`` along its own axis only.

    >>> [one.shape for one in meshgrid([1, 2], [3, 4, 5])]
    [(3, 2), (3, 2)]
    """
    vectors = [ops.ravel(as_tensor(one)) for one in xi]
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
    axes = [Tensor(np.arange(size, dtype=np.int32), as_dtype(dtype)) for size in dimensions]
    return meshgrid(*axes, sparse=sparse, indexing="ij")


def ix_(*args: Any) -> tuple[Any, ...]:
    """Vectors along axes of their own, to index all combinations of rows, columns and so on."""
    return tuple(_along(as_tensor(one), at, len(args)) for at, one in enumerate(args))


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
