"""Exponentials and logarithms of one float32 as polynomials, which compilers of loops turn into vector instructions.

Each brings its operand into a short interval (Cody and Waite: subtracting a multiple of log 2 in two parts), computes a
polynomial there, the best in the largest relative error (fitted by Lawson's algorithm), and puts the power of two
back. ``ULPS`` says how far each may be from the true value; infinities, NaN, zeros and what lies below the smallest
normal number come out as numpy has them. Written without loops and tables, so that they run as plain Python, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ULPS = {"exp": 1.5, "log": 1.5, "tanh": 3.0, "sigmoid": 3.0}  # units in the last place of a float32

_f32, _i32 = np.float32, np.int32
ZERO, HALF, ONE, TWO = _f32(0), _f32(0.5), _f32(1), _f32(2)
INF, NAN = _f32(np.inf), _f32(np.nan)
LOG2_E = _f32(1.4426950408889634)
LOG_2_HIGH, LOG_2_LOW = _f32(0.693359375), _f32(-2.1219444005469057e-4)  # the first has 9 bits: n times it is exact
ROUNDER = _f32(1.5 * 2**23)  # adding it leaves a whole number in the last bits
ROUNDER_BITS, BIAS, BITS = _i32(0x4B400000), _i32(127), _i32(23)
SIGN, MAGNITUDE = _i32(-0x80000000), _i32(0x7FFFFFFF)
LARGEST_EXP, SMALLEST_EXP, LARGEST_TANH = _f32(89), _f32(-104), _f32(9.1)  # beyond, results no longer change
NORMAL, UP, UP_BITS = _f32(2.0**-126), _f32(2.0**23), _i32(23)
ROOT_HALF_BITS = _i32(0x3F3504F3)

# (exp(r) - 1 - r) / r**2 for abs(r) <= log(2) / 2
OF_EXP = tuple(map(_f32, (0.4999999403953552, 0.1666651964187622, 0.04166839271783829, 0.008368780836462975,
                          0.0013814467238262296)))  # fmt: skip
# (log(1 + f) - f + f**2 / 2) / f**3 for 1 + f from sqrt(1/2) to sqrt(2)
OF_LOG = tuple(map(_f32, (0.3333331346511841, -0.25000008940696716, 0.2000211924314499, -0.1666799634695053,
                          0.14219552278518677, -0.1240558847784996, 0.11888165026903152, -0.11675657331943512,
                          0.06746641546487808)))  # fmt: skip


def bits_of(x: Any) -> Any:
    """The bits of a float32 as an int32."""
    return np.float32(x).view(np.int32)


def of_bits(bits: Any) -> Any:
    """The float32 of these bits."""
    return np.int32(bits).view(np.float32)


def multiple(x: Any) -> Any:
    """How many times log 2 goes into x, as a whole float32."""
    return (x * LOG2_E + ROUNDER) - ROUNDER


def power_of_two(n: Any) -> Any:
    """2 to the power of a whole float32 from -126 to 127."""
    return of_bits((bits_of(n + ROUNDER) - ROUNDER_BITS + BIAS) << BITS)


def little_less_one(x: Any, n: Any) -> Any:
    """exp(x - n log 2) - 1, where that difference is at most half of log 2."""
    r = (x - n * LOG_2_HIGH) - n * LOG_2_LOW
    c0, c1, c2, c3, c4 = OF_EXP
    return r + r * r * ((((c4 * r + c3) * r + c2) * r + c1) * r + c0)


def exp(x: Any) -> Any:
    """The exponential; beyond float32 infinity, or 0."""
    x = LARGEST_EXP if x > LARGEST_EXP else x
    x = SMALLEST_EXP if x < SMALLEST_EXP else x
    n = multiple(x)
    half = (n * HALF + ROUNDER) - ROUNDER
    return (ONE + little_less_one(x, n)) * power_of_two(half) * power_of_two(n - half)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent: e / (e + 2) with e = exp(2 abs(x)) - 1, which loses nothing near 0."""
    twice = TWO * of_bits(bits_of(x) & MAGNITUDE)
    twice = TWO * LARGEST_TANH if twice > TWO * LARGEST_TANH else twice
    n = multiple(twice)
    scale = power_of_two(n)
    less_one = scale * little_less_one(twice, n) + (scale - ONE)
    found = less_one / (less_one + TWO)
    return of_bits(bits_of(found) | (bits_of(x) & SIGN))


def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return ONE / (ONE + exp(-x))


def log(x: Any) -> Any:
    """The natural logarithm: minus infinity of 0, NaN below."""
    small = x < NORMAL
    bits = bits_of(x * UP if small else x)
    exponent = np.int32((bits - ROOT_HALF_BITS) >> BITS)
    f = of_bits(bits - (exponent << BITS)) - ONE
    n = np.float32(exponent - UP_BITS if small else exponent)
    c0, c1, c2, c3, c4, c5, c6, c7, c8 = OF_LOG
    rest = (((((((c8 * f + c7) * f + c6) * f + c5) * f + c4) * f + c3) * f + c2) * f + c1) * f + c0
    found = n * LOG_2_HIGH + (f + (f * f * (f * rest - HALF) + n * LOG_2_LOW))
    found = -INF if x == ZERO else found
    found = NAN if x < ZERO else found
    return x if x == INF or x != x else found
