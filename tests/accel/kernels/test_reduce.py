"""Sums of floats in C order are numpy's own reduction; others have to be looked at."""

import numpy as np

from minigraph.accel.kernels.reduce import summer, summer_to
from minigraph.operators.reduce import SUM, SUM_TO
from tests.tables import every

X = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32)


@every(axis=[(0,), (0, 1)], keepdims=[False, True])
def test_sums_have_the_bits_of_the_forward(axis, keepdims):
    kernel, want = summer(X, axis=axis, keepdims=keepdims), SUM.forward(X, axis=axis, keepdims=keepdims)
    assert np.asarray(kernel(X)).tobytes() == np.asarray(want).tobytes()


def test_a_broadcast_is_undone():
    assert summer_to(X, shape=(5,))(X).tobytes() == SUM_TO.forward(X, shape=(5,)).tobytes()
    assert summer_to(X, shape=(1, 5)) is None, "an axis of size 1 stays"


def test_who_has_to_be_looked_at():
    assert summer(X.T, axis=(0,), keepdims=False) is None
    assert summer(np.ones(3, int), axis=(0,), keepdims=False) is None
