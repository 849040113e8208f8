"""Primitives of linear algebra: inverses, determinants, systems and decompositions, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import in_both_modes

SPD = np.array([[2.0, 0.5], [0.5, 1.0]])


def test_inverses_and_cholesky():
    np.testing.assert_allclose(in_both_modes(ops.MatrixInverse(), Tensor(SPD)), np.linalg.inv(SPD))
    skew = SPD + np.eye(2, k=1)
    np.testing.assert_allclose(in_both_modes(ops.MatrixInverse(adjoint=True), Tensor(skew)), np.linalg.inv(skew).T)
    upper = ops.Cholesky(upper=True)(Tensor(SPD)).asnumpy()
    np.testing.assert_allclose(upper.T @ upper, SPD)


def test_systems_and_powers():
    a = Tensor(np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]))
    b = Tensor(np.arange(6.0).reshape(3, 2))
    factor = ops.Cholesky()(a)
    for solved in (ops.CholeskySolve()(b, factor), ops.MatrixSolve()(a, b), ops.Lstsq()(a, b)):
        np.testing.assert_allclose((a @ solved).asnumpy(), b.asnumpy(), atol=1e-12)
    np.testing.assert_allclose((ops.CholeskyInverse()(factor) @ a).asnumpy(), np.eye(3), atol=1e-12)
    solved = ops.MatrixTriangularSolve(lower=False, adjoint=True)(a, b)
    np.testing.assert_allclose((ops.triu(a).T @ solved).asnumpy(), b.asnumpy(), atol=1e-12)
    q, r = ops.Qr()(a)
    np.testing.assert_allclose((q @ r).asnumpy(), a.asnumpy(), atol=1e-12)
    np.testing.assert_allclose(ops.MatrixPower(2)(a).asnumpy(), (a @ a).asnumpy(), rtol=1e-12)
    np.testing.assert_array_equal(ops.MatrixExp()(a).asnumpy(), ops.matrix_exp(a).asnumpy())


def test_least_squares_with_a_penalty():
    matrix, rhs = np.array([[3.0, 0], [2, 1], [1, 0]]), np.array([[4.0], [2], [4]])
    expected = np.linalg.solve(matrix.T @ matrix + 0.1 * np.eye(2), matrix.T @ rhs)
    for a, b in ((matrix, rhs), (matrix.T, rhs[:2])):
        expected = np.linalg.pinv(np.vstack([a, 0.1**0.5 * np.eye(a.shape[1])])) @ np.vstack(
            [b, np.zeros((a.shape[1], 1))]
        )
        np.testing.assert_allclose(
            ops.MatrixSolveLs()(Tensor(a), Tensor(b), Tensor(0.1)).asnumpy(), expected, atol=1e-9
        )
        smallest = ops.MatrixSolveLs(fast=False)(Tensor(a), Tensor(b), Tensor(0.1)).asnumpy()
        np.testing.assert_allclose(smallest, np.linalg.pinv(a) @ b, atol=1e-9)


def test_logarithms_of_matrices():
    x = Tensor(np.array([[[1 + 2j, 2 + 1j], [4 + 1j, 5 + 2j]], [[2, 1], [0, 3]]]))
    np.testing.assert_allclose(ops.matrix_exp(ops.MatrixLogarithm()(x)).asnumpy(), x.asnumpy(), atol=1e-9)
    with pytest.raises(ValueError, match="needs complex square matrices"):
        ops.MatrixLogarithm()(Tensor(SPD))
