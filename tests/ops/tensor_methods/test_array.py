"""Array methods: every form of call, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, int32
from tests.ops.functional.checks import gradient_test, value_test

X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)

CASES = [
    (lambda x: x.diagonal(-1), np.diagonal(X, -1)),
    (lambda x: x.split([1, 2], 1)[1], X[:, 1:]),
    (lambda x: x.split(split_size=2, axis=1)[0], X[:, :2]),
    (lambda x: x.tile(2, 1), np.tile(X, (2, 1))),
    (lambda x: x.tile((1, 2)), np.tile(X, (1, 2))),
    (lambda x: x.repeat(2), X.repeat(2)),
    (lambda x: x.repeat(2, 0), X.repeat(2, 0)),
    (lambda x: x.repeat(2, axis=1), X.repeat(2, 1)),
    (lambda x: x.repeat((2, 2)), np.tile(X, (2, 2))),
    (lambda x: x.flip(0, 1), X[::-1, ::-1]),
    (lambda x: x.flip((1,)), X[:, ::-1]),
    (lambda x: x.resize(2, 2), np.resize(X, (2, 2))),
    (lambda x: x.resize((2, 4)), np.append(X, [0, 0]).reshape(2, 4)),
    (lambda x: x.reshape_as(Tensor(X.T)), X.reshape(3, 2)),
    (lambda x: x.sum_to_size((1, 3)), X.sum(0, keepdims=True)),
    (lambda x: x.topk(1)[0], X.max(1, keepdims=True)),
    (lambda x: x.topk(1, 0, False)[0], X.min(0, keepdims=True)),
    (lambda x: x.sort(0, True)[0], np.sort(X, 0)[::-1]),
]


test_values = value_test(CASES, X, rtol=2e-5, atol=1e-6)


test_gradients = gradient_test([fn for fn, _ in CASES], X)


def test_searching_a_sorted_tensor():
    result = Tensor([1.0, 2.0, 3.0]).searchsorted(Tensor([2.0]), side="right")
    assert (result.tolist(), result.dtype) == ([2], int32)


def test_unique():
    x = Tensor([[3, 1], [3, 3]])
    values, inverse, counts = x.unique(return_inverse=True, return_counts=True)
    assert [values.tolist(), inverse.tolist(), counts.tolist()] == [[1, 3], [[1, 0], [1, 1]], [1, 3]]
    assert (x.unique().tolist(), x.unique(dim=0, return_inverse=True)[1].tolist()) == ([1, 3], [0, 1])
