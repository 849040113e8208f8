"""Primitives of elementary and special functions, and of complex numbers, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, float64, ops
from tests.ops.functional.checks import in_both_modes

X, Y = np.array([0.3, -0.6, 0.9]), np.array([2.0, -3.0, 0.5])
UNARY = [
    ("Asin", np.arcsin),
    ("ACos", np.arccos),
    ("Atan", np.arctan),
    ("Asinh", np.arcsinh),
    ("Atanh", np.arctanh),
    ("Sinh", np.sinh),
    ("Cosh", np.cosh),
    ("Expm1", np.expm1),
    ("Log1p", np.log1p),
]  # fmt: skip
BINARY = [
    ("Atan2", np.arctan2),
    ("Hypot", np.hypot),
    ("Xdivy", np.divide),
]  # fmt: skip


@pytest.mark.parametrize(("name", "function"), UNARY)
def test_unary_primitives(name, function):
    np.testing.assert_allclose(in_both_modes(getattr(ops, name)(), Tensor(X)), function(X), rtol=1e-9)


@pytest.mark.parametrize(("name", "function"), BINARY)
def test_binary_primitives(name, function):
    np.testing.assert_allclose(in_both_modes(getattr(ops, name)(), Tensor(X), Tensor(Y)), function(X, Y), rtol=1e-9)


def test_complex_numbers_and_probabilities():
    # complex numbers
    whole = in_both_modes(ops.Complex(), Tensor(X), Tensor(Y))
    np.testing.assert_array_equal(whole, X + 1j * Y)
    assert ops.Complex()(Tensor([1.0]), Tensor([2.0])).dtype.itemsize == 8
    np.testing.assert_allclose(in_both_modes(ops.ComplexAbs(), Tensor(whole)), np.abs(X + 1j * Y))
    assert ops.ComplexAbs()(Tensor(whole)).dtype is float64
    # probabilities
    np.testing.assert_allclose(ops.Logit(eps=0.4)(Tensor(np.array([0.1, 0.5]))).asnumpy(), [np.log(0.4 / 0.6), 0])
    np.testing.assert_allclose(ops.Logit()(Tensor(np.array([0.1]))).asnumpy(), [np.log(1 / 9)])


BESSEL = "I0 I0e I1 I1e J0 J1 K0 K0e K1 K1e Y0 Y1"
SAME = "Lgamma Digamma Igamma Igammac Zeta Polar Sinc Eps NextAfter"
FUNCTIONS = {f"Bessel{name}": f"bessel_{name.lower()}" for name in BESSEL.split()}
FUNCTIONS |= {name: name.lower() for name in SAME.split()}


@pytest.mark.parametrize(("name", "function"), FUNCTIONS.items())
def test_special_functions(name, function):
    count = 2 if name in ("Igamma", "Igammac", "Zeta", "Polar", "NextAfter") else 1
    inputs = [Tensor(np.array([1.5, 2.5])), Tensor(np.array([0.5, 3.0]))][:count]
    expected = getattr(ops, function)(*inputs).asnumpy()
    np.testing.assert_array_equal(in_both_modes(getattr(ops, name)(), *inputs), expected)


def test_functions_with_an_order():
    x = Tensor(np.array([1.5, 2.5]))
    np.testing.assert_array_equal(ops.Mvlgamma(2)(x).asnumpy(), ops.mvlgamma(x, 2).asnumpy())
    np.testing.assert_array_equal(ops.Polygamma()(Tensor(1), x).asnumpy(), ops.polygamma(Tensor(1), x).asnumpy())
