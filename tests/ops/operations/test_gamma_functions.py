"""Primitives of gamma and zeta functions equal the functions of ``ops`` in both modes."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes

X, Y = Tensor(np.array([1.5, 2.5])), Tensor(np.array([0.5, 3.0]))


@pytest.mark.parametrize(("name", "count"), [("Lgamma", 1), ("Digamma", 1), ("Igamma", 2), ("Igammac", 2), ("Zeta", 2)])
def test_gamma_functions(name, count):
    expected = getattr(ops, name.lower())(*(X, Y)[:count]).asnumpy()
    np.testing.assert_array_equal(in_both_modes(getattr(ops, name)(), *(X, Y)[:count]), expected)


def test_functions_with_an_order():
    np.testing.assert_array_equal(ops.Mvlgamma(2)(X).asnumpy(), ops.mvlgamma(X, 2).asnumpy())
    np.testing.assert_array_equal(ops.Polygamma()(Tensor(1), X).asnumpy(), ops.polygamma(Tensor(1), X).asnumpy())
