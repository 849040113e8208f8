"""Arithmetic and reductions under MindSpore's signatures."""

import numpy as np
import pytest

from minigraph import Tensor, float64, int32, ops
from minigraph.errors import ShapeError, UsageError
from minigraph.ops.functional import math

X = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
A = X.array


@pytest.mark.parametrize("name", math.__all__)
def test_every_listed_name_is_in_ops(name):
    assert getattr(ops, name) is getattr(math, name)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
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
    ],
)
def test_values(found, expected):
    np.testing.assert_allclose(found.array, expected, rtol=1e-14)


def test_max_and_min_give_values_and_positions():
    values, positions = ops.max(X, 1)
    assert (values.tolist(), positions.tolist()) == ([3.0, 5.0], [2, 1])
    values, positions = ops.min(X)
    assert (values.item(), positions.item()) == (-6.5, 5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: ops.div(X, 2, rounding_mode="up"), UsageError, "rounding_mode is None, 'floor' or 'trunc'"),
        (lambda: ops.clip(X), UsageError, "clip: give min, max, or both"),
        (lambda: ops.bmm(X, X), ShapeError, "bmm: needs two tensors of rank 3"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
