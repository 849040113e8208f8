"""Primitives of factorisations."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Eig", "LuUnpack"]


def _eig(x: Tensor, *, compute_v: bool) -> tuple[Tensor, Tensor]:
    """(eigenvalues, eigenvectors); without ``compute_v`` the second is empty."""
    values = F.eigvals(x)
    return F.eig(x) if compute_v else (values, F.zeros((0,), values.dtype))


Eig = primitive("Eig", _eig, compute_v=False)
LuUnpack = primitive("LuUnpack", F.lu_unpack, unpack_data=True, unpack_pivots=True)
