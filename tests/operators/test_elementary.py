"""Elementary functions at special values, which the every-operator tests do not check."""

import math

import numpy as np
import pytest
from scipy import special

from minigraph import Tensor, grad
from minigraph.core.op import apply
from minigraph.operators import elementary


def test_the_inverse_of_the_error_function_is_exact_to_the_last_bits():
    x = np.concatenate([np.linspace(-0.999999, 0.999999, 2001), [1e-300, -1e-12, 1 - 1e-9]])
    result = elementary.ERFINV.forward(x)
    np.testing.assert_allclose(result, special.erfinv(x), rtol=5e-9)
    np.testing.assert_allclose(special.erf(result), x, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize(("x", "expected"), [(1.0, math.inf), (-1.0, -math.inf), (1.5, math.nan), (0.0, 0.0)])
def test_it_is_infinite_at_1_and_nan_beyond(x, expected):
    np.testing.assert_equal(elementary.ERFINV.forward(np.array([x]))[0], expected)


def test_signs_bits_and_slopes_of_negative_numbers():
    # remainders have the sign of the dividend
    x, y = Tensor([5, -5, 5, -5]), Tensor([3, 3, -3, -3])
    assert apply("fmod", x, y).tolist() == [2, -2, 2, -2]
    # bits of negative numbers
    assert apply("bitwise_right_shift", Tensor([-8, 8]), Tensor([1, 1])).tolist() == [-4, 4]
    assert apply("invert", Tensor([True, False])).tolist() == [False, True]
    # copysign: a copied sign negates the gradient
    assert grad(lambda x: apply("copysign", x, Tensor([-1.0, 1.0])))(Tensor([2.0, -3.0])).tolist() == [-1.0, -1.0]
