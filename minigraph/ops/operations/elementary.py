"""Primitives of elementary and special functions, and of complex numbers."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.core.types import complex64, complex128, float64
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "ACos", "Acosh", "Angle", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "BesselI0", "BesselI0e", "BesselI1",
    "BesselI1e", "BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1",
    "Complex", "ComplexAbs", "Conj", "Cos", "Cosh", "Digamma", "Eps", "Erf", "Erfc", "Erfinv", "Exp", "Expm1",
    "Hypot", "Igamma", "Igammac", "Imag", "Lgamma", "Log", "Log1p", "Logit", "Mvlgamma", "NextAfter", "Polar",
    "Polygamma", "Real", "Rsqrt", "Sin", "Sinc", "Sinh", "Sqrt", "Tan", "Xdivy", "Xlogy", "Zeta",
]  # fmt: skip


# ---- exponentials, logarithms and roots ------------------------------------------------------------


def _logit(input: Tensor, *, eps: float) -> Tensor:
    """log(x / (1 - x)), with x clamped to [eps, 1 - eps] unless eps is negative."""
    return F.logit(input, None if eps < 0 else eps)


Exp, Expm1 = primitive("Exp", F.exp), primitive("Expm1", F.expm1)
Log, Log1p = primitive("Log", F.log), primitive("Log1p", F.log1p)
Sqrt, Rsqrt = primitive("Sqrt", F.sqrt), primitive("Rsqrt", F.rsqrt)
Logit, Hypot = primitive("Logit", _logit, eps=-1.0), primitive("Hypot", F.hypot)
Xdivy, Xlogy = primitive("Xdivy", F.xdivy), primitive("Xlogy", F.xlogy)

# ---- trigonometric, hyperbolic and error functions -------------------------------------------------


Sin, Cos, Tan = primitive("Sin", F.sin), primitive("Cos", F.cos), primitive("Tan", F.tan)
Asin, ACos, Atan = primitive("Asin", F.asin), primitive("ACos", F.acos), primitive("Atan", F.atan)
Sinh, Cosh, Atan2 = primitive("Sinh", F.sinh), primitive("Cosh", F.cosh), primitive("Atan2", F.atan2)
Asinh, Acosh, Atanh = primitive("Asinh", F.asinh), primitive("Acosh", F.acosh), primitive("Atanh", F.atanh)
Erf, Erfc, Erfinv = primitive("Erf", F.erf), primitive("Erfc", F.erfc), primitive("Erfinv", F.erfinv)

# ---- complex numbers -------------------------------------------------------------------------------


def _complex(real: Tensor, imag: Tensor) -> Tensor:
    """real + i imag."""
    dtype = complex128 if real.dtype is float64 else complex64
    return F.cast(real, dtype) + F.cast(imag, dtype) * 1j


def _magnitude(x: Tensor) -> Tensor:
    """The absolute value of complex numbers."""
    return F.hypot(F.real(x), F.imag(x))


Real, Imag, Conj = primitive("Real", F.real), primitive("Imag", F.imag), primitive("Conj", F.conj)
Complex, ComplexAbs = primitive("Complex", _complex), primitive("ComplexAbs", _magnitude)
Angle = primitive("Angle", F.angle)

# ---- special functions -----------------------------------------------------------------------------


BesselI0, BesselI0e = primitive("BesselI0", F.bessel_i0), primitive("BesselI0e", F.bessel_i0e)
BesselI1, BesselI1e = primitive("BesselI1", F.bessel_i1), primitive("BesselI1e", F.bessel_i1e)
BesselJ0, BesselJ1 = primitive("BesselJ0", F.bessel_j0), primitive("BesselJ1", F.bessel_j1)
BesselK0, BesselK0e = primitive("BesselK0", F.bessel_k0), primitive("BesselK0e", F.bessel_k0e)
BesselK1, BesselK1e = primitive("BesselK1", F.bessel_k1), primitive("BesselK1e", F.bessel_k1e)
BesselY0, BesselY1 = primitive("BesselY0", F.bessel_y0), primitive("BesselY1", F.bessel_y1)
Lgamma, Digamma, Zeta = primitive("Lgamma", F.lgamma), primitive("Digamma", F.digamma), primitive("Zeta", F.zeta)
Igamma, Igammac = primitive("Igamma", F.igamma), primitive("Igammac", F.igammac)
Polygamma, Mvlgamma = primitive("Polygamma", F.polygamma), primitive("Mvlgamma", F.mvlgamma, p=REQUIRED)
Polar, Sinc = primitive("Polar", F.polar), primitive("Sinc", F.sinc)
Eps, NextAfter = primitive("Eps", F.eps), primitive("NextAfter", F.nextafter)
