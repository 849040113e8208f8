"""Bessel functions of order 0 and 1.

Up to ``MIN_ASYMPTOTIC_X`` they are integrals (Abramowitz & Stegun 1964, 9.1.21, 9.1.22, 9.6.16, 9.6.24): the
trapezoidal rule converges geometrically for periodic integrands and for those that decay doubly exponentially. Beyond
it they are Hankel's expansions (9.2.5, 9.2.6, 9.7.1, 9.7.2), whose smallest term is about exp(-2 MIN_ASYMPTOTIC_X).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.gamma_functions import float_function
from minigraph.ops.functional.indexing import where

FORMS = """
method: i0
function: bessel_i0:BesselI0 bessel_i0e:BesselI0e bessel_i1:BesselI1 bessel_i1e:BesselI1e bessel_j0:BesselJ0
    bessel_j1:BesselJ1 bessel_k0:BesselK0 bessel_k0e:BesselK0e bessel_k1:BesselK1 bessel_k1e:BesselK1e
    bessel_y0:BesselY0 bessel_y1:BesselY1
"""
export(globals())

MIN_ASYMPTOTIC_X = 25.0
HANKEL_TERMS = 26  # of Hankel's expansions: at MIN_ASYMPTOTIC_X the smallest term is the 50th of alternating halves
QUADRATURE_POINTS = 256  # of the integrals
UNDERFLOW = 745.0  # exp(-745) is the smallest positive float64

QUADRATURE_ANGLES = 2 * np.pi * np.arange(QUADRATURE_POINTS) / QUADRATURE_POINTS  # of a whole period
NODES, WEIGHTS = np.polynomial.legendre.leggauss(QUADRATURE_POINTS)


# ---- values ----------------------------------------------------------------------------------------


def _hankel(n: int, x: Array) -> tuple[Array, Array]:
    """(P, Q) of Hankel's expansions for large x: sums of the even and the odd terms, with alternating signs."""
    even, odd, term = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
    for k in range(HANKEL_TERMS):
        sign = -1.0 if k % 2 else 1.0
        even = even + sign * term
        term = term * (4 * n * n - (4 * k + 1) ** 2) / ((2 * k + 1) * 8 * x)
        odd = odd + sign * term
        term = term * (4 * n * n - (4 * k + 3) ** 2) / ((2 * k + 2) * 8 * x)
    return even, odd


def _modified_tail(n: int, x: Array, sign: float) -> Array:
    """The sum of Hankel's expansion of I (sign -1) and K (sign 1), without its factor."""
    total, term = np.zeros_like(x), np.ones_like(x)
    for k in range(2 * HANKEL_TERMS):
        total = total + term
        term = term * sign * (4 * n * n - (2 * k + 1) ** 2) / ((k + 1) * 8 * x)
    return total


def _first_or_second_kind(n: int, second_kind: bool) -> Callable[[Array], Array]:
    """J_n or Y_n."""

    def values(x: Array) -> Array:
        """The function by its asymptotic expansion for large x, else by numerical integration."""
        size = np.abs(x)
        large_x = np.maximum(size, MIN_ASYMPTOTIC_X)
        even, odd = _hankel(n, large_x)
        phase = large_x - (n / 2 + 0.25) * np.pi
        first, second = (np.sin(phase), np.cos(phase)) if second_kind else (np.cos(phase), -np.sin(phase))
        expansion = np.sqrt(2 / (np.pi * large_x)) * (even * first + odd * second)
        small_x = np.minimum(size, MIN_ASYMPTOTIC_X)
        result = np.where(
            size > MIN_ASYMPTOTIC_X, expansion, _integral_y(n, small_x) if second_kind else _integral_j(n, small_x)
        )
        if second_kind:
            return np.where(x < 0, np.nan, np.where(x == 0, -np.inf, np.where(np.isinf(x), 0.0, result)))
        result = np.where(np.isinf(x), 0.0, np.where(np.isnan(x), np.nan, result))
        return np.where(x < 0, -result, result) if n else result

    return values


def _integral_j(n: int, x: Array) -> Array:
    phase = x[..., None] * np.sin(QUADRATURE_ANGLES)
    return (np.sin(phase) * np.sin(QUADRATURE_ANGLES) if n else np.cos(phase)).mean(-1)


def _integral_y(n: int, x: Array) -> Array:
    angles = np.pi * (NODES + 1) / 2
    first = np.sin(x[..., None] * np.sin(angles) - n * angles) @ WEIGHTS / 2
    positive = np.maximum(x, 1e-300)[..., None]
    end = np.arcsinh(UNDERFLOW / positive)
    t = end * (NODES + 1) / 2
    growth = np.exp(n * t) + (-1) ** n * np.exp(-n * t)
    second = (growth * np.exp(-positive * np.sinh(t)) * (end / 2)) @ WEIGHTS
    return first - second / np.pi


def _scaled_i(n: int, x: Array) -> Array:
    """exp(-abs(x)) I_n(x)."""
    size = np.abs(x)
    large_x, small_x = np.maximum(size, MIN_ASYMPTOTIC_X), np.minimum(size, MIN_ASYMPTOTIC_X)[..., None]
    cosines = np.cos(QUADRATURE_ANGLES)
    heights = np.sinh(small_x * cosines) * cosines if n else np.cosh(small_x * cosines)
    integral = heights.mean(-1) * np.exp(-small_x[..., 0])
    result = np.where(
        size > MIN_ASYMPTOTIC_X, _modified_tail(n, large_x, -1.0) / np.sqrt(2 * np.pi * large_x), integral
    )
    result = np.where(np.isnan(x), np.nan, result)
    return np.where(x < 0, -result, result) if n else result


