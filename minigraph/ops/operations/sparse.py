"""Primitives of sparse tensors that are given by the positions [n, rank] and the values [n] of their elements."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive
from minigraph.ops.sparse_functions import coalesce

__all__ = ["Coalesce", "SparseSlice", "SparseTensorDenseAdd", "SparseTensorDenseMatmul"]

Sizes = Sequence[int] | Tensor


def _dense(indices: Tensor, values: Tensor, shape: Sizes) -> Tensor:
    sizes = shape.tolist() if isinstance(shape, Tensor) else shape
    return F.scatter_nd(indices, values, tuple(sizes))


def _add(x1_indices: Tensor, x1_values: Tensor, x1_shape: Sizes, x2: Tensor) -> Tensor:
    """The sum of a sparse and a dense tensor, dense."""
    return _dense(x1_indices, x1_values, x1_shape) + x2


def _matmul(
    indices: Tensor, values: Tensor, sparse_shape: Sizes, dense: Tensor, *, adjoint_st: bool, adjoint_dt: bool
) -> Tensor:
    """The product of a sparse and a dense matrix, or of their adjoints."""
    left = _dense(indices, values, sparse_shape)
    return F.matmul(F.adjoint(left) if adjoint_st else left, F.adjoint(dense) if adjoint_dt else dense)


def _slice(
    indices: Tensor, values: Tensor, shape: Tensor, start: Tensor, size: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """(positions, values, shape) of the part that begins at ``start`` and has at most the sizes ``size``."""
    sizes = F.maximum(F.minimum(size, shape - start), 0)
    inside = ((indices >= start) & (indices < start + sizes)).all(1)
    positions = F.nonzero(inside).reshape(-1)
    return indices[positions] - start, values[positions], F.cast(sizes, int64)


SparseTensorDenseAdd = primitive("SparseTensorDenseAdd", _add)
SparseTensorDenseMatmul = primitive("SparseTensorDenseMatmul", _matmul, adjoint_st=False, adjoint_dt=False)
SparseSlice, Coalesce = primitive("SparseSlice", _slice), primitive("Coalesce", coalesce)
