"""Complex numbers: parts, conjugates and polar form."""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import complex64, complex128, float64
from minigraph.operators import complex
from minigraph.ops.functional.arithmetic import mul
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import cos, sin
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.joining import stack
from minigraph.ops.functional.operator_functions import unary

FORMS = """
method mint: imag:Imag real:Real
method: adjoint angle:Angle conj:Conj isreal
mint: polar:Polar
function: view_as_real
"""
export(globals())


real, imag = unary(complex.REAL), unary(complex.IMAG)
conj, angle = unary(complex.CONJ), unary(complex.ANGLE)


def adjoint(x: Tensor) -> Tensor:
    """The conjugate transpose: the last two axes swapped, complex numbers conjugated."""
    return (conj(x) if x.dtype.kind == "c" else x).swapaxes(-1, -2)


def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part is 0."""
    return apply("imag", cast(input, complex128)) == 0


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers from magnitudes and angles."""
    dtype = complex128 if abs.dtype is float64 else complex64
    return cast(mul(abs, cos(angle)), dtype) + cast(mul(abs, sin(angle)), dtype) * 1j


def view_as_real(input: Tensor) -> Tensor:
    """(real part, imaginary part) along a new last axis."""
    return stack([apply("real", input), apply("imag", input)], -1)
