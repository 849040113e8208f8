"""The error function in numpy, tested against ``math.erf``.

float64: W. J. Cody, "Rational Chebyshev approximations for the error function", Math. Comp. 23 (1969)
631-637, one rational function per range of abs(x), to 2 ulp. Narrower floats: one rational function for
all x, evaluated in float64 and rounded once.
"""

from __future__ import annotations

import math

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.machine import ERF_BLOCK_ELEMENTS
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators.families import elementwise

# Coefficients, highest power first. Numerator and denominator of erf(x) / x - 1 in x^2, for x <= 0.5 (Cody's
# numerator minus his denominator: adding x last rounds better than multiplying by x):
SMALL_COEFFICIENTS = (
    (-8.14222293815396847e-1, -2.04401672084735553e1, -1.30160483783394017e2, -9.05131288392070259e2,
     3.6514075569929885e2),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)  # fmt: skip
# of exp(x^2) erfc(x) in x, for 0.5 < x <= 4:
MIDDLE_COEFFICIENTS = (
    (2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
     2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
     1.23033935479799725e3),
    (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
     3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
)  # fmt: skip
# and of (1/sqrt(pi) - x exp(x^2) erfc(x)) x^2 in 1/x^2, for x > 4:
LARGE_COEFFICIENTS = (
    (1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
     1.60837851487422766e-2, 6.58749161529837803e-4),
    (1.0, 2.56852019228982242e0, 1.87295284992346725e0, 5.27905102951428412e-1, 6.05183413124413191e-2,
     2.33520497626869185e-3),
)  # fmt: skip
# Of erf(x) / x in x^2, for x <= 4, beyond which erf is 1 in float32. Fitted for this file by reweighted least squares
# on 4,000 Chebyshev points; its largest relative error is 2.1e-9, 1/30 of half a float32 ulp.
NARROW_COEFFICIENTS = (
    (-1.3201723065744840e-8, 4.6846721844923041e-6, 3.7960551002073532e-4, 3.8496251629051496e-3,
     5.4316905005541899e-2, 1.8520382298537832e-1, 1.1283791693725660e0),
    (6.3109589959841676e-5, 1.3075681764119871e-3, 1.5462105248780014e-2, 1.1395858841919781e-1,
     4.9746602839549936e-1, 1.0000000000000000e0),
)  # fmt: skip


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """A polynomial by Horner's scheme, in place."""
    total = coefficients[0] * x
    for coefficient in coefficients[1:-1]:
        total += coefficient
        total *= x
    return total + coefficients[-1]


def _rational(pair: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    return _polynomial(pair[0], x) / _polynomial(pair[1], x)


def _gaussian(x: Array) -> Array:
    """exp(-x^2), with x^2 split in two parts to avoid its rounding error."""
    coarse = np.trunc(x * 16) / 16
    return np.multiply(np.exp(-coarse * coarse), np.exp(-(x - coarse) * (x + coarse)))


def _erfc_middle(x: Array) -> Array:
    return _gaussian(x) * _rational(MIDDLE_COEFFICIENTS, x)


def _erfc_large(x: Array) -> Array:
    inverse = 1 / (x * x)
    return _gaussian(x) * (1 / math.sqrt(math.pi) - inverse * _rational(LARGE_COEFFICIENTS, inverse)) / x


def erf_of(x: Array) -> Array:
    """The error function of float64 values; NaN stays NaN.

    >>> erf_of(np.array([0.0, 0.5, -1.0, 7.0])).round(6).tolist()
    [0.0, 0.5205, -0.842701, 1.0]
    """
    magnitude = np.abs(x)
    small, middle, large = magnitude <= 0.5, (magnitude > 0.5) & (magnitude <= 4), (magnitude > 4) & (magnitude < 6)
    result = np.where(np.isnan(x), x, np.copysign(1.0, x))
    if small.any():
        result[small] = x[small] + x[small] * _rational(SMALL_COEFFICIENTS, x[small] * x[small])
    for mask, erfc in ((middle, _erfc_middle), (large, _erfc_large)):
        if mask.any():
            result[mask] *= 0.5 + (0.5 - erfc(magnitude[mask]))
    return result


def narrow_erf_of(x: Array) -> Array:
    """The error function of float16 or float32 values, in float64."""
    double = np.clip(x.astype(np.float64), -4, 4)
    return double * _rational(NARROW_COEFFICIENTS, double * double)


def _erf(x: Array) -> Array:
    compute = erf_of if x.dtype == np.float64 else narrow_erf_of
    flat = np.asarray(x, order="C").reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, flat.size, ERF_BLOCK_ELEMENTS):
        result[start : start + ERF_BLOCK_ELEMENTS] = compute(flat[start : start + ERF_BLOCK_ELEMENTS])
    return result.reshape(x.shape)


def erf_derivative(x: Tensor) -> Tensor:
    """The derivative of erf, 2/sqrt(pi) exp(-x^2), on tensors."""
    return apply("exp", -(x * x)) * (2 / math.sqrt(math.pi))


ERF = elementwise(
    "erf", _erf, kinds="f", into=False, lanes=("special", *("simple",) * 12, "special"),
    vjp=(lambda g, out, x: g * erf_derivative(x),), doc="The error function.",
)  # fmt: skip
