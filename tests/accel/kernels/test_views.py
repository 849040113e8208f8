"""Views as bound methods: attributes are filled in, nothing is asked."""

import numpy as np

from minigraph.accel.kernels.views import flattener, reshaper, transposer

X = np.arange(24).reshape(2, 3, 4)


def test_views_are_numpys_methods():
    assert reshaper(X, shape=(6, 4))(X).tolist() == X.reshape(6, 4).tolist()
    assert flattener(X, start=1, end=2)(X).shape == (2, 12)
    assert transposer(X, axes=(2, 0, 1))(X).tolist() == X.transpose(2, 0, 1).tolist()
