"""Coordinate grids and open meshes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph import ops
from minigraph.core.aliases import ArrayLike, CallResult, DTypeLike
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.numpy.conversion import as_dtype, as_tensor
from minigraph.numpy.joining import stack

__all__ = ["indices", "ix_", "meshgrid", "mgrid", "ogrid"]


def meshgrid(*xi: ArrayLike, sparse: bool = False, indexing: str = "xy") -> list[Tensor]:
    """Coordinate tensors of a grid, one per vector; with ``sparse`` each along its own axis only.

    >>> [vector.shape for vector in meshgrid([1, 2], [3, 4, 5])]
    [(3, 2), (3, 2)]
    """
    vectors = [ops.ravel(as_tensor(vector)) for vector in xi]
    if not sparse:
        return list(ops.meshgrid(*vectors, indexing=indexing)) if len(vectors) > 1 else vectors
    order = list(range(len(vectors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    return [_as_axis(vector, order[at], len(order)) for at, vector in enumerate(vectors)]


def _as_axis(vector: Tensor, axis: int, rank: int) -> Tensor:
    return ops.reshape(vector, [-1 if at == axis else 1 for at in range(rank)])


def indices(dimensions: Sequence[int], dtype: DTypeLike = int32, sparse: bool = False) -> list[Tensor]:
    """A tensor of indices per axis of a shape."""
    axes = [Tensor(np.arange(size, dtype=np.int32), as_dtype(dtype)) for size in dimensions]
    return meshgrid(*axes, sparse=sparse, indexing="ij")


def ix_(*args: ArrayLike) -> tuple[Tensor, ...]:
    """Vectors as open axes, to index all combinations of rows, columns and so on."""
    return tuple(_as_axis(as_tensor(array), at, len(args)) for at, array in enumerate(args))


class Grid:
    """Coordinates from slices: ``mgrid[0:2, 0:3]`` is a tensor of rows and columns, ``ogrid[...]`` a list of both.

    A step of ``5j`` means five numbers, including the end.

    >>> print(mgrid[0:3], mgrid[0:1:3j])
    [0 1 2] [0.  0.5 1. ]
    >>> [vector.shape for vector in ogrid[0:2, 0:3]]
    [(2, 1), (1, 3)]
    """

    def __init__(self, sparse: bool) -> None:
        self.sparse = sparse

    def __getitem__(self, slices: slice | tuple[slice, ...]) -> CallResult:
        axes = [_axis_values(key) for key in (slices if isinstance(slices, tuple) else (slices,))]
        if not isinstance(slices, tuple):
            return axes[0]
        grids = meshgrid(*axes, sparse=self.sparse, indexing="ij")
        return grids if self.sparse else stack(grids)


def _axis_values(part: slice) -> Tensor:
    values = np.mgrid[part]
    return Tensor(values.astype(np.float32 if values.dtype.kind == "f" else np.int32))


mgrid, ogrid = Grid(False), Grid(True)
