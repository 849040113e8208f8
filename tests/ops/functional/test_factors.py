"""Factors of matrices against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, errors, grad, ops
from tests.ops.functional.ways import both_ways, check_slope
from tests.tables import every, refusals

RNG = np.random.default_rng(0)
SHAPES = [(4, 3), (3, 4), (3, 3), (2, 3, 3)]
MATRICES = [RNG.normal(size=shape) for shape in SHAPES]


def turned(x):
    """The factors with the first row of each set of vectors above 0: their signs are nobody's."""
    values, left, right = ops.svd(x)
    return values, left * ops.sign(left[..., :1, :]), right * ops.sign(right[..., :1, :])


of_matrices = every(matrix=MATRICES, ids=lambda matrix: str(matrix.shape))


@of_matrices
def test_singular_values_vectors_and_pseudo_inverses(matrix):
    # singular values and vectors
    values, left, right = both_ways(ops.svd, Tensor(matrix))
    np.testing.assert_allclose((left * values[..., None, :]) @ np.swapaxes(right, -1, -2), matrix, atol=1e-6)
    np.testing.assert_allclose(both_ways(lambda x: ops.svd(x, compute_uv=False), Tensor(matrix)), values)
    check_slope(turned, matrix, tolerance=1e-4)
    check_slope(lambda x: ops.svd(x, compute_uv=False), matrix, tolerance=1e-4)
    # pseudo inverses
    np.testing.assert_allclose(both_ways(ops.pinv, Tensor(matrix)), np.linalg.pinv(matrix), atol=1e-6)
    check_slope(ops.pinv, matrix, tolerance=1e-4)


@of_matrices
def test_orthonormal_columns(matrix):
    for mode in ("reduced", "complete"):
        columns, triangle = both_ways(lambda x, mode=mode: ops.qr(x, mode), Tensor(matrix))
        np.testing.assert_allclose(columns @ triangle, matrix, atol=1e-6)
        wanted = np.linalg.qr(matrix, mode)
        assert (columns.shape, triangle.shape) == tuple(part.shape for part in wanted)
    if matrix.shape[-2] >= matrix.shape[-1]:  # else it has no gradient
        check_slope(ops.qr, matrix, tolerance=1e-4)


def all_vectors(x):
    return ops.svd(x, full_matrices=True)[1].sum()


def test_all_vectors():
    values, left, right = both_ways(lambda x: ops.svd(x, full_matrices=True), Tensor(MATRICES[0]))
    assert (values.shape, left.shape, right.shape) == ((3,), (4, 4), (3, 3))


test_refusals = refusals(
    (lambda: ops.qr(Tensor(MATRICES[0]), "full"), errors.UsageError, "qr: mode is 'reduced' or 'complete', got 'full'"),
    (lambda: ops.svd(MATRICES[0]), errors.UsageError, "svd: a tensor is wanted, got ndarray"),
    (lambda: ops.svd(Tensor([1.0])), errors.ShapeError, r"svd: a matrix is wanted, got shape \[1\]"),
    (lambda: grad(all_vectors)(Tensor(MATRICES[0])), errors.UsageError, "full_matrices=True has no gradient"),
    (lambda: grad(lambda x: ops.qr(x)[0].sum())(Tensor(MATRICES[1])), errors.UsageError, "as many rows as columns"),
)
