"""The incomplete beta function, against closed forms."""

import numpy as np

import minigraph as ms
from minigraph import Tensor, ops


def test_values_and_slope():
    x = Tensor(np.array([0.0, 0.2, 0.5, 0.9, 1.0, 1.5]))
    values = x.asnumpy()
    result = ops.Betainc()(Tensor(np.full(6, 2.0)), Tensor(np.ones(6)), x).asnumpy()
    np.testing.assert_allclose(result[:5], values[:5] ** 2, atol=1e-12)
    assert np.isnan(result[5])
    two = Tensor(np.full(3, 2.0))
    slope = ms.grad(lambda y: ops.Betainc()(two, two * 1.5, y).sum())(x[1:4])
    np.testing.assert_allclose(slope.asnumpy(), 12 * values[1:4] * (1 - values[1:4]) ** 2, rtol=1e-10)
