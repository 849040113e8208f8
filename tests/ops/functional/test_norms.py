"""Norms and distances against numpy, in both modes, with gradients."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from minigraph import Tensor, errors, float64, ops
from tests.ops.functional.checks import check_gradient, gradient_test, value_test
from tests.ops.functional.test_matrix_products import A, B, T, V
from tests.tables import error_cases

CASES = [(ops.cdist, (A, B), cdist(A, B)), (ops.dist, (A, B), np.linalg.norm(A - B))]
WITH_OPTIONS = [
    (lambda a, b: ops.cdist(a, b, 1.0), cdist(A, B, "cityblock")),
    (lambda a, b: ops.norm(a), np.linalg.norm(A)),
    (lambda a, b: ops.norm(a, 1), np.linalg.norm(A, 1)),
    (lambda a, b: ops.norm(a, -math.inf), np.linalg.norm(A, -np.inf)),
    (lambda a, b: ops.norm(a, 2, 1), np.linalg.norm(A, 2, 1)),
    (lambda a, b: ops.norm(a, 3, 0, True), np.linalg.norm(A, 3, 0, True)),
    (lambda a, b: ops.norm(a, "fro", (0, 1), True), np.linalg.norm(A, "fro", (0, 1), True)),
    (lambda a, b: ops.vector_norm(a, math.inf), np.abs(A).max()),
    (lambda a, b: ops.vector_norm(a, -math.inf, 1), np.abs(A).min(1)),
    (lambda a, b: ops.vector_norm(a, 1, 0), np.abs(A).sum(0)),
    (lambda a, b: ops.matrix_norm(a, -1), np.linalg.norm(A, -1)),
]


test_values = value_test(CASES, ids=lambda part: getattr(part, "__name__", ""), rtol=2e-4, atol=1e-5)


test_values_with_options = value_test(WITH_OPTIONS, A, B, rtol=2e-4, atol=1e-5)


test_gradients = gradient_test([(fn, args) for fn, args, _ in CASES], tolerance=1e-4)


def test_gradients_of_distances_and_dtypes_of_norms():
    # the gradient of a distance of 0 is 0
    assert ops.cdist(Tensor(A), Tensor(A)).asnumpy().diagonal().tolist() == [0.0, 0.0, 0.0]
    check_gradient(lambda x: ops.cdist(x, x[:1])[1:], A)
    # dtypes of norms
    assert ops.norm(Tensor(V), dtype=float64).dtype is float64
    assert ops.vector_norm(Tensor([3.0, 0.0]), 0).tolist() == 1.0


test_errors = error_cases(
    (lambda: ops.norm(Tensor(V), "fro", 0), errors.UsageError, "norm: order 'fro' is for matrices; pass two axes"),
    (lambda: ops.matrix_norm(Tensor(A), 7), ValueError, "For 'matrix_norm', the 'ord' must be 'fro', .* but got 7"),
)


@pytest.mark.parametrize("order", ["nuc", 2, -2])
def test_norms_by_singular_values(order):
    assert ops.matrix_norm(Tensor(A), order).item() == pytest.approx(np.linalg.norm(A, order), rel=1e-4)
    keepdims = ops.matrix_norm(Tensor(T), order, (0, 2), True)
    np.testing.assert_allclose(keepdims.asnumpy(), np.linalg.norm(T, order, (0, 2), True), rtol=1e-4)


def test_distances_of_pairs_of_rows():
    rows = Tensor(np.arange(9, dtype=np.float32).reshape(3, 3))
    expected = [5.196152210235596, 10.392304420471191, 5.196152210235596]  # MindSpore 2.10
    np.testing.assert_allclose(ops.pdist(rows).asnumpy(), expected, rtol=1e-6)
    assert ops.pdist(rows, 1.0).tolist() == [9.0, 18.0, 9.0]
