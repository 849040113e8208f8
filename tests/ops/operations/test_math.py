"""Primitives of arithmetic, comparison, logic, reductions and matrix products."""

import numpy as np
import pytest

from minigraph import Tensor, bool_, int32, ops
from tests.ops.functional.ways import holds
from tests.tables import cases

X, Y = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
A, B = X.array, Y.array


test_values = holds(
    (ops.Add()(X, Y), A + B),
    (ops.Sub()(X, 1), A - 1),
    (ops.Mul()(X, Y), A * B),
    (ops.RealDiv()(X, Y), A / B),
    (ops.MatMul()(X, Y), A @ B),
    (ops.MatMul(transpose_b=True)(X, Y), A @ B.T),
    (ops.MatMul(True)(X, Y), A.T @ B),
    (ops.BatchMatMul(transpose_a=True)(X, Y), A.T @ B),
    (ops.ReduceSum()(X), A.sum()),
    (ops.ReduceSum(keep_dims=True)(X, 0), A.sum(0, keepdims=True)),
    (ops.ReduceMean()(X, -1), A.mean(-1)),
    (ops.ReduceMax()(X, 0), A.max(0)),
    (ops.ReduceMin()(X, ()), A.min()),
    (ops.Cast()(X, int32), A.astype(np.int32)),
    (ops.Select()(X > 2, X, Y), np.where(A > 2, A, B)),
)


@cases(
    ({"axis": [0, 1]}, np.sqrt((A * A).sum())),
    ({"axis": 1, "p": 3, "keep_dims": True}, np.cbrt((A**3).sum(1, keepdims=True))),
    ({"axis": -1, "p": 1}, A.sum(1)),
    ({"axis": 0, "p": 0}, [2.0, 2.0]),
)
def test_norms(config, expected):
    assert np.allclose(ops.LpNorm(**config)(-X).array, expected, rtol=1e-6)


def test_norms_at_least_epsilon_and_matmul_of_two_dimensions():
    # a norm is at least epsilon
    assert ops.LpNorm(0)(Tensor([0.0])).item() == np.float32(1e-12)
    assert ops.LpNorm(0, epsilon=2.0)(Tensor([1.0])).item() == 2
    # matmul is strictly two dimensional
    with pytest.raises(ValueError, match="MatMul inputs should have the same dimension size and equal to 2."):
        ops.MatMul()(Tensor([1.0]), Tensor([1.0]))


@pytest.mark.parametrize("kind", [ops.ReduceAll, ops.ReduceAny])
def test_logical_reductions_answer_in_bools(kind):
    found = kind()(Tensor([1.0, 0.0]))
    assert (found.dtype, found.tolist()) == (bool_, kind is ops.ReduceAny)
