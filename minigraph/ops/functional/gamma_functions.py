"""The gamma function and its relatives: log-gamma, polygamma, Hurwitz zeta, incomplete gamma.

Each is a node that calls numpy in float64, rounded once. The expansions are those of Abramowitz & Stegun 1964: 6.1.41
(log-gamma), 6.3.18 (digamma), 6.5.29 and 6.5.31 (incomplete gamma), and of Euler and Maclaurin, 23.1.30 (zeta).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import Array, Function
from minigraph.core.autodiff.tape import full_like
from minigraph.core.errors import ArgValueError
from minigraph.core.op import apply
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, broadcast, float32
from minigraph.operators.families import check_kinds
from minigraph.operators.pyfunc import InputInfo, Types, call_python
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where

FORMS = """
method: digamma:Digamma igamma:Igamma igammac:Igammac lgamma:Lgamma mvlgamma
function: polygamma:Polygamma zeta:Zeta
"""
export(globals())

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)  # B2, B4, ..., B16
MIN_ASYMPTOTIC_ARGUMENT = 10  # from which on eight terms of the expansions are exact in float64
MAX_TERMS = 10_000  # of the series and the continued fraction of the incomplete gamma functions
SERIES_EPSILON, MIN_DENOMINATOR = 1e-17, 1e-300  # where they end; the smallest denominator of the continued fraction


def float_function(name: str, values: Function, inputs: Sequence[Tensor], bprop: Function | None) -> Tensor:
    """A node of an elementwise numpy function of float64 arrays; the result has the dtype of the first input.

    >>> print(float_function("twice", lambda x: x + x, [Tensor([1.5])], lambda x, out, dout: dout * 2))
    [3.]
    """
    types = [TensorType(x.shape, x.dtype) for x in inputs]
    check_kinds(name, "f", *types)

    def infer(operands: Sequence[InputInfo]) -> Types:
        return (TensorType(broadcast(*(operand.shape for operand in operands)), operands[0].dtype),)

    def compute(*arrays: Array) -> Array:
        return call_ignoring_float_errors(compute_in_float64, *arrays)

    def compute_in_float64(*arrays: Array) -> Array:
        return np.asarray(values(*(a.astype(np.float64) for a in arrays))).astype(arrays[0].dtype)

    result: Tensor = call_python(name, compute, tuple(inputs), infer=infer, bprop=bprop)
    return result


def reduce_to(gradient: Tensor, x: Tensor) -> Tensor:
    """A gradient summed over the axes along which ``x`` was broadcast."""
    return gradient if gradient.shape == x.shape else apply("sum_to", gradient, shape=x.shape)


# ---- log-gamma, digamma, polygamma -----------------------------------------------------------------


def log_gamma(x: Array) -> Array:
    """log(abs(gamma(x))), infinite at its poles.

    >>> log_gamma(np.array([0.5, 5.0, -1.0])).round(6).tolist()
    [0.572365, 3.178054, inf]
    """
    return call_ignoring_float_errors(_log_gamma, x)


def _log_gamma(x: Array) -> Array:
    reflected = x < 0.5
    y = np.where(reflected, 1 - x, x)
    product, z = np.ones_like(y), y
    for _ in range(MIN_ASYMPTOTIC_ARGUMENT):
        below = z < MIN_ASYMPTOTIC_ARGUMENT
        product, z = np.where(below, product * z, product), np.where(below, z + 1, z)
    tail = sum(b / (2 * k * (2 * k - 1) * z ** (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1))
    result = (z - 0.5) * np.log(z) - z + 0.5 * math.log(2 * math.pi) + tail - np.log(product)
    result = np.where(np.isposinf(y), np.inf, result)
    mirrored = np.log(np.pi / np.abs(np.sin(np.pi * (x - np.rint(x))))) - result
    return np.where((x == 1) | (x == 2), 0.0, np.where(reflected, mirrored, result))


def _digamma(x: Array) -> Array:
    reflected = x < 0
    y = np.where(reflected, 1 - x, x)
    total, z = np.zeros_like(y), y
    for _ in range(MIN_ASYMPTOTIC_ARGUMENT + 1):
        below = z < MIN_ASYMPTOTIC_ARGUMENT
        total, z = np.where(below, total - 1 / z, total), np.where(below, z + 1, z)
    result = total + np.log(z) - 0.5 / z - sum(b / (2 * k * z ** (2 * k)) for k, b in enumerate(BERNOULLI, 1))
    result = np.where(reflected, result - np.pi / np.tan(np.pi * (x - np.rint(x))), result)
    return np.where(x == 0, -np.copysign(np.inf, x), np.where(reflected & (x == np.rint(x)), np.nan, result))


def lgamma(input: Tensor) -> Tensor:
    """log(abs(gamma(x))), elementwise; integers are converted to Float32.

    >>> print(lgamma(Tensor([4.0, 5.0])))
    [1.7917595 3.1780539]
    """
    x = input if input.dtype.is_float else cast(input, float32)
    return float_function("lgamma", log_gamma, [x], lambda x, out, dout: dout * digamma(x))


def digamma(input: Tensor) -> Tensor:
    """The derivative of ``lgamma``; -infinity at 0, NaN at negative integers.

    >>> print(digamma(Tensor([1.0, 2.0])))
    [-0.5772157   0.42278433]
    """
    return float_function("digamma", _digamma, [input], lambda x, out, dout: dout * _polygamma(1, x))


def polygamma(n: Tensor, input: Tensor) -> Tensor:
    """The n-th derivative of ``digamma``; raises ``ValueError`` for a negative n.

    >>> print(polygamma(Tensor(1), Tensor([1.0, 2.0])))
    [1.644934   0.64493406]
    """
    order = int(n.asnumpy())
    if order < 0:
        raise ArgValueError(f"polygamma: n must not be negative, got {order}")
    return digamma(input) if order == 0 else _polygamma(order, input)


def _polygamma(order: int, x: Tensor) -> Tensor:
    sign = (-1.0) ** (order + 1) * math.factorial(order)

    def values(x: Array) -> Array:
        return sign * hurwitz_zeta(np.array(order + 1.0), x)

    return float_function("polygamma", values, [x], lambda x, out, dout: dout * _polygamma(order + 1, x))


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension ``p``, elementwise; x > (p - 1) / 2.

    >>> print(mvlgamma(Tensor([3.0]), 2))
    [1.550195]
    """
    total = full_like(input, p * (p - 1) / 4 * math.log(math.pi))
    for i in range(p):
        total = total + lgamma(input - i / 2)
    return total


