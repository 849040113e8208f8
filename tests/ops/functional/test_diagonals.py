"""Diagonals, triangles and bands of matrices against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, errors, int32, int64, ops
from minigraph.core.errors import UsageError
from tests.ops.functional.checks import constants_test, gradient_test, value_test
from tests.tables import cases, error_cases

TENSOR = Tensor(np.arange(24.0).reshape(2, 3, 4))
ARRAY = TENSOR.array


test_values = constants_test(
    (ops.tril(TENSOR), np.tril(ARRAY)),
    (ops.triu(TENSOR, 1), np.triu(ARRAY, 1)),
)


CUBE = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
MATRIX, VECTOR = CUBE[0], np.array([1.0, -2.0, 3.0], np.float32)
ARRAY_CASES = [
    (lambda x: ops.diagonal(x), MATRIX, np.diagonal(MATRIX)),
    (lambda x: ops.diagonal(x, 1), CUBE, np.diagonal(CUBE, 1)),
    (lambda x: ops.diagonal(x, -1, 1, 2), CUBE, np.diagonal(CUBE, -1, 1, 2)),
    (lambda x: ops.diagonal(x, 9), MATRIX, np.diagonal(MATRIX, 9)),
    (lambda x: ops.diag(x), VECTOR, np.diag(VECTOR)),
    (lambda x: ops.diag(x), MATRIX[:2, :2], np.diag(MATRIX[:2, :2].ravel()).reshape(2, 2, 2, 2)),
    (lambda x: ops.diagflat(x, 1), VECTOR, np.diagflat(VECTOR, 1)),
    (lambda x: ops.diag_embed(x, -1), VECTOR, np.diag(VECTOR, -1)),
    (lambda x: ops.diag_embed(x), MATRIX, np.stack([np.diag(row) for row in MATRIX])),
    (lambda x: ops.diag_embed(x, 0, 0, 2), MATRIX, np.stack([np.diag(row) for row in MATRIX]).transpose(1, 0, 2)),
    (
        lambda x: ops.block_diag(x, x[:1]),
        MATRIX,
        np.block([[MATRIX, np.zeros((3, 4))], [np.zeros((1, 4)), MATRIX[:1]]]),
    ),
    (lambda x: ops.block_diag(x, x), VECTOR, np.block([[VECTOR, VECTOR * 0], [VECTOR * 0, VECTOR]])),
]


test_values_of_grids = value_test(ARRAY_CASES, rtol=1e-6)


test_gradients = gradient_test([(fn, array) for fn, array, _ in ARRAY_CASES])


@cases(
    (ops.tril_indices(3, 2, 1), np.stack(np.tril_indices(3, 1, 2))),
    (ops.triu_indices(3, 3, dtype=int32), np.stack(np.triu_indices(3)).astype(np.int32)),
)
def test_indices_and_masks(tensor, expected):
    assert tensor.asnumpy().dtype == expected.dtype
    np.testing.assert_allclose(tensor.asnumpy(), expected, rtol=1e-6)


def test_dtype_of_indices():
    assert ops.tril_indices(2, 2).dtype is int64


test_errors = error_cases(
    (lambda: ops.diagonal(Tensor(MATRIX), 0, 1, 1), UsageError, "both axis 1; give two different axes"),
)


RANDOM = np.random.default_rng(3)
GENERAL = RANDOM.standard_normal((3, 3))
DIAGONAL = np.array([1.0, 2.0, 4.0])
MATRIX_CASES = [
    (lambda x: ops.matrix_diag(x), DIAGONAL, np.diag(DIAGONAL)),
    (lambda x: ops.matrix_diag(x, -1), DIAGONAL, np.diag(DIAGONAL, -1)),
    (lambda x: ops.matrix_diag(x, 0, 3, 5), DIAGONAL, np.pad(np.diag(DIAGONAL), ((0, 0), (0, 2)))),
    (lambda x: ops.matrix_diag(x, 0, padding_value=9), DIAGONAL, np.where(np.eye(3) > 0, np.diag(DIAGONAL), 9)),
    (lambda x: ops.matrix_diag_part(x, 1), GENERAL, np.diagonal(GENERAL, 1)),
    (
        lambda x: ops.matrix_set_diag(x, Tensor(DIAGONAL)),
        GENERAL,
        GENERAL - np.diag(np.diag(GENERAL)) + np.diag(DIAGONAL),
    ),
    (lambda x: ops.matrix_band_part(x, 1, 0), GENERAL, np.tril(GENERAL) - np.tril(GENERAL, -2)),
    (lambda x: ops.matrix_band_part(x, -1, Tensor(1)), GENERAL, np.tril(GENERAL, 1)),
]


test_values_of_systems = value_test(MATRIX_CASES, rtol=1e-9, atol=1e-9)


test_gradients_of_systems = gradient_test([(fn, array) for fn, array, _ in MATRIX_CASES])


test_refusals_of_systems = error_cases(
    (
        lambda: ops.matrix_diag(Tensor(DIAGONAL), Tensor([0, 1])),
        errors.UsageError,
        "matrix_diag: expected one diagonal",
    ),
)
