"""Sums of contiguous floats are numpy's own reduction; other sums have no kernel."""

import numpy as np

from minigraph.accel.kernels.reduce import sum_kernel, sum_to_kernel
from minigraph.operators.reduce import SUM, SUM_TO
from tests.tables import every

X = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32)


@every(axis=[(0,), (0, 1)], keepdims=[False, True])
def test_sums_have_the_bits_of_the_forward(axis, keepdims):
    kernel, expected = sum_kernel(X, axis=axis, keepdims=keepdims), SUM.forward(X, axis=axis, keepdims=keepdims)
    assert np.asarray(kernel(X)).tobytes() == np.asarray(expected).tobytes()


def test_sum_to_has_the_bits_of_the_forward():
    assert sum_to_kernel(X, shape=(5,))(X).tobytes() == SUM_TO.forward(X, shape=(5,)).tobytes()
    assert sum_to_kernel(X, shape=(1, 5)) is None, "an axis of size 1 stays"


def test_which_operands_have_no_kernel():
    assert sum_kernel(X.T, axis=(0,), keepdims=False) is None
    assert sum_kernel(np.ones(3, int), axis=(0,), keepdims=False) is None
