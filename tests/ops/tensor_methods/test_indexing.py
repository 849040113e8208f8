"""Indexing methods: every form of call, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor
from tests.ops.functional.checks import gradient_test, value_test

X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)
MASK, COLUMNS = X > 0, np.array([[0, 2], [1, 1]])

CASES = [
    (lambda x: x.gather(1, Tensor(COLUMNS)), np.take_along_axis(X, COLUMNS, 1)),
    (lambda x: x.gather(dim=1, index=Tensor(COLUMNS)), np.take_along_axis(X, COLUMNS, 1)),
    (lambda x: x.gather(1, index=Tensor(COLUMNS)), np.take_along_axis(X, COLUMNS, 1)),
    (lambda x: x.gather(Tensor([1, 0]), 0), X[[1, 0]]),
    (lambda x: x.gather(input_indices=Tensor([1]), axis=1), X[:, [1]]),
    (lambda x: x.select(1, 2), X[:, 2]),
    (lambda x: x.select(Tensor(MASK), 0.0), np.where(MASK, X, 0)),
    (lambda x: x.where(Tensor(MASK), 0.0), np.where(MASK, X, 0)),
    (lambda x: x.take(Tensor([5, 99])), X.take([5, 5])),
    (lambda x: x.take(Tensor([1, 3]), 1, "wrap"), X.take([1, 3], 1, mode="wrap")),
    (lambda x: x.take([1, 0], axis=0), X.take([1, 0], 0)),
    (lambda x: x.scatter_add(1, Tensor([[0, 0]]), Tensor([[1.0, 2.0]], x.dtype)), X + np.array([[3, 0, 0], [0, 0, 0]])),
    (lambda x: x.scatter_add(Tensor([[0, 0]]), Tensor([1.0], x.dtype)), X + np.array([[1, 0, 0], [0, 0, 0]])),
    (lambda x: x.index_add(1, Tensor([0, 0]), x[:, :2], alpha=2), X + 2 * X[:, :2].sum(1, keepdims=True) * [1, 0, 0]),
    (lambda x: x.index_put((Tensor([0, 1]), [1, 1]), Tensor([9.0], x.dtype)), np.where([False, True, False], 9, X)),
    (
        lambda x: x.index_put((Tensor([0, 0]), Tensor([1, 1])), Tensor([9.0, 1.0], x.dtype), True),
        X + np.array([[0, 10, 0], [0, 0, 0]]),
    ),
    (lambda x: x.masked_scatter(Tensor(MASK), x * 10), np.array([[16, -0.6, -0.5], [-1.1, -6, -2.3]])),
    (lambda x: x.fill_diagonal(9.0), np.where(np.eye(2, 3), 9, X)),
    (lambda x: x.diagonal_scatter(Tensor([7.0, 8.0], x.dtype), 1), np.array([[1.6, 7, -0.5], [-1.1, 0.9, 8]])),
    (lambda x: x.select_scatter(x[0], 0, 1), np.stack([X[0], X[0]])),
    (lambda x: x.slice_scatter(x[:, :1], 1, 2), np.array([[1.6, -0.6, 1.6], [-1.1, 0.9, -1.1]])),
]


test_values = value_test(CASES, X, rtol=2e-5, atol=1e-6)


test_gradients = gradient_test([fn for fn, expected in CASES if np.asarray(expected).dtype.kind == "f"], X)


def test_a_wrapped_diagonal():
    tall = Tensor(np.zeros((5, 2)))
    result = tall.asnumpy().copy()
    np.fill_diagonal(result, 1, wrap=True)
    assert tall.fill_diagonal(1.0, wrap=True).tolist() == result.tolist()
