"""Arithmetic and reductions under MindSpore's signatures."""

import numpy as np

from minigraph import Tensor, bool_, errors, float16, float32, float64, grad, int32, int64, ops
from tests.ops.functional.ways import holds
from tests.tables import cases, refusals

X = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
A = X.array


test_values = holds(
    (ops.div(X, 2), A / 2),
    (ops.div(X, 2, rounding_mode="floor"), A // 2),
    (ops.div(X, 2, rounding_mode="trunc"), np.trunc(A / 2)),
    (ops.pow(X, 2), A**2),
    (ops.clip(X, -1, 2), np.clip(A, -1, 2)),
    (ops.clamp(X, max=1.0), np.minimum(A, 1)),
    (ops.cast(X, int32), A.astype(np.int32)),
    (ops.where(X > 0, X, 0), np.where(A > 0, A, 0)),
    (ops.masked_fill(X, X < 0, 9.0), np.where(A < 0, 9, A)),
    (ops.sum(X), A.sum()),
    (ops.sum(X, 1, True), A.sum(1, keepdims=True)),
    (ops.sum(Tensor([1, 2]), dtype=float64), 3.0),
    (ops.amax(X, 0), A.max(0)),
    (ops.amin(X), A.min()),
    (ops.argmax(X, 1), A.argmax(1)),
    (ops.argmax(X, 0, True), A.argmax(0)[None]),
    (ops.argmin(X, 1, True), A.argmin(1)[:, None]),
    (ops.var(X), A.var()),
    (ops.var(X, 1, 1), A.var(1, ddof=1)),
    (ops.std(X, 0, keepdims=True), A.std(0, keepdims=True)),
    (ops.outer(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])), np.outer([1, 2], [3, 4])),
    (ops.bmm(X.reshape(1, 2, 3), X.reshape(1, 3, 2)), A.reshape(1, 2, 3) @ A.reshape(1, 3, 2)),
    (ops.floor(X), np.floor(A)),
    (ops.eq(X, 0.0), A == 0),
    rtol=1e-14,
)


def test_extremes_their_positions_and_gradients_at_ties_and_bounds():
    # max and min give values and positions
    values, positions = ops.max(X, 1)
    assert (values.tolist(), positions.tolist()) == ([3.0, 5.0], [2, 1])
    values, positions = ops.min(X)
    assert (values.item(), positions.item()) == (-6.5, 0)  # as MindSpore documents it
    # gradients where elements tie and at bounds
    # of equal elements the first gets the gradient of an axis
    ties = Tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]])
    assert grad(lambda x: ops.max(x, 1)[0])(ties).tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    assert grad(lambda x: ops.min(-x, 1)[0])(ties).tolist() == [[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]]
    assert grad(lambda x: ops.amax(x, 1))(ties).tolist() == [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0]]
    # a bound passes the whole gradient of clip and half of clip by value
    x = Tensor([-1.0, 0.0, 1.0, 2.0])
    assert grad(lambda x: ops.clip(x, -1, 1))(x).tolist() == [1.0, 1.0, 1.0, 0.0]
    assert grad(lambda x: ops.clip_by_value(x, -1, 1))(x).tolist() == [0.5, 1.0, 0.5, 0.0]


@cases(
    (lambda: ops.argmin(X), int32),
    (lambda: ops.argmax(X), int64),
    (lambda: ops.min(X, 1)[1], int64),
    (lambda: ops.reduce_sum(Tensor([True, True])), bool_),
    (lambda: ops.sum(Tensor([1, 2]), dtype=int32), int32),
    (lambda: ops.div(Tensor([-7]), 2, rounding_mode="trunc"), int64),
    (lambda: ops.masked_fill(X, X > 0, 1), float64),
    (lambda: ops.std(Tensor([1.0, 2.0], float16)), float16),
    (lambda: ops.var(Tensor([1, 2])), float32),
)
def test_dtypes(made, dtype):
    assert made().dtype is dtype


def test_halves_do_not_overflow_and_whole_numbers_are_divided_towards_zero():
    # a variance of halves does not overflow
    assert ops.var(Tensor([0.0, 1000.0], float16)).item() == np.inf  # 250,000 is no float16
    assert ops.std(Tensor([0.0, 1000.0], float16)).item() == 500.0
    # whole numbers are divided towards zero
    assert ops.div(Tensor([-7, 7, 6]), Tensor([2, -2, -2]), rounding_mode="trunc").tolist() == [-3, -3, -3]


test_refusals = refusals(
    (lambda: ops.div(X, 2, rounding_mode="up"), errors.UsageError, "rounding_mode is None, 'floor' or 'trunc'"),
    (lambda: ops.clip(X), errors.UsageError, "clip: give a lower bound, an upper bound, or both"),
    (lambda: ops.bmm(X, X), errors.ShapeError, "bmm: needs two tensors of rank 3"),
    (lambda: ops.masked_fill(Tensor([1]), Tensor([True]), 0.5), TypeError, "cast the tensor to a float"),
)
