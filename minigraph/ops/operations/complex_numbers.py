"""Primitives of complex numbers."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.core.types import complex64, complex128, float64
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Complex", "ComplexAbs"]


def _complex(real: Tensor, imag: Tensor) -> Tensor:
    """real + i imag."""
    dtype = complex128 if real.dtype is float64 else complex64
    return F.cast(real, dtype) + F.cast(imag, dtype) * 1j


def _magnitude(x: Tensor) -> Tensor:
    """The absolute value of complex numbers."""
    return F.hypot(F.real(x), F.imag(x))


Complex, ComplexAbs = primitive("Complex", _complex), primitive("ComplexAbs", _magnitude)
