"""Further functions of single elements: other bases, inverse functions, bits, tests, blends."""

from __future__ import annotations

import math
from typing import Any

from minigraph.core.op import apply
from minigraph.core.types import complex64, complex128, float64
from minigraph.operators import compare, complex, elementary, elementwise, special
from minigraph.ops.functional.calls import binary, spelled, unary
from minigraph.ops.functional.math import cast, clip, maximum, minimum, mul, neg, sign, sub, where

__all__ = [
    "absolute", "acosh", "addcdiv", "addcmul", "adjoint", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan",
    "arctan2", "arctanh", "asinh", "atan2", "atanh", "bitwise_left_shift", "bitwise_right_shift", "conj", "copysign",
    "deg2rad", "erfc", "erfinv", "exp2", "float_power", "fmax", "fmin", "fmod", "frac", "gcd", "heaviside", "hypot",
    "imag", "invert", "isclose", "isneginf", "isposinf", "isreal", "lcm", "ldexp", "lerp", "log2", "log10",
    "logaddexp", "logaddexp2", "logit", "multiply", "nan_to_num", "negative", "positive", "rad2deg", "real", "sgn",
    "signbit", "sinc", "subtract", "trunc", "truncate_div", "truncate_mod", "xlogy",
]  # fmt: skip

# ---- one operator each -----------------------------------------------------------------------------

log2, log10, exp2 = unary(elementary.LOG2), unary(elementary.LOG10), unary(elementary.EXP2)
asinh, acosh, atanh = unary(elementary.ASINH), unary(elementary.ACOSH), unary(elementary.ATANH)
erfinv, signbit = unary(elementary.ERFINV), unary(elementary.SIGNBIT)
atan2, fmod = binary(elementary.ATAN2), binary(elementary.FMOD)
invert, copysign = spelled(unary(elementary.INVERT), x="input"), spelled(binary(elementary.COPYSIGN), x="input")
gcd, lcm = binary(elementary.GCD), binary(elementary.LCM)
bitwise_left_shift = binary(elementary.BITWISE_LEFT_SHIFT)
bitwise_right_shift = binary(elementary.BITWISE_RIGHT_SHIFT)

real, imag = unary(complex.REAL), unary(complex.IMAG)
conj, angle = unary(complex.CONJ), unary(complex.ANGLE)

# ---- the same under other names --------------------------------------------------------------------

absolute, negative, multiply, sgn = unary(elementwise.ABS), neg, mul, sign
arcsin, arccos, arctan = spelled(unary(elementwise.ASIN), x="input"), unary(elementwise.ACOS), unary(elementwise.ATAN)
arcsinh, arccosh, arctanh, arctan2 = asinh, acosh, atanh, atan2


