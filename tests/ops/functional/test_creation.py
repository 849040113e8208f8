"""Tensors created from numbers, ranges and grids, against numpy, in both modes."""

import numpy as np

from minigraph import Tensor, float16, float32, float64, int32, int64, ops
from minigraph.core.errors import UsageError
from tests.ops.functional.checks import constants_test, gradient_test, value_test
from tests.tables import cases, error_cases

TENSOR = Tensor(np.arange(24.0).reshape(2, 3, 4))
ARRAY = TENSOR.array


test_values = constants_test(
    (ops.one_hot(Tensor([0, 2]), 3), np.eye(3)[[0, 2]]),
    (ops.one_hot(Tensor([1]), 2, 5.0, -1.0), [[-1.0, 5.0]]),
    (ops.arange(3), [0, 1, 2]),
    (ops.arange(1.0, 2.0, 0.5), [1.0, 1.5]),
    (ops.eye(2, 3), np.eye(2, 3)),
    (ops.full((2,), 1.5), [1.5, 1.5]),
    (ops.zeros_like(TENSOR), np.zeros_like(ARRAY)),
)


@cases(
    (ops.zeros(2), float32),
    (ops.ones((1,), float16), float16),
    (ops.full((1,), 1), int64),
    (ops.full((1,), 1.0, dtype=float64), float64),
    (ops.ones_like(TENSOR), float64),
    (ops.arange(2), int64),
    (ops.arange(2.0), float32),
    (ops.one_hot(Tensor([0]), 2), int64),
    (ops.eye(2), float32),
)  # fmt: skip
def test_dtypes(tensor, dtype):
    assert tensor.dtype is dtype


CUBE = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
MATRIX, VECTOR = CUBE[0], np.array([1.0, -2.0, 3.0], np.float32)
ARRAY_CASES = [
    (lambda x: ops.vander(x), VECTOR, np.vander(VECTOR)),
    (lambda x: ops.vander(x, 2), VECTOR, np.vander(VECTOR, 2)),
    (lambda x: ops.meshgrid(x, x[:2])[1], VECTOR, np.meshgrid(VECTOR, VECTOR[:2])[1]),
    (lambda x: ops.meshgrid(x, x[:2], indexing="ij")[0], VECTOR, np.meshgrid(VECTOR, VECTOR[:2], indexing="ij")[0]),
    (lambda x: ops.meshgrid((x, x[:2], x))[2], VECTOR, np.meshgrid(VECTOR, VECTOR[:2], VECTOR)[2]),
    (lambda x: ops.combinations(x), VECTOR, [[1.0, -2.0], [1.0, 3.0], [-2.0, 3.0]]),
    (lambda x: ops.combinations(x, 1, True), VECTOR, VECTOR[:, None]),
    (lambda x: ops.cartesian_prod(x, x[:1]), VECTOR, [[1.0, 1.0], [-2.0, 1.0], [3.0, 1.0]]),
    (lambda x: ops.cartesian_prod(x), VECTOR, VECTOR),
    (lambda x: ops.fills(x, 2.5), MATRIX, np.full_like(MATRIX, 2.5)),
]


test_values_of_grids = value_test(ARRAY_CASES, rtol=1e-6)


test_gradients = gradient_test([(fn, array) for fn, array, _ in ARRAY_CASES[2:-1]])


@cases(
    (ops.linspace(0, 1, 5), np.linspace(0, 1, 5, dtype=np.float32)),
    (ops.linspace(Tensor(2.0), Tensor(4.0), 3), np.float32([2, 3, 4])),
    (ops.linspace(3, 9, 1), np.float32([3])),
    (ops.logspace(0, 2, 3), np.float32([1, 10, 100])),
    (ops.range(0, 7, 3), np.array([0, 3, 6])),
    (ops.range(Tensor(1.0), Tensor(2.0), Tensor(0.5)), np.float32([1, 1.5])),
    (ops.sequence_mask(Tensor([1, 3])), np.array([[True, False, False], [True, True, True]])),
    (ops.sequence_mask(Tensor([1]), 2), np.array([[True, False]])),
    (ops.fill(float16, (2,), 3), np.float16([3, 3])),
    (ops.scalar_to_tensor(3), np.float32(3)),
    (ops.scalar_to_tensor(3, int32), np.int32(3)),
    (ops.tuple_to_array((1, 2)), np.int32([1, 2])),
    (ops.tuple_to_array((1, 2.5)), np.float32([1, 2.5])),
)
def test_created_tensors(tensor, expected):
    assert tensor.asnumpy().dtype == expected.dtype
    np.testing.assert_allclose(tensor.asnumpy(), expected, rtol=1e-6)


test_errors = error_cases(
    (lambda: ops.meshgrid(Tensor(VECTOR), indexing="x"), UsageError, "meshgrid: indexing is 'xy' or 'ij', got 'x'"),
    (lambda: ops.linspace(0, 1, 0), UsageError, "linspace: 0 steps; pass at least 1"),
)
