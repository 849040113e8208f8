"""Primitives of elementary functions."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "ACos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cos", "Cosh", "Eps", "Erf", "Erfc", "Erfinv",
    "Exp", "Expm1", "Hypot", "Log", "Log1p", "Logit", "NextAfter", "Rsqrt", "Sin", "Sinc", "Sinh", "Sqrt", "Tan",
    "Xdivy", "Xlogy",
]  # fmt: skip


def _logit(input: Tensor, *, eps: float) -> Tensor:
    """log(x / (1 - x)), with x clamped to [eps, 1 - eps] unless eps is negative."""
    return F.logit(input, None if eps < 0 else eps)


Exp, Expm1 = primitive("Exp", F.exp), primitive("Expm1", F.expm1)
Log, Log1p = primitive("Log", F.log), primitive("Log1p", F.log1p)
Sqrt, Rsqrt = primitive("Sqrt", F.sqrt), primitive("Rsqrt", F.rsqrt)
Logit, Hypot = primitive("Logit", _logit, eps=-1.0), primitive("Hypot", F.hypot)
Xdivy, Xlogy = primitive("Xdivy", F.xdivy), primitive("Xlogy", F.xlogy)
Sin, Cos, Tan = primitive("Sin", F.sin), primitive("Cos", F.cos), primitive("Tan", F.tan)
Asin, ACos, Atan = primitive("Asin", F.asin), primitive("ACos", F.acos), primitive("Atan", F.atan)
Sinh, Cosh, Atan2 = primitive("Sinh", F.sinh), primitive("Cosh", F.cosh), primitive("Atan2", F.atan2)
Asinh, Acosh, Atanh = primitive("Asinh", F.asinh), primitive("Acosh", F.acosh), primitive("Atanh", F.atanh)
Erf, Erfc, Erfinv = primitive("Erf", F.erf), primitive("Erfc", F.erfc), primitive("Erfinv", F.erfinv)
Sinc = primitive("Sinc", F.sinc)
Eps, NextAfter = primitive("Eps", F.eps), primitive("NextAfter", F.nextafter)