def subtract(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha other."""
    return sub(input, other if alpha == 1 else other * alpha)


def adjoint(x: Any) -> Any:
    """The last two axes swapped, complex numbers conjugated."""
    return (conj(x) if x.dtype.kind == "c" else x).swapaxes(-1, -2)


def positive(input: Any) -> Any:
    """The tensor itself."""
    return input


# ---- parts -----------------------------------------------------------------------------------------


def trunc(input: Any) -> Any:
    """The whole part; integers are whole already."""
    return apply(elementary.TRUNC, input) if input.dtype.is_float else input


def frac(x: Any) -> Any:
    """What the whole part leaves, with the sign of x.

    >>> from minigraph import Tensor
    >>> print(frac(Tensor([1.75, -1.75])))
    [ 0.75 -0.75]
    """
    return x - trunc(x)


def truncate_div(x: Any, y: Any) -> Any:
    """The quotient rounded towards zero; of integers an integer."""
    if x.dtype.is_float or getattr(y, "dtype", x.dtype).is_float:
        return trunc(x / y)
    magnitude = apply(elementwise.FLOOR_DIV, apply(elementwise.ABS, x), abs(y))
    return magnitude * sign(x) * (sign(y) if hasattr(y, "dtype") else (y > 0) - (y < 0))


def truncate_mod(x: Any, y: Any) -> Any:
    """The remainder of a division rounded towards zero, with the sign of x."""
    return fmod(x, y)


# ---- combinations ----------------------------------------------------------------------------------


def erfc(input: Any) -> Any:
    """1 - erf(x)."""
    return 1 - apply(special.ERF, input)


def hypot(input: Any, other: Any) -> Any:
    """sqrt(x^2 + y^2)."""
    return apply(elementwise.SQRT, input * input + other * other)


def logaddexp(input: Any, other: Any) -> Any:
    """log(exp(x) + exp(y)), without overflow."""
    apart = apply(elementwise.EXP, -apply(elementwise.ABS, input - other))
    return maximum(input, other) + apply(elementwise.LOG1P, apart)


def logaddexp2(input: Any, other: Any) -> Any:
    """log2(2^x + 2^y), without overflow."""
    apart = exp2(-apply(elementwise.ABS, input - other))
    return maximum(input, other) + apply(elementwise.LOG1P, apart) / math.log(2)


def xlogy(input: Any, other: Any) -> Any:
    """x log(y), and 0 where x is 0 whatever y is, except NaN."""
    infinite = apply(compare.LOGICAL_OR, apply(compare.LESS_EQUAL, other, 0), apply(compare.EQUAL, other, math.inf))
    zero = apply(compare.LOGICAL_AND, apply(compare.EQUAL, input, 0), infinite)
    return where(zero, 0.0, input * apply(elementwise.LOG, where(zero, 1.0, other)))


def lerp(input: Any, end: Any, weight: Any) -> Any:
    """input + weight (end - input)."""
    return input + weight * (end - input)


def addcmul(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """input + value tensor1 tensor2."""
    return input + tensor1 * tensor2 * value


def addcdiv(input: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    """input + value tensor1 / tensor2."""
    return input + tensor1 / tensor2 * value


def ldexp(x: Any, other: Any) -> Any:
    """x 2^other, of integers as Float32."""
    power = apply(elementary.EXP2, other)
    return x * (cast(power, x.dtype) if x.dtype.is_float else power)


def deg2rad(x: Any) -> Any:
    """Radians of degrees."""
    return x * (math.pi / 180)


def rad2deg(x: Any) -> Any:
    """Degrees of radians."""
    return x * (180 / math.pi)


def sinc(input: Any) -> Any:
    """sin(pi x) / (pi x), and 1 at 0."""
    zero = input == 0
    angle = where(zero, 1.0, input) * math.pi
    return where(zero, 1.0, apply(elementwise.SIN, angle) / angle)


def float_power(input: Any, exponent: Any) -> Any:
    """Powers computed in Float64, or Complex128 for complex numbers."""
    pair = [one for one in (input, exponent) if hasattr(one, "dtype")]
    wide = complex128 if any(one.dtype in (complex64, complex128) for one in pair) else float64
    base, power = (cast(one, wide) if hasattr(one, "dtype") else one for one in (input, exponent))
    return apply(elementwise.POW, base, power)


def logit(input: Any, eps: float | None = None) -> Any:
    """log(p / (1 - p)), p held between eps and 1 - eps when that is given."""
    inside = input if eps is None else clip(input, eps, 1 - eps)
    return apply(elementwise.LOG, inside / (1 - inside))


def heaviside(input: Any, values: Any) -> Any:
    """0 below 0, 1 above, ``values`` at 0."""
    return where(input == 0, values, cast(input > 0, input.dtype))


# ---- numbers that are not finite -------------------------------------------------------------------


def fmax(input: Any, other: Any) -> Any:
    """The larger of two, the one that is not NaN where one is."""
    return _beside_nan(maximum(input, other), input, other)


def fmin(input: Any, other: Any) -> Any:
    """The smaller of two, the one that is not NaN where one is."""
    return _beside_nan(minimum(input, other), input, other)


def _beside_nan(found: Any, input: Any, other: Any) -> Any:
    without_first = where(apply(compare.ISNAN, input), other, found)
    return where(apply(compare.ISNAN, other), input, without_first)


def isposinf(input: Any) -> Any:
    """Whether x is plus infinity."""
    return input == math.inf


def isneginf(input: Any) -> Any:
    """Whether x is minus infinity."""
    return input == -math.inf


def isreal(input: Any) -> Any:
    """Whether x has no imaginary part."""
    return apply("imag", cast(input, complex128)) == 0


def isclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Whether abs(x - y) <= atol + rtol abs(y), as Bool; equal infinities are close, NaN to NaN when asked for."""
    near = apply(elementwise.ABS, input - other) <= apply(elementwise.ABS, other) * rtol + atol
    found = apply(compare.LOGICAL_OR, input == other, apply(compare.LOGICAL_AND, near, apply(compare.ISFINITE, other)))
    if not equal_nan:
        return found
    return apply(compare.LOGICAL_OR, found, apply(compare.LOGICAL_AND, input != input, other != other))


def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """NaN made ``nan`` (0), infinities the largest and smallest finite numbers of the dtype or those given."""
    if not input.dtype.is_float:
        return input
    largest = LARGEST[input.dtype.itemsize]
    found = where(input != input, 0.0 if nan is None else nan, input)
    found = where(isposinf(input), largest if posinf is None else posinf, found)
    return where(isneginf(input), -largest if neginf is None else neginf, found)


LARGEST = {2: 65504.0, 4: (2 - 2**-23) * 2.0**127, 8: (2 - 2**-52) * 2.0**1023}  # of float16, float32, float64