def _scaled_k(n: int, x: Array) -> Array:
    """exp(x) K_n(x)."""
    large_x, small_x = np.maximum(x, MIN_ASYMPTOTIC_X), np.clip(x, 1e-300, MIN_ASYMPTOTIC_X)[..., None]
    end = np.arccosh(1 + UNDERFLOW / small_x)
    t = end * np.arange(2 * QUADRATURE_POINTS) / (2 * QUADRATURE_POINTS)
    heights = np.exp(-small_x * (np.cosh(t) - 1)) * np.cosh(n * t)
    integral = (heights.sum(-1) - heights[..., 0] / 2) * end[..., 0] / (2 * QUADRATURE_POINTS)
    result = np.where(x > MIN_ASYMPTOTIC_X, _modified_tail(n, large_x, 1.0) * np.sqrt(np.pi / (2 * large_x)), integral)
    return np.where(x < 0, np.nan, np.where(x == 0, np.inf, np.where(np.isnan(x), np.nan, result)))


# ---- functions, with their derivatives -------------------------------------------------------------

Derivative = Callable[[Tensor, Tensor], Tensor]  # of the operand and the result


def _divide_or(y: Tensor, x: Tensor, at_zero: float) -> Tensor:
    """y / x, and ``at_zero`` where x is 0."""
    zero = x == 0
    return where(zero, at_zero, y / where(zero, 1.0, x))


def _bessel(name: str, x: Tensor) -> Tensor:
    return _function(f"bessel_{name}")(x)


def _sign(x: Tensor) -> Tensor:
    return apply("sign", x)


# name -> description, values, derivative
BESSEL_FUNCTIONS: dict[str, tuple[str, Callable[[Array], Array], Derivative]] = {
    "bessel_j0": ("The Bessel function of the first kind, order 0", _first_or_second_kind(0, False),
                  lambda x, y: -_bessel("j1", x)),
    "bessel_j1": ("The Bessel function of the first kind, order 1", _first_or_second_kind(1, False),
                  lambda x, y: _bessel("j0", x) - _divide_or(y, x, 0.5)),
    "bessel_y0": ("The Bessel function of the second kind, order 0", _first_or_second_kind(0, True),
                  lambda x, y: -_bessel("y1", x)),
    "bessel_y1": ("The Bessel function of the second kind, order 1", _first_or_second_kind(1, True),
                  lambda x, y: _bessel("y0", x) - y / x),
    "bessel_i0": ("The modified Bessel function of the first kind, order 0",
                  lambda x: _scaled_i(0, x) * np.exp(np.abs(x)), lambda x, y: _bessel("i1", x)),
    "bessel_i1": ("The modified Bessel function of the first kind, order 1",
                  lambda x: _scaled_i(1, x) * np.exp(np.abs(x)), lambda x, y: _bessel("i0", x) - _divide_or(y, x, 0.5)),
    "bessel_i0e": ("exp(-abs(x)) times the modified Bessel function of the first kind, order 0",
                   lambda x: _scaled_i(0, x), lambda x, y: _bessel("i1e", x) - _sign(x) * y),
    "bessel_i1e": ("exp(-abs(x)) times the modified Bessel function of the first kind, order 1",
                   lambda x: _scaled_i(1, x), lambda x, y: _bessel("i0e", x) - _sign(x) * y - _divide_or(y, x, 0.5)),
    "bessel_k0": ("The modified Bessel function of the second kind, order 0",
                  lambda x: _scaled_k(0, x) * np.exp(-x), lambda x, y: -_bessel("k1", x)),
    "bessel_k1": ("The modified Bessel function of the second kind, order 1",
                  lambda x: _scaled_k(1, x) * np.exp(-x), lambda x, y: -_bessel("k0", x) - y / x),
    "bessel_k0e": ("exp(x) times the modified Bessel function of the second kind, order 0",
                   lambda x: _scaled_k(0, x), lambda x, y: y - _bessel("k1e", x)),
    "bessel_k1e": ("exp(x) times the modified Bessel function of the second kind, order 1",
                   lambda x: _scaled_k(1, x), lambda x, y: y - _bessel("k0e", x) - y / x),
}  # fmt: skip


def _function(name: str) -> Callable[[Tensor], Tensor]:
    doc, values, derivative = BESSEL_FUNCTIONS[name]

    def call(x: Tensor) -> Tensor:
        return float_function(name, values, [x], lambda x, out, dout: dout * derivative(x, out))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{doc}, elementwise."
    return call


bessel_i0, bessel_i0e, bessel_i1, bessel_i1e = map(_function, ("bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"))
bessel_j0, bessel_j1, bessel_y0, bessel_y1 = map(_function, ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1"))
bessel_k0, bessel_k0e, bessel_k1, bessel_k1e = map(_function, ("bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e"))


def i0(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, order 0, elementwise.

    >>> print(i0(Tensor([0.0, 1.0])))
    [1.        1.2660658]
    """
    return bessel_i0(input)