# ---- zeta ------------------------------------------------------------------------------------------


def hurwitz_zeta(s: Array, q: Array) -> Array:
    """The sum of 1 / (q + k)^s over k >= 0, for s > 1; infinite where q is 0 or a negative integer.

    >>> hurwitz_zeta(np.array(2.0), np.array([1.0])).round(6).tolist()
    [1.644934]
    """
    s, q = np.broadcast_arrays(s, q)
    total, z = np.zeros(q.shape), q
    for _ in range(MIN_ASYMPTOTIC_ARGUMENT + int(max(0.0, -np.min(q, initial=0.0)))):
        below = z < MIN_ASYMPTOTIC_ARGUMENT
        total, z = np.where(below, total + z**-s, total), np.where(below, z + 1, z)
    total = total + z ** (1 - s) / (s - 1) + 0.5 * z**-s
    factor = s * z ** (-s - 1) / 2
    for k, b in enumerate(BERNOULLI, 1):
        total = total + b * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / ((2 * k + 1) * (2 * k + 2)) / (z * z)
    total = np.where(s == 1, np.inf, np.where(s < 1, np.nan, total))
    total = np.where((q < 0) & (s != np.rint(s)), np.nan, total)
    return np.where((q <= 0) & (q == np.rint(q)), np.inf, total)


def zeta(input: Tensor, other: Tensor) -> Tensor:
    """The Hurwitz zeta function, the sum of 1 / (q + k)^x over k >= 0, elementwise; its gradient is that by q.

    >>> print(zeta(Tensor([2.0]), Tensor([1.0])))
    [1.644934]
    """

    def bprop(x: Tensor, q: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, Tensor]:
        return full_like(x, 0.0), reduce_to(-dout * x * zeta(x + 1, q), q)

    return float_function("zeta", hurwitz_zeta, [input, other], bprop)


