"""Primitives of norms and distances."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Cdist", "LpNorm", "NuclearNorm", "Pdist"]


def _lp_norm(x: Tensor, *, axis: int | Sequence[int], p: int, keep_dims: bool, epsilon: float) -> Tensor:
    """The p-norm over axes, at least ``epsilon``; p = 0 counts non-zero elements."""
    return F.maximum(F.vector_norm(x, p, axis, keep_dims), epsilon)


LpNorm = primitive("LpNorm", _lp_norm, axis=(), p=2, keep_dims=False, epsilon=1e-12)
Cdist, Pdist = primitive("Cdist", F.cdist, p=2.0), primitive("Pdist", F.pdist, p=2.0)


def _nuclear_norm(x: Tensor, *, dim: tuple[int, int] | None, keepdim: bool) -> Tensor:
    """The sum of the singular values of matrices in two axes; without ``dim`` of a matrix."""
    return F.matrix_norm(x, "nuc", dim or (-2, -1), keepdim)


NuclearNorm = primitive("NuclearNorm", _nuclear_norm, dim=None, keepdim=False)
