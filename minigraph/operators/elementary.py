"""Elementary functions: logarithms and powers to other bases, inverse functions, truncation, signs, bits, gcd, lcm."""

from __future__ import annotations

import math

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.op import apply
from minigraph.core.types import bool_
from minigraph.operators.families import elementwise, ufunc
from minigraph.operators.samples import binary_samples, integer_samples, unary_samples
from minigraph.operators.special import erf_derivative

# ---- other bases -----------------------------------------------------------------------------------

LOG2 = elementwise(
    "log2", ufunc(np.log2), kinds="f", lanes=("special",),
    vjp=(lambda g, out, x: g / (x * math.log(2)),),
    doc="The logarithm to base 2.", samples=unary_samples(0.5, 3.0),
)  # fmt: skip
LOG10 = elementwise(
    "log10", ufunc(np.log10), kinds="fc", lanes=("special",),
    vjp=(lambda g, out, x: g / (x * math.log(10)),),
    doc="The logarithm to base 10.", samples=unary_samples(0.5, 3.0),
)  # fmt: skip
EXP2 = elementwise(
    "exp2", ufunc(np.exp2), kinds="f", lanes=("special",), vjp=(lambda g, out, x: g * out * math.log(2),),
    to_float=True, doc="2 to the power x, of integers as float32.",
)  # fmt: skip

# ---- inverse functions -----------------------------------------------------------------------------

ASINH = elementwise(
    "asinh", ufunc(np.arcsinh), kinds="fc", lanes=("special", "special"),
    vjp=(lambda g, out, x: g / apply("sqrt", x * x + 1),), doc="The inverse hyperbolic sine.",
)  # fmt: skip
ACOSH = elementwise(
    "acosh", ufunc(np.arccosh), kinds="fc", lanes=("special", "special"),
    vjp=(lambda g, out, x: g / apply("sqrt", x * x - 1),),
    doc="The inverse hyperbolic cosine.", samples=unary_samples(1.5, 4.0),
)  # fmt: skip
ATANH = elementwise(
    "atanh", ufunc(np.arctanh), kinds="fc", lanes=("special", "special"), vjp=(lambda g, out, x: g / (1 - x * x),),
    doc="The inverse hyperbolic tangent.", samples=unary_samples(-0.8, 0.8),
)  # fmt: skip
ATAN2 = elementwise(
    "atan2", ufunc(np.arctan2), kinds="f", lanes=("special", "special", "simple"),
    vjp=(lambda g, out, y, x: g * x / (x * x + y * y), lambda g, out, y, x: -(g * y / (x * x + y * y))),
    doc="The angle of the point (y, x), in radians from -pi to pi.",
)  # fmt: skip


def _inverse_erf(x: Array) -> Array:
    """Winitzki's approximation (2008, eq. 7), then three steps of Newton's method on erf in float64."""
    double = x.astype(np.float64)
    y = np.where(np.abs(double) < 1, double, 0.0)
    log = np.log1p(-y * y)
    middle = 2 / (math.pi * 0.147) + log / 2
    result = np.copysign(np.sqrt(np.sqrt(middle * middle - log / 0.147) - middle), y)
    for _ in range(3):
        result -= (_erf(result) - y) * np.exp(result * result) * math.sqrt(math.pi) / 2
    edge = np.where(np.abs(double) == 1, np.copysign(np.inf, double), np.nan)
    return np.where(np.abs(double) < 1, result, edge).astype(x.dtype)


_erf = np.vectorize(math.erf, otypes=[np.float64])

ERFINV = elementwise(
    "erfinv", _inverse_erf, kinds="f", into=False, lanes=("special",) * 4,
    vjp=(lambda g, out, x: g / erf_derivative(out),),
    doc="The inverse of the error function: plus and minus infinity at 1 and -1, NaN beyond.",
    samples=unary_samples(-0.8, 0.8),
)  # fmt: skip

# ---- truncation, signs, divisors -------------------------------------------------------------------

TRUNC = elementwise(
    "trunc", ufunc(np.trunc), kinds="f",
    vjp=(None,), doc="x truncated towards zero.",
)  # fmt: skip
FMOD = elementwise(
    "fmod", ufunc(np.fmod), kinds="if", lanes=("special", "simple", "simple", "simple"),
    vjp=(lambda g, out, x, y: g, lambda g, out, x, y: -g * apply("trunc", x / y)),
    doc="x - y * trunc(x / y), with the sign of x as in C.", samples=binary_samples("if", 0.6, 0.9),
)  # fmt: skip
COPYSIGN = elementwise(
    "copysign", ufunc(np.copysign), kinds="f", to_float=True,
    vjp=(lambda g, out, x, y: g * apply("where", apply("signbit", x * out), -1, 1), None),
    doc="abs(x) with the sign of y.",
)  # fmt: skip
SIGNBIT = elementwise(
    "signbit", ufunc(np.signbit), vjp=(None,), result=bool_, kinds="f", to_float=True,
    doc="Whether the sign bit of x is set, of integers as float32.",
)  # fmt: skip
GCD = elementwise(
    "gcd", ufunc(np.gcd), kinds="i", lanes=("special",) * 4, vjp=(None, None), commutative=True,
    doc="The greatest common divisor.", samples=integer_samples("i", "i"),
)  # fmt: skip
LCM = elementwise(
    "lcm", ufunc(np.lcm), kinds="i", lanes=("special",) * 4, vjp=(None, None), commutative=True,
    doc="The least common multiple.", samples=integer_samples("i", "i"),
)  # fmt: skip

# ---- bits ------------------------------------------------------------------------------------------

INVERT = elementwise(
    "invert", ufunc(np.invert), kinds="bi", vjp=(None,), doc="The bitwise complement.",
    samples=integer_samples("i"),
)  # fmt: skip
BITWISE_LEFT_SHIFT = elementwise(
    "bitwise_left_shift", ufunc(np.left_shift), kinds="i", vjp=(None, None),
    doc="The bits of x shifted left by y.", samples=integer_samples("i", "n"),
)  # fmt: skip
BITWISE_RIGHT_SHIFT = elementwise(
    "bitwise_right_shift", ufunc(np.right_shift), kinds="i", vjp=(None, None),
    doc="The bits of x shifted right by y, with sign extension.", samples=integer_samples("i", "n"),
)  # fmt: skip
