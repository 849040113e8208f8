"""Primitives of gamma and zeta functions."""

from __future__ import annotations

from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["Digamma", "Igamma", "Igammac", "Lgamma", "Mvlgamma", "Polygamma", "Zeta"]

Lgamma, Digamma, Zeta = primitive("Lgamma", F.lgamma), primitive("Digamma", F.digamma), primitive("Zeta", F.zeta)
Igamma, Igammac = primitive("Igamma", F.igamma), primitive("Igammac", F.igammac)
Polygamma, Mvlgamma = primitive("Polygamma", F.polygamma), primitive("Mvlgamma", F.mvlgamma, p=REQUIRED)
