"""Primitives of matrix products, against numpy."""

import numpy as np
import pytest

from minigraph import Tensor, ops
from tests.ops.functional.checks import constants_test, in_both_modes

LEFT = np.array([[2.0, 0.5], [0.5, 1.0]])
RIGHT = LEFT + np.eye(2, k=1)


def test_einsum_and_dense():
    product = in_both_modes(lambda x, y: ops.Einsum("ij,jk->ik")((x, y)), Tensor(LEFT), Tensor(RIGHT))
    np.testing.assert_allclose(product, LEFT @ RIGHT)
    for bias in ((), (Tensor(np.array([1.0, 2.0])),)):
        expected = LEFT @ RIGHT.T + (np.array([1.0, 2.0]) if bias else 0)
        np.testing.assert_allclose(ops.Dense()(Tensor(LEFT), Tensor(RIGHT), *bias).asnumpy(), expected)


FIRST, SECOND = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
FIRST_ARRAY, SECOND_ARRAY = FIRST.array, SECOND.array


test_values = constants_test(
    (ops.MatMul()(FIRST, SECOND), FIRST_ARRAY @ SECOND_ARRAY),
    (ops.MatMul(transpose_b=True)(FIRST, SECOND), FIRST_ARRAY @ SECOND_ARRAY.T),
    (ops.MatMul(True)(FIRST, SECOND), FIRST_ARRAY.T @ SECOND_ARRAY),
    (ops.BatchMatMul(transpose_a=True)(FIRST, SECOND), FIRST_ARRAY.T @ SECOND_ARRAY),
)


def test_matmul_is_strictly_two_dimensional():
    with pytest.raises(ValueError, match="MatMul inputs should have the same dimension size and equal to 2."):
        ops.MatMul()(Tensor([1.0]), Tensor([1.0]))


def test_products_with_three_diagonals():
    upper, main, lower = RIGHT[:1] + 1, RIGHT[1:] - 3, LEFT[:1]
    matrix = np.diag(main[0]) + np.diag(upper[0, :1], 1) + np.diag(lower[0, 1:], -1)
    result = ops.TridiagonalMatMul()(*map(Tensor, (upper, main, lower, LEFT)))
    np.testing.assert_allclose(result.asnumpy(), matrix @ LEFT)
