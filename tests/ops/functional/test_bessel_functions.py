"""Bessel functions: MindSpore's numbers, identities on both sides of the switch of methods, and gradients."""

import numpy as np
import pytest

from minigraph import Tensor, grad, ops
from minigraph.ops.functional.bessel_functions import BESSEL_FUNCTIONS, MIN_ASYMPTOTIC_X
from tests.ops.functional.checks import in_both_modes

POINTS = np.array([0.01, 0.7, 3.0, 11.0, MIN_ASYMPTOTIC_X - 0.1, MIN_ASYMPTOTIC_X + 0.1, 60.0, 300.0])


def test_mindspores_numbers():
    expected = [1.0, 0.7651976943016052, 0.22389079630374908, -0.2600519359111786, -0.39714983105659485]
    np.testing.assert_allclose(ops.bessel_j0(ops.arange(5).astype(Tensor(1.0).dtype)).asnumpy(), expected, rtol=2e-6)
    expected = [1.6361536979675293, 1.0334768295288086, 0.8065634965896606]
    np.testing.assert_allclose(ops.bessel_k1e(Tensor([1.0, 2.0, 3.0])).asnumpy(), expected, rtol=1e-6)
    expected = [-0.7812128067016602, -0.10703243315219879, 0.3246743977069855]
    np.testing.assert_allclose(ops.bessel_y1(Tensor([1.0, 2.0, 3.0])).asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(ops.i0(Tensor([2.0, 5.0])).asnumpy(), [2.279585361480713, 27.2398738861084], rtol=1e-6)


def test_wronskians():
    """Abramowitz & Stegun 9.1.16 and 9.6.15."""
    x = Tensor(POINTS)
    first = ops.bessel_j1(x) * ops.bessel_y0(x) - ops.bessel_j0(x) * ops.bessel_y1(x)
    np.testing.assert_allclose(first.asnumpy(), 2 / (np.pi * POINTS), rtol=1e-11)
    second = ops.bessel_i0e(x) * ops.bessel_k1e(x) + ops.bessel_i1e(x) * ops.bessel_k0e(x)
    np.testing.assert_allclose(second.asnumpy(), 1 / POINTS, rtol=1e-12)


@pytest.mark.parametrize("name", BESSEL_FUNCTIONS)
def test_gradient_is_the_slope(name):
    function, at = getattr(ops, name), POINTS[1:5]
    slope = (function(Tensor(at + 1e-5)) - function(Tensor(at - 1e-5))).asnumpy() / 2e-5
    gradient = grad(lambda x: function(x).sum())(Tensor(at)).asnumpy()
    np.testing.assert_allclose(gradient, slope, rtol=1e-7, atol=1e-9)
    assert in_both_modes(function, Tensor(at)).shape == at.shape


def test_zero_infinity_and_negative_numbers():
    edges = Tensor([0.0, np.inf, -1.0])
    assert ops.bessel_j0(edges).tolist()[:2] == [1.0, 0.0]
    assert ops.bessel_y0(edges).tolist()[:2] == [-np.inf, 0.0] and np.isnan(ops.bessel_y0(edges)[2].item())
    assert ops.bessel_k0e(edges)[0].item() == np.inf and np.isnan(ops.bessel_k0(edges)[2].item())
    assert ops.bessel_j1(Tensor([0.0, 2.0])).tolist() == (-ops.bessel_j1(Tensor([-0.0, -2.0]))).tolist()
    assert ops.bessel_i1(Tensor([0.0, 2.0])).tolist() == (-ops.bessel_i1(Tensor([-0.0, -2.0]))).tolist()
