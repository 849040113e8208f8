"""Primitives of linear algebra: products, norms, determinants, inverses, triangles, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import constants_test, in_both_modes
from tests.tables import cases

SPD = np.array([[2.0, 0.5], [0.5, 1.0]])


def test_matrices():
    np.testing.assert_allclose(in_both_modes(ops.MatrixInverse(), Tensor(SPD)), np.linalg.inv(SPD))
    skew = SPD + np.eye(2, k=1)
    np.testing.assert_allclose(in_both_modes(ops.MatrixInverse(adjoint=True), Tensor(skew)), np.linalg.inv(skew).T)
    product = in_both_modes(lambda x, y: ops.Einsum("ij,jk->ik")((x, y)), Tensor(SPD), Tensor(skew))
    np.testing.assert_allclose(product, SPD @ skew)
    for bias in ((), (Tensor(np.array([1.0, 2.0])),)):
        reference = SPD @ skew.T + (np.array([1.0, 2.0]) if bias else 0)
        np.testing.assert_allclose(ops.Dense()(Tensor(SPD), Tensor(skew), *bias).asnumpy(), reference)
    upper = ops.Cholesky(upper=True)(Tensor(SPD)).asnumpy()
    np.testing.assert_allclose(upper.T @ upper, SPD)


FIRST, SECOND = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
FIRST_ARRAY, SECOND_ARRAY = FIRST.array, SECOND.array


test_values = constants_test(
    (ops.MatMul()(FIRST, SECOND), FIRST_ARRAY @ SECOND_ARRAY),
    (ops.MatMul(transpose_b=True)(FIRST, SECOND), FIRST_ARRAY @ SECOND_ARRAY.T),
    (ops.MatMul(True)(FIRST, SECOND), FIRST_ARRAY.T @ SECOND_ARRAY),
    (ops.BatchMatMul(transpose_a=True)(FIRST, SECOND), FIRST_ARRAY.T @ SECOND_ARRAY),
)


@cases(
    ({"axis": [0, 1]}, np.sqrt((FIRST_ARRAY * FIRST_ARRAY).sum())),
    ({"axis": 1, "p": 3, "keep_dims": True}, np.cbrt((FIRST_ARRAY**3).sum(1, keepdims=True))),
    ({"axis": -1, "p": 1}, FIRST_ARRAY.sum(1)),
    ({"axis": 0, "p": 0}, [2.0, 2.0]),
)
def test_norms(config, expected):
    assert np.allclose(ops.LpNorm(**config)(-FIRST).array, expected, rtol=1e-6)


def test_norms_at_least_epsilon_and_matmul_of_two_dimensions():
    # a norm is at least epsilon
    assert ops.LpNorm(0)(Tensor([0.0])).item() == np.float32(1e-12)
    assert ops.LpNorm(0, epsilon=2.0)(Tensor([1.0])).item() == 2
    # matmul is strictly two dimensional
    with pytest.raises(ValueError, match="MatMul inputs should have the same dimension size and equal to 2."):
        ops.MatMul()(Tensor([1.0]), Tensor([1.0]))


def test_factorizations_and_systems():
    a = Tensor(np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]))
    b = Tensor(np.arange(6.0).reshape(3, 2))
    factor = ops.Cholesky()(a)
    for solved in (ops.CholeskySolve()(b, factor), ops.MatrixSolve()(a, b), ops.Lstsq()(a, b)):
        np.testing.assert_allclose((a @ solved).asnumpy(), b.asnumpy(), atol=1e-12)
    np.testing.assert_allclose((ops.CholeskyInverse()(factor) @ a).asnumpy(), np.eye(3), atol=1e-12)
    solved = ops.MatrixTriangularSolve(lower=False, adjoint=True)(a, b)
    np.testing.assert_allclose((ops.triu(a).T @ solved).asnumpy(), b.asnumpy(), atol=1e-12)
    for q, r in (ops.Qr()(a), (lambda f: (ops.Orgqr()(*f), ops.triu(f[0])))(ops.Geqrf()(a))):
        np.testing.assert_allclose((q @ r).asnumpy(), a.asnumpy(), atol=1e-12)
    values, vectors = ops.Eig(compute_v=True)(a)
    assert ops.Eig()(a)[1].shape == (0,) and vectors.shape == (3, 3)
    singular = ops.Svd(compute_uv=False)(a)[0].asnumpy()
    np.testing.assert_allclose(np.sort(singular), np.sort(values.asnumpy().real), rtol=1e-12)
    pivots = Tensor([1, 2, 3])
    np.testing.assert_array_equal(ops.LuSolve()(b, a, pivots).asnumpy(), ops.lu_solve(b, a, pivots).asnumpy())
    np.testing.assert_array_equal(ops.LuUnpack()(a, pivots)[2].asnumpy(), ops.triu(a).asnumpy())
    np.testing.assert_allclose(ops.MatrixPower(2)(a).asnumpy(), (a @ a).asnumpy(), rtol=1e-12)
    np.testing.assert_array_equal(ops.MatrixExp()(a).asnumpy(), ops.matrix_exp(a).asnumpy())


def test_distances_diagonals_and_triangles():
    x = Tensor(np.arange(6.0).reshape(2, 3))
    assert ops.Pdist(1.0)(x).tolist() == [9.0] and ops.Cdist(1.0)(x, x).tolist() == [[0, 9], [9, 0]]
    np.testing.assert_allclose(ops.vector_norm(ops.Renorm(2, 0, 1.0)(x), 2, 1).asnumpy(), 1, rtol=1e-5)
    assert ops.DiagPart()(Tensor(np.arange(16.0).reshape(2, 2, 2, 2))).tolist() == [[0, 5], [10, 15]]
    assert ops.TrilIndices(2, 2)().tolist() == [[0, 1, 1], [0, 0, 1]] and ops.TriuIndices(2, 2)().shape == (2, 3)
    zero = Tensor(0.0)
    matrices = ops.MatrixDiagV3()(x, Tensor(0), Tensor(3), Tensor(3), zero.astype(x.dtype))
    assert ops.MatrixDiagPartV3()(matrices, Tensor(0), zero.astype(x.dtype)).tolist() == x.tolist()
