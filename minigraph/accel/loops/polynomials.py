"""Exponentials and logarithms of one float32 as polynomials, which numba compiles to vector instructions.

Each reduces its argument to a short interval (Cody and Waite: subtracting a multiple of log 2 in two parts), evaluates
a minimax polynomial there (minimal largest relative error, fitted by Lawson's algorithm), and scales by the power of
two. ``ULPS`` bounds the error of each; infinities, NaN, zeros and subnormal numbers give numpy's results. They have no
loops and no tables, and run as plain Python, too.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Lane: TypeAlias = Any  # a float32 or an int32 of numpy or numba

ULPS = {"exp": 1.5, "log": 1.5, "tanh": 3.0, "sigmoid": 3.0}  # units in the last place of a float32

_f32, _i32 = np.float32, np.int32
ZERO, HALF, ONE, TWO = _f32(0), _f32(0.5), _f32(1), _f32(2)
INF, NAN = _f32(np.inf), _f32(np.nan)
LOG2_E = _f32(1.4426950408889634)
LOG_2_HIGH, LOG_2_LOW = _f32(0.693359375), _f32(-2.1219444005469057e-4)  # the first has 9 bits: n times it is exact
ROUNDER = _f32(1.5 * 2**23)  # adding it leaves a whole number in the last bits
ROUNDER_BITS, EXPONENT_BIAS, MANTISSA_BITS = _i32(0x4B400000), _i32(127), _i32(23)
SIGN_MASK, MAGNITUDE_MASK = _i32(-0x80000000), _i32(0x7FFFFFFF)
LARGEST_EXP, SMALLEST_EXP, LARGEST_TANH = _f32(89), _f32(-104), _f32(9.1)  # results are constant beyond
SMALLEST_NORMAL, SUBNORMAL_SCALE, SUBNORMAL_SCALE_BITS = _f32(2.0**-126), _f32(2.0**23), _i32(23)
ROOT_HALF_BITS = _i32(0x3F3504F3)

# (exp(r) - 1 - r) / r**2 for abs(r) <= log(2) / 2
EXP_COEFFICIENTS = tuple(map(_f32, (0.4999999403953552, 0.1666651964187622, 0.04166839271783829, 0.008368780836462975,
                                    0.0013814467238262296)))  # fmt: skip
# (log(1 + f) - f + f**2 / 2) / f**3 for 1 + f from sqrt(1/2) to sqrt(2)
LOG_COEFFICIENTS = tuple(map(_f32, (0.3333331346511841, -0.25000008940696716, 0.2000211924314499, -0.1666799634695053,
                                    0.14219552278518677, -0.1240558847784996, 0.11888165026903152,
                                    -0.11675657331943512, 0.06746641546487808)))  # fmt: skip


def bits_of(x: Lane) -> Lane:
    """The bits of a float32 as an int32."""
    return np.float32(x).view(np.int32)


def float_of_bits(bits: Lane) -> Lane:
    """The float32 of these bits."""
    return np.int32(bits).view(np.float32)


def nearest_whole_quotient(x: Lane) -> Lane:
    """x / log 2, rounded to a whole float32."""
    return (x * LOG2_E + ROUNDER) - ROUNDER


def power_of_two(n: Lane) -> Lane:
    """2 to the power of a whole float32 from -126 to 127."""
    return float_of_bits((bits_of(n + ROUNDER) - ROUNDER_BITS + EXPONENT_BIAS) << MANTISSA_BITS)


def reduced_expm1(x: Lane, n: Lane) -> Lane:
    """exp(x - n log 2) - 1, where that difference is at most half of log 2."""
    r = (x - n * LOG_2_HIGH) - n * LOG_2_LOW
    c0, c1, c2, c3, c4 = EXP_COEFFICIENTS
    return r + r * r * ((((c4 * r + c3) * r + c2) * r + c1) * r + c0)


def exp(x: Lane) -> Lane:
    """The exponential; infinity on overflow, 0 on underflow."""
    x = LARGEST_EXP if x > LARGEST_EXP else x
    x = SMALLEST_EXP if x < SMALLEST_EXP else x
    n = nearest_whole_quotient(x)
    half = (n * HALF + ROUNDER) - ROUNDER
    return (ONE + reduced_expm1(x, n)) * power_of_two(half) * power_of_two(n - half)


def tanh(x: Lane) -> Lane:
    """The hyperbolic tangent: e / (e + 2) with e = exp(2 abs(x)) - 1, which is accurate near 0."""
    twice = TWO * float_of_bits(bits_of(x) & MAGNITUDE_MASK)
    twice = TWO * LARGEST_TANH if twice > TWO * LARGEST_TANH else twice
    n = nearest_whole_quotient(twice)
    scale = power_of_two(n)
    e = scale * reduced_expm1(twice, n) + (scale - ONE)
    return float_of_bits(bits_of(e / (e + TWO)) | (bits_of(x) & SIGN_MASK))


def sigmoid(x: Lane) -> Lane:
    """1 / (1 + exp(-x))."""
    return ONE / (ONE + exp(-x))


def log(x: Lane) -> Lane:
    """The natural logarithm; minus infinity of 0, NaN of negative numbers."""
    subnormal = x < SMALLEST_NORMAL
    bits = bits_of(x * SUBNORMAL_SCALE if subnormal else x)
    exponent = np.int32((bits - ROOT_HALF_BITS) >> MANTISSA_BITS)
    f = float_of_bits(bits - (exponent << MANTISSA_BITS)) - ONE
    n = np.float32(exponent - SUBNORMAL_SCALE_BITS if subnormal else exponent)
    c0, c1, c2, c3, c4, c5, c6, c7, c8 = LOG_COEFFICIENTS
    rest = (((((((c8 * f + c7) * f + c6) * f + c5) * f + c4) * f + c3) * f + c2) * f + c1) * f + c0
    result = n * LOG_2_HIGH + (f + (f * f * (f * rest - HALF) + n * LOG_2_LOW))
    result = -INF if x == ZERO else result
    result = NAN if x < ZERO else result
    return x if x == INF or x != x else result
