"""Primitives of gamma and zeta functions."""

from __future__ import annotations

from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["Mvlgamma"]

Mvlgamma = primitive("Mvlgamma", F.mvlgamma, p=REQUIRED)
