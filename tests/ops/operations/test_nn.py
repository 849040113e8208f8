"""Primitives of networks."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.ways import holds

X = Tensor([[1.0, 2.0], [3.0, 4.0]])
A = X.array


test_values = holds(
    (ops.ReLU()(-X), np.zeros((2, 2))), (ops.BiasAdd()(X, Tensor([10.0, 20.0])), A + np.array([10, 20]))
)


def test_softmax_along_its_axis_and_conv2d():
    # softmax along its configured axis
    np.testing.assert_allclose(ops.Softmax(axis=0)(X).array.sum(0), 1, rtol=1e-6)
    np.testing.assert_allclose(ops.LogSoftmax()(X).array, np.log(ops.Softmax()(X).array), rtol=1e-5)
    # conv2d
    x, w = Tensor(np.ones((1, 2, 4, 4), np.float32)), Tensor(np.ones((3, 2, 2, 2), np.float32))
    assert ops.Conv2D(out_channel=3, kernel_size=2)(x, w).shape == (1, 3, 3, 3)
    assert ops.Conv2D(3, 2, pad_mode="same", stride=2)(x, w).shape == (1, 3, 2, 2)
    assert ops.Conv2D(3, 2, pad_mode="pad", pad=1)(x, w).shape == (1, 3, 5, 5)
