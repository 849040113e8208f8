"""Primitives of Bessel functions."""

from __future__ import annotations

from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1",
    "BesselK1e", "BesselY0", "BesselY1",
]  # fmt: skip

BesselI0, BesselI0e = primitive("BesselI0", F.bessel_i0), primitive("BesselI0e", F.bessel_i0e)
BesselI1, BesselI1e = primitive("BesselI1", F.bessel_i1), primitive("BesselI1e", F.bessel_i1e)
BesselJ0, BesselJ1 = primitive("BesselJ0", F.bessel_j0), primitive("BesselJ1", F.bessel_j1)
BesselK0, BesselK0e = primitive("BesselK0", F.bessel_k0), primitive("BesselK0e", F.bessel_k0e)
BesselK1, BesselK1e = primitive("BesselK1", F.bessel_k1), primitive("BesselK1e", F.bessel_k1e)
BesselY0, BesselY1 = primitive("BesselY0", F.bessel_y0), primitive("BesselY1", F.bessel_y1)
