"""Primitives of elementary functions, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, ops
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


def test_logits():
    np.testing.assert_allclose(ops.Logit(eps=0.4)(Tensor(np.array([0.1, 0.5]))).asnumpy(), [np.log(0.4 / 0.6), 0])
    np.testing.assert_allclose(ops.Logit()(Tensor(np.array([0.1]))).asnumpy(), [np.log(1 / 9)])


@pytest.mark.parametrize("name", ["Sinc", "Eps", "NextAfter"])
def test_functions_of_the_same_name(name):
    inputs = [Tensor(np.array([1.5, 2.5])), Tensor(np.array([0.5, 3.0]))][: 2 if name == "NextAfter" else 1]
    expected = getattr(ops, name.lower())(*inputs).asnumpy()
    np.testing.assert_array_equal(in_both_modes(getattr(ops, name)(), *inputs), expected)