# ---- incomplete gamma functions --------------------------------------------------------------------


def _series(a: Array, x: Array, slope: bool = False) -> Array:
    """The regularised lower incomplete gamma function by its series; with ``slope`` its derivative in ``a``."""
    a, x = np.broadcast_arrays(a, x)
    log_x = np.log(np.maximum(x, MIN_DENOMINATOR))
    term = np.exp(a * log_x - x - log_gamma(a + 1))
    total, psi = np.zeros(a.shape), _digamma(a + 1)
    for n in range(MAX_TERMS):
        total = total + term * (log_x - psi if slope else 1.0)
        psi, term = psi + 1 / (a + n + 1), term * x / (a + n + 1)
        if np.all((n > x) & (term <= SERIES_EPSILON) | np.isnan(term)):
            break
    return np.where(x == 0, 0.0, total)


def _fraction(a: Array, x: Array) -> Array:
    """The regularised upper incomplete gamma function by its continued fraction, for x > a + 1 (Lentz 1976)."""
    b = x + 1 - a
    c, d = np.full(b.shape, 1 / MIN_DENOMINATOR), 1 / b
    product = d
    for n in range(1, MAX_TERMS):
        factor = -n * (n - a)
        b = b + 2
        d = 1 / np.where(np.abs(factor * d + b) < MIN_DENOMINATOR, MIN_DENOMINATOR, factor * d + b)
        c = np.where(np.abs(b + factor / c) < MIN_DENOMINATOR, MIN_DENOMINATOR, b + factor / c)
        product = product * d * c
        if np.all((np.abs(d * c - 1) < 1e-16) | np.isnan(product)):
            break
    return np.exp(a * np.log(np.maximum(x, MIN_DENOMINATOR)) - x - log_gamma(a)) * product


def _lower(a: Array, x: Array) -> Array:
    a, x = np.broadcast_arrays(a, x)
    large = x > a + 1
    lower = np.where(large, 1 - _fraction(np.where(large, a, 1.0), np.where(large, x, 3.0)),
                     _series(np.where(large, 1.0, a), np.where(large, 0.5, x)))  # fmt: skip
    return np.where((x < 0) | (a <= 0), np.nan, np.where(np.isposinf(x), 1.0, lower))


def _upper(a: Array, x: Array) -> Array:
    a, x = np.broadcast_arrays(a, x)
    large = x > a + 1
    upper = np.where(large, _fraction(np.where(large, a, 1.0), np.where(large, x, 3.0)),
                     1 - _series(np.where(large, 1.0, a), np.where(large, 0.5, x)))  # fmt: skip
    return np.where((x < 0) | (a <= 0), np.nan, np.where(np.isposinf(x), 0.0, upper))


def _slope(a: Tensor, x: Tensor) -> Tensor:
    """The derivative of ``igamma`` by its first operand; it has no gradient itself."""
    return float_function("igamma_slope", lambda a, x: _series(a, x, slope=True), [a, x], None)


def _incomplete(name: str, values: Function, sign: float) -> Function:
    def bprop(a: Tensor, x: Tensor, out: Tensor, dout: Tensor) -> tuple[Tensor, Tensor]:
        positive = where(x == 0, 1.0, x)
        density = apply("exp", (a - 1) * apply("log", positive) - x - lgamma(a))
        return reduce_to(dout * sign * _slope(a, x), a), reduce_to(dout * sign * where(x == 0, 0.0, density), x)

    def function(input: Tensor, other: Tensor) -> Tensor:
        return float_function(name, values, [input, other], bprop)

    return function


def igamma(input: Tensor, other: Tensor) -> Tensor:
    """The regularised lower incomplete gamma function of a and x, elementwise.

    >>> print(igamma(Tensor([2.0]), Tensor([3.0])))
    [0.8008517]
    """
    result: Tensor = _incomplete("igamma", _lower, 1.0)(input, other)
    return result


def igammac(input: Tensor, other: Tensor) -> Tensor:
    """1 - ``igamma``, without cancellation.

    >>> print(igammac(Tensor([2.0]), Tensor([3.0])))
    [0.19914827]
    """
    result: Tensor = _incomplete("igammac", _upper, -1.0)(input, other)
    return result
