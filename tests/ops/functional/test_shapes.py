"""Shapes and permuted axes against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, ops
from minigraph.core.errors import ShapeError, UsageError
from tests.ops.functional.checks import constants_test, gradient_test, value_test
from tests.tables import cases, error_cases

TENSOR = Tensor(np.arange(24.0).reshape(2, 3, 4))
ARRAY = TENSOR.array


test_values = constants_test(
    (ops.reshape(TENSOR, (6, -1)), ARRAY.reshape(6, 4)),
    (ops.flatten(TENSOR), ARRAY.reshape(2, 12)),
    (ops.flatten(TENSOR, start_dim=0), ARRAY.reshape(24)),
    (ops.flatten(Tensor(3.0)), [3.0]),
    (ops.transpose(TENSOR, (2, 0, 1)), ARRAY.transpose(2, 0, 1)),
    (ops.permute(TENSOR, (1, 0, 2)), ARRAY.transpose(1, 0, 2)),
    (ops.swapaxes(TENSOR, 0, -1), ARRAY.swapaxes(0, -1)),
    (ops.unsqueeze(TENSOR, 1), ARRAY[:, None]),
    (ops.squeeze(ops.expand_dims(TENSOR, 0)), ARRAY),
    (ops.broadcast_to(TENSOR, (5, -1, -1, -1)), np.broadcast_to(ARRAY, (5, 2, 3, 4))),
    (ops.tile(TENSOR, (2, 1, 1, 3)), np.tile(ARRAY, (2, 1, 1, 3))),
    (ops.tile(TENSOR, (2,)), np.tile(ARRAY, (2,))),
)


def test_sizes():
    assert (ops.size(TENSOR), ops.shape(TENSOR), ops.rank(TENSOR)) == (24, (2, 3, 4), 3)


test_errors = error_cases(
    (lambda: ops.flatten(TENSOR, "A"), UsageError, "order is 'C' or 'F', got 'A'"),
)


CUBE = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
MATRIX, VECTOR = CUBE[0], np.array([1.0, -2.0, 3.0], np.float32)


@cases(
    (ops.dyn_shape(Tensor(MATRIX)), np.array([3, 4])),
)
def test_values_and_dtypes(tensor, expected):
    assert tensor.asnumpy().dtype == expected.dtype
    np.testing.assert_allclose(tensor.asnumpy(), expected, rtol=1e-6)


def test_numel():
    assert ops.numel(Tensor(MATRIX)) == 12


PLANE, ROW = CUBE[0], CUBE[0, 0]
SHAPE_CASES = [
    (lambda x: ops.expand(x, Tensor([3, 4])), ROW, np.broadcast_to(ROW, (3, 4))),
    (lambda x: ops.expand_as(x, Tensor(PLANE)), ROW, np.broadcast_to(ROW, PLANE.shape)),
    (lambda x: ops.view_as(x, Tensor(PLANE.T)), PLANE, PLANE.reshape(4, 3)),
    (lambda x: ops.ravel(x), CUBE, CUBE.ravel()),
    (lambda x: ops.moveaxis(x, 0, 2), CUBE, np.moveaxis(CUBE, 0, 2)),
    (lambda x: ops.movedim(x, (0, 1), (-1, 0)), CUBE, np.moveaxis(CUBE, (0, 1), (-1, 0))),
    (lambda x: ops.swapdims(x, 0, 2), CUBE, CUBE.swapaxes(0, 2)),
    (lambda x: ops.t(x), PLANE, PLANE.T),
    (lambda x: ops.t(x), ROW, ROW),
]


test_values_of_axes = value_test(SHAPE_CASES, rtol=0)


test_gradients = gradient_test([(fn, array) for fn, array, _ in SHAPE_CASES[::3]])


test_refusals_of_axes = error_cases(
    (lambda: ops.moveaxis(Tensor(CUBE), (0, 1), 2), UsageError, "moveaxis: 2 axes to 1 positions"),
    (lambda: ops.t(Tensor(CUBE)), ShapeError, r"t: needs at most two axes, got f32\[2,3,4\]; use swapaxes"),
)
