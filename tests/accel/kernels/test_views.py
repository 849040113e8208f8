"""Views as methods of numpy's arrays, with the attributes bound."""

import numpy as np

from minigraph.accel.kernels.views import flatten_kernel, reshape_kernel, transpose_kernel

X = np.arange(24).reshape(2, 3, 4)


def test_views_are_numpys_methods():
    assert reshape_kernel(X, shape=(6, 4))(X).tolist() == X.reshape(6, 4).tolist()
    assert flatten_kernel(X, start=1, end=2)(X).shape == (2, 12)
    assert transpose_kernel(X, axes=(2, 0, 1))(X).tolist() == X.transpose(2, 0, 1).tolist()
