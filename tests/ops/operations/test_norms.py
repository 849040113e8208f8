"""Primitives of norms and distances, against numpy."""

import numpy as np

from minigraph import Tensor, ops
from tests.tables import cases

X = Tensor([[1.0, 2.0], [3.0, 4.0]])
X_ARRAY = X.array


@cases(
    ({"axis": [0, 1]}, np.sqrt((X_ARRAY * X_ARRAY).sum())),
    ({"axis": 1, "p": 3, "keep_dims": True}, np.cbrt((X_ARRAY**3).sum(1, keepdims=True))),
    ({"axis": -1, "p": 1}, X_ARRAY.sum(1)),
    ({"axis": 0, "p": 0}, [2.0, 2.0]),
)
def test_norms(config, expected):
    assert np.allclose(ops.LpNorm(**config)(-X).array, expected, rtol=1e-6)


def test_a_norm_is_at_least_epsilon():
    assert ops.LpNorm(0)(Tensor([0.0])).item() == np.float32(1e-12)
    assert ops.LpNorm(0, epsilon=2.0)(Tensor([1.0])).item() == 2


def test_distances():
    x = Tensor(np.arange(6.0).reshape(2, 3))
    assert ops.Pdist(1.0)(x).tolist() == [9.0] and ops.Cdist(1.0)(x, x).tolist() == [[0, 9], [9, 0]]


def test_nuclear_norm():
    norm = np.linalg.norm(X_ARRAY, "nuc")
    np.testing.assert_allclose(ops.NuclearNorm()(X).asnumpy(), norm, rtol=1e-6)
    assert ops.NuclearNorm((0, 1), True)(X).shape == (1, 1)
