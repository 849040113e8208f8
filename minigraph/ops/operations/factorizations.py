"""Primitives of factorisations."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Eig", "Geqrf", "LuSolve", "LuUnpack", "Orgqr"]


def _eig(x: Tensor, *, compute_v: bool) -> tuple[Tensor, Tensor]:
    """(eigenvalues, eigenvectors); without ``compute_v`` the second is empty."""
    values = F.eigvals(x)
    return F.eig(x) if compute_v else (values, F.zeros((0,), values.dtype))


Geqrf, Orgqr, LuSolve = primitive("Geqrf", F.geqrf), primitive("Orgqr", F.orgqr), primitive("LuSolve", F.lu_solve)
Eig = primitive("Eig", _eig, compute_v=False)
LuUnpack = primitive("LuUnpack", F.lu_unpack, unpack_data=True, unpack_pivots=True)
