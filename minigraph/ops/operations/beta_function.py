"""The primitive of the incomplete beta function, a node that calls numpy in float64.

The continued fraction is 26.5.8 of Abramowitz & Stegun 1964, evaluated as in Lentz 1976.
"""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.autodiff.tape import full_like
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ops.functional.gamma_functions import float_function, lgamma, log_gamma, reduce_to
from minigraph.ops.primitive import primitive

__all__ = ["Betainc"]

MAX_TERMS, TINY = 1000, 1e-300  # of the fraction; its smallest denominator


def _nonzero(x: Array) -> Array:
    return np.where(np.abs(x) < TINY, TINY, x)


def _fraction(a: Array, b: Array, x: Array) -> Array:
    """The continued fraction, which converges fast for x < (a + 1) / (a + b + 2)."""
    c, d = np.ones(x.shape), 1 / _nonzero(1 - (a + b) * x / (a + 1))
    product = d
    for m in range(1, MAX_TERMS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _nonzero(1 + factor * d), _nonzero(1 + factor / c)
            product = product * d * c
        if np.all((np.abs(d * c - 1) < 1e-16) | np.isnan(product)):
            break
    return product


def _values(a: Array, b: Array, x: Array) -> Array:
    a, b, x = np.broadcast_arrays(a, b, x)
    is_swapped = x > (a + 1) / (a + b + 2)
    p, q, y = np.where(is_swapped, b, a), np.where(is_swapped, a, b), np.where(is_swapped, 1 - x, x)
    log_front = p * np.log(np.maximum(y, TINY)) + q * np.log(np.maximum(1 - y, TINY))
    front = np.exp(log_front - log_gamma(p) - log_gamma(q) + log_gamma(p + q)) / p
    lower = front * _fraction(p, q, y)
    result = np.where(is_swapped, 1 - lower, lower)
    result = np.where(x == 0, 0.0, np.where(x == 1, 1.0, result))
    return np.where((a <= 0) | (b <= 0) | (x < 0) | (x > 1), np.nan, result)


def _betainc(a: Tensor, b: Tensor, x: Tensor) -> Tensor:
    """The regularised incomplete beta function I_x(a, b), elementwise; its gradient is that by x."""

    def bprop(a: Tensor, b: Tensor, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, ...]:
        log_density = (a - 1) * apply("log", x) + (b - 1) * apply("log", 1 - x) - lgamma(a) - lgamma(b) + lgamma(a + b)
        return full_like(a, 0.0), full_like(b, 0.0), reduce_to(dout * apply("exp", log_density), x)

    return float_function("betainc", _values, [a, b, x], bprop)


Betainc = primitive("Betainc", _betainc)
