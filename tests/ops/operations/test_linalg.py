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
