"""Primitives of complex numbers, against numpy."""

import numpy as np

from minigraph import Tensor, float64, ops
from tests.ops.functional.checks import in_both_modes

X, Y = np.array([0.3, -0.6, 0.9]), np.array([2.0, -3.0, 0.5])


def test_complex_numbers():
    z = in_both_modes(ops.Complex(), Tensor(X), Tensor(Y))
    np.testing.assert_array_equal(z, X + 1j * Y)
    assert ops.Complex()(Tensor([1.0]), Tensor([2.0])).dtype.itemsize == 8
    np.testing.assert_allclose(in_both_modes(ops.ComplexAbs(), Tensor(z)), np.abs(X + 1j * Y))
    assert ops.ComplexAbs()(Tensor(z)).dtype is float64


def test_polar_coordinates():
    inputs = Tensor(np.array([1.5, 2.5])), Tensor(np.array([0.5, 3.0]))
    np.testing.assert_array_equal(in_both_modes(ops.Polar(), *inputs), ops.polar(*inputs).asnumpy())
