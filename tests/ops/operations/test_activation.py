"""Primitives of activation functions, against numpy or formulas."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.checks import constants_test

FIRST = Tensor([[1.0, 2.0], [3.0, 4.0]])


test_values = constants_test(
    (ops.ReLU()(-FIRST), np.zeros((2, 2))),
)


def test_softmax_along_its_configured_axis():
    np.testing.assert_allclose(ops.Softmax(axis=0)(FIRST).array.sum(0), 1, rtol=1e-6)
    np.testing.assert_allclose(ops.LogSoftmax()(FIRST).array, np.log(ops.Softmax()(FIRST).array), rtol=1e-5)


def test_two_spellings_of_gelu():
    x = Tensor(np.array([-1.0, 0.5, 2.0]))
    assert ops.Gelu()(x).tolist() == ops.GeLU()(x).tolist() and ops.FastGelu()(x).tolist() == ops.FastGeLU()(x).tolist()
