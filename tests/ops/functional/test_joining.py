"""Joining and splitting against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, errors, ops
from tests.ops.functional.checks import constants_test, gradient_test, value_test
from tests.tables import cases, error_cases

TENSOR = Tensor(np.arange(24.0).reshape(2, 3, 4))
ARRAY = TENSOR.array


test_values = constants_test(
    (ops.cat((TENSOR, TENSOR), -1), np.concatenate([ARRAY, ARRAY], -1)),
)


def test_splitting():
    assert [t.tolist() for t in ops.chunk(Tensor([1, 2, 3, 4, 5]), 2)] == [[1, 2, 3], [4, 5]]
    assert [t.shape for t in ops.unstack(TENSOR, 1)] == [(2, 4)] * 3
    assert [t.shape for t in ops.split(TENSOR, (1, 2), 1)] == [(2, 1, 4), (2, 2, 4)]


CUBE = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
PLANE, ROW = CUBE[0], CUBE[0, 0]
SLICE_CASES = [
    (lambda x: ops.hstack((x, x)), CUBE, np.hstack((CUBE, CUBE))),
    (lambda x: ops.hstack((x, x)), ROW, np.hstack((ROW, ROW))),
    (lambda x: ops.vstack((x, x)), ROW, np.vstack((ROW, ROW))),
    (lambda x: ops.dstack((x, x)), PLANE, np.dstack((PLANE, PLANE))),
    (lambda x: ops.column_stack((x, x)), ROW, np.column_stack((ROW, ROW))),
    (lambda x: ops.atleast_1d(x[0]), ROW, np.atleast_1d(ROW[0])),
    (lambda x: ops.atleast_2d(x), ROW, np.atleast_2d(ROW)),
    (lambda x: ops.atleast_3d(x), ROW, np.atleast_3d(ROW)),
    (lambda x: ops.atleast_3d(x), PLANE, np.atleast_3d(PLANE)),
]


test_values_of_slices = value_test(SLICE_CASES, rtol=0)


test_gradients = gradient_test([(fn, array) for fn, array, _ in SLICE_CASES[::3]])


@cases(
    (ops.tensor_split(Tensor(CUBE), 3, 2), np.array_split(CUBE, 3, 2)),
    (ops.tensor_split(Tensor(CUBE), (1, 3), -1), np.array_split(CUBE, (1, 3), -1)),
    (ops.hsplit(Tensor(CUBE), 2), np.array_split(CUBE, 2, 1)),
    (ops.hsplit(Tensor(ROW), (1,)), np.hsplit(ROW, (1,))),
    (ops.vsplit(Tensor(CUBE), 2), np.vsplit(CUBE, 2)),
    (ops.dsplit(Tensor(CUBE), 2), np.dsplit(CUBE, 2)),
    (ops.atleast_2d([Tensor(ROW), Tensor(PLANE)]), np.atleast_2d(ROW, PLANE)),
)
def test_sections(chunks, expected):
    assert [tensor.tolist() for tensor in chunks] == [tensor.tolist() for tensor in expected]


test_errors = error_cases(
    (lambda: ops.tensor_split(Tensor(CUBE), 0), errors.UsageError, "tensor_split: 0 sections; pass at least 1"),
)
