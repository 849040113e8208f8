"""Diagonals, bands and equations against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, errors, ops
from tests.ops.functional.ways import both_ways, check_slope, slopes, values
from tests.tables import refusals

RANDOM = np.random.default_rng(3)
M = RANDOM.standard_normal((3, 3))
SPD = M @ M.T + 2 * np.eye(3)
LOWER = np.linalg.cholesky(SPD)
B = RANDOM.standard_normal((3, 2))
V = np.array([1.0, 2.0, 4.0])


CASES = [
    (lambda x: ops.matrix_diag(x), V, np.diag(V)),
    (lambda x: ops.matrix_diag(x, -1), V, np.diag(V, -1)),
    (lambda x: ops.matrix_diag(x, 0, 3, 5), V, np.pad(np.diag(V), ((0, 0), (0, 2)))),
    (lambda x: ops.matrix_diag(x, 0, padding_value=9), V, np.where(np.eye(3) > 0, np.diag(V), 9)),
    (lambda x: ops.matrix_diag_part(x, 1), M, np.diagonal(M, 1)),
    (lambda x: ops.matrix_set_diag(x, Tensor(V)), M, M - np.diag(np.diag(M)) + np.diag(V)),
    (lambda x: ops.matrix_band_part(x, 1, 0), M, np.tril(M) - np.tril(M, -2)),
    (lambda x: ops.matrix_band_part(x, -1, Tensor(1)), M, np.tril(M, 1)),
    (lambda x: ops.matrix_determinant(x), SPD, np.linalg.det(SPD)),
    (lambda x: ops.log_matrix_determinant(x)[1], SPD, np.linalg.slogdet(SPD)[1]),
    (lambda x: ops.logdet(x), SPD, np.linalg.slogdet(SPD)[1]),
    (lambda x: ops.matrix_solve(x, Tensor(B)), M, np.linalg.solve(M, B)),
    (lambda x: ops.matrix_solve(x, Tensor(B), adjoint=True), M, np.linalg.solve(M.T, B)),
    (lambda x: ops.cholesky_inverse(x), LOWER, np.linalg.inv(SPD)),
    (lambda x: ops.cholesky_inverse(x, upper=True), LOWER.T, np.linalg.inv(SPD)),
    (lambda x: ops.cholesky_solve(Tensor(B), x), LOWER, np.linalg.solve(SPD, B)),
    (lambda x: ops.cholesky_solve(Tensor(B), x, upper=True), LOWER.T, np.linalg.solve(SPD, B)),
    (lambda x: ops.lstsq(x, Tensor(V)), M[:, :2], np.linalg.lstsq(M[:, :2], V[:, None], rcond=None)[0]),
]


test_values = values(CASES, rtol=1e-9, atol=1e-9)


test_slopes = slopes([(fn, array) for fn, array, _ in CASES])


def test_the_exponential_of_a_matrix_is_that_of_its_eigenvalues():
    values, vectors = np.linalg.eigh(SPD)
    wanted = vectors @ np.diag(np.exp(values)) @ vectors.T
    np.testing.assert_allclose(both_ways(ops.matrix_exp, Tensor(SPD)), wanted, rtol=1e-9)
    check_slope(ops.matrix_exp, SPD / 4)


test_refusals = refusals(
    (lambda: ops.matrix_diag(Tensor(V), Tensor([0, 1])), errors.UsageError, "matrix_diag: one diagonal is wanted"),
    (lambda: ops.matrix_exp(Tensor(B)), errors.ShapeError, r"matrix_exp: needs square matrices, got shape \[3, 2\]"),
    (lambda: ops.lstsq(Tensor(M), Tensor(B[:2])), errors.ShapeError, r"lstsq: needs matrices of as many rows"),
)
