"""Stacking and cutting against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, errors, ops
from tests.ops.functional.ways import slopes, values
from tests.tables import cases, refusals

X = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
M, V = X[0], X[0, 0]


CASES = [
    (lambda x: ops.hstack((x, x)), X, np.hstack((X, X))),
    (lambda x: ops.hstack((x, x)), V, np.hstack((V, V))),
    (lambda x: ops.vstack((x, x)), V, np.vstack((V, V))),
    (lambda x: ops.dstack((x, x)), M, np.dstack((M, M))),
    (lambda x: ops.column_stack((x, x)), V, np.column_stack((V, V))),
    (lambda x: ops.atleast_1d(x[0]), V, np.atleast_1d(V[0])),
    (lambda x: ops.atleast_2d(x), V, np.atleast_2d(V)),
    (lambda x: ops.atleast_3d(x), V, np.atleast_3d(V)),
    (lambda x: ops.atleast_3d(x), M, np.atleast_3d(M)),
    (lambda x: ops.narrow(x, 2, 1, 2), X, X[:, :, 1:3]),
    (lambda x: ops.slice(x, (0, 1, 2), (2, -1, 1)), X, X[:, 1:, 2:3]),
    (lambda x: ops.strided_slice(x, (0, 2, 0), (2, 0, 4), (1, -1, 2)), X, X[0:2, 2:0:-1, 0:4:2]),
    (lambda x: ops.strided_slice(x, (1, 1), (2, 3), begin_mask=1, end_mask=2), M, M[:2, 1:]),
    (lambda x: ops.strided_slice(x, (0, 1), (1, 2), shrink_axis_mask=2), M, M[0:1, 1]),
    (lambda x: ops.strided_slice(x, (0, 0, 1), (0, 0, 2), ellipsis_mask=2, new_axis_mask=1), X, X[None, ..., 1:2]),
    (lambda x: ops.take(x, Tensor([5, 0])), X, X.take([5, 0])),
]


test_values = values(CASES, rtol=0)


test_slopes = slopes([(fn, array) for fn, array, _ in CASES[::3]])


@cases(
    (ops.tensor_split(Tensor(X), 3, 2), np.array_split(X, 3, 2)),
    (ops.tensor_split(Tensor(X), (1, 3), -1), np.array_split(X, (1, 3), -1)),
    (ops.hsplit(Tensor(X), 2), np.array_split(X, 2, 1)),
    (ops.hsplit(Tensor(V), (1,)), np.hsplit(V, (1,))),
    (ops.vsplit(Tensor(X), 2), np.vsplit(X, 2)),
    (ops.dsplit(Tensor(X), 2), np.dsplit(X, 2)),
    (ops.atleast_2d([Tensor(V), Tensor(M)]), np.atleast_2d(V, M)),
)
def test_pieces(found, expected):
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]


test_refusals = refusals(
    (lambda: ops.narrow(Tensor(X), 1, 2, 2), errors.UsageError, "narrow: 2 slices from 2 are not in axis 1"),
    (lambda: ops.tensor_split(Tensor(X), 0), errors.UsageError, "tensor_split: 0 pieces; give at least 1"),
)
