"""Linear algebra against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, errors, grad, int32, ops
from tests.ops.functional.checks import check_gradient, gradient_test, in_both_modes, value_test
from tests.ops.functional.test_matrix_products import A, B, T, V
from tests.tables import error_cases, every

RANDOM = np.random.default_rng(3)
GENERAL = RANDOM.standard_normal((3, 3))
SPD = GENERAL @ GENERAL.T + 2 * np.eye(3)
LOWER = np.linalg.cholesky(SPD)
COLUMNS = RANDOM.standard_normal((3, 2))
DIAGONAL = np.array([1.0, 2.0, 4.0])
MATRIX_CASES = [
    (lambda x: ops.matrix_determinant(x), SPD, np.linalg.det(SPD)),
    (lambda x: ops.log_matrix_determinant(x)[1], SPD, np.linalg.slogdet(SPD)[1]),
    (lambda x: ops.logdet(x), SPD, np.linalg.slogdet(SPD)[1]),
    (lambda x: ops.matrix_solve(x, Tensor(COLUMNS)), GENERAL, np.linalg.solve(GENERAL, COLUMNS)),
    (lambda x: ops.matrix_solve(x, Tensor(COLUMNS), adjoint=True), GENERAL, np.linalg.solve(GENERAL.T, COLUMNS)),
    (lambda x: ops.cholesky_inverse(x), LOWER, np.linalg.inv(SPD)),
    (lambda x: ops.cholesky_inverse(x, upper=True), LOWER.T, np.linalg.inv(SPD)),
    (lambda x: ops.cholesky_solve(Tensor(COLUMNS), x), LOWER, np.linalg.solve(SPD, COLUMNS)),
    (lambda x: ops.cholesky_solve(Tensor(COLUMNS), x, upper=True), LOWER.T, np.linalg.solve(SPD, COLUMNS)),
    (
        lambda x: ops.lstsq(x, Tensor(DIAGONAL)),
        GENERAL[:, :2],
        np.linalg.lstsq(GENERAL[:, :2], DIAGONAL[:, None], rcond=None)[0],
    ),
]


test_values = value_test(MATRIX_CASES, rtol=1e-9, atol=1e-9)


test_gradients = gradient_test([(fn, array) for fn, array, _ in MATRIX_CASES])


def test_matrix_exp_by_eigenvalues():
    values, vectors = np.linalg.eigh(SPD)
    expected = vectors @ np.diag(np.exp(values)) @ vectors.T
    np.testing.assert_allclose(in_both_modes(ops.matrix_exp, Tensor(SPD)), expected, rtol=1e-9)
    check_gradient(ops.matrix_exp, SPD / 4)


test_errors = error_cases(
    (
        lambda: ops.matrix_exp(Tensor(COLUMNS)),
        errors.ShapeError,
        r"matrix_exp: needs square matrices, got shape \[3, 2\]",
    ),
    (
        lambda: ops.lstsq(Tensor(GENERAL), Tensor(COLUMNS[:2])),
        errors.ShapeError,
        r"lstsq: needs matrices of as many rows",
    ),
)


SQUARE = A @ A.T + 3 * np.eye(3, dtype=np.float32)
SQUARE_CASES = [
    (ops.det, (T,), np.linalg.det(T)),
    (ops.inverse, (T,), np.linalg.inv(T)),
    (ops.inv, (V,), 1 / V),
    (ops.cholesky, (SQUARE,), np.linalg.cholesky(SQUARE)),
    (ops.trace, (A,), np.trace(A)),
]
SQUARE_OPTIONS = [
    (lambda a, b: ops.matrix_power(a, 3), A @ A @ A),
    (lambda a, b: ops.matrix_power(a, -2), np.linalg.matrix_power(A, -2)),
    (lambda a, b: ops.matrix_power(a, 0), np.eye(3)),
    (lambda a, b: ops.slogdet(a)[1], np.linalg.slogdet(A)[1]),
    (lambda a, b: ops.slogdet(-1e20 * a)[0], np.linalg.slogdet(-A)[0]),  # determinants that float32 cannot hold
    (lambda a, b: ops.slogdet(1e20 * a)[1], np.linalg.slogdet(1e20 * A.astype(float))[1]),
    (lambda a, b: ops.logdet(1e-20 * a @ a.mT), np.linalg.slogdet(1e-20 * A.astype(float) @ A.T)[1]),
    (lambda a, b: ops.logdet(ops.diag(Tensor([-1.0, 1, 2])) + 0 * a), np.nan),
]


test_values_of_squares = value_test(SQUARE_CASES, ids=lambda part: getattr(part, "__name__", ""), rtol=2e-4, atol=1e-5)


test_values_with_options = value_test(SQUARE_OPTIONS, A, B, rtol=2e-4, atol=1e-5)


SMOOTH_CASES = [(fn, args) for fn, args, _ in SQUARE_CASES if fn is not ops.cholesky]
test_gradients_of_squares = gradient_test(SMOOTH_CASES, tolerance=1e-4)


def test_the_gradient_of_cholesky_and_the_dtype_of_trace():
    # the trace keeps the dtype
    assert ops.trace(Tensor([[1, 2], [3, 4]], int32)).dtype is int32

    # the gradient of the Cholesky factor
    def factor(x):
        return ops.cholesky((x + x.mT) / 2, upper=True)

    check_gradient(factor, SQUARE, tolerance=1e-4)


GENERATOR = np.random.default_rng(0)
SHAPES = [(4, 3), (3, 4), (3, 3), (2, 3, 3)]
MATRICES = [GENERATOR.normal(size=shape) for shape in SHAPES]


def svd_with_fixed_signs(x):
    """The factors with positive first rows: the signs of singular vectors are arbitrary."""
    values, left, right = ops.svd(x)
    return values, left * ops.sign(left[..., :1, :]), right * ops.sign(right[..., :1, :])


of_matrices = every(matrix=MATRICES, ids=lambda matrix: str(matrix.shape))


def all_vectors(x):
    return ops.svd(x, full_matrices=True)[1].sum()


@of_matrices
def test_svd_and_pinv(matrix):
    # singular values and vectors
    values, left, right = in_both_modes(ops.svd, Tensor(matrix))
    np.testing.assert_allclose((left * values[..., None, :]) @ np.swapaxes(right, -1, -2), matrix, atol=1e-6)
    np.testing.assert_allclose(in_both_modes(lambda x: ops.svd(x, compute_uv=False), Tensor(matrix)), values)
    check_gradient(svd_with_fixed_signs, matrix, tolerance=1e-4)
    check_gradient(lambda x: ops.svd(x, compute_uv=False), matrix, tolerance=1e-4)
    # pseudo inverses
    np.testing.assert_allclose(in_both_modes(ops.pinv, Tensor(matrix)), np.linalg.pinv(matrix), atol=1e-6)
    check_gradient(ops.pinv, matrix, tolerance=1e-4)


@of_matrices
def test_qr(matrix):
    for mode in ("reduced", "complete"):
        columns, triangle = in_both_modes(lambda x, mode=mode: ops.qr(x, mode), Tensor(matrix))
        np.testing.assert_allclose(columns @ triangle, matrix, atol=1e-6)
        expected = np.linalg.qr(matrix, mode)
        assert (columns.shape, triangle.shape) == tuple(part.shape for part in expected)
    if matrix.shape[-2] >= matrix.shape[-1]:  # else it has no gradient
        check_gradient(ops.qr, matrix, tolerance=1e-4)


def test_full_matrices():
    values, left, right = in_both_modes(lambda x: ops.svd(x, full_matrices=True), Tensor(MATRICES[0]))
    assert (values.shape, left.shape, right.shape) == ((3,), (4, 4), (3, 3))


test_refusals_of_factors = error_cases(
    (lambda: ops.qr(Tensor(MATRICES[0]), "full"), errors.UsageError, "qr: mode is 'reduced' or 'complete', got 'full'"),
    (lambda: ops.svd(MATRICES[0]), errors.UsageError, "svd: expected a tensor, got ndarray"),
    (lambda: ops.svd(Tensor([1.0])), errors.ShapeError, r"svd: expected a matrix, got shape \[1\]"),
    (lambda: grad(all_vectors)(Tensor(MATRICES[0])), errors.UsageError, "full_matrices=True has no gradient"),
    (lambda: grad(lambda x: ops.qr(x)[0].sum())(Tensor(MATRICES[1])), errors.UsageError, "as many rows as columns"),
)
