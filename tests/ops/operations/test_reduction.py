"""Primitives of reductions over axes, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, bool_, int32, int64, ops
from tests.ops.functional.checks import check_gradient, constants_test, in_both_modes

X, Y = np.array([0.3, -0.6, 0.9]), np.array([2.0, -3.0, 0.5])


def test_sums_of_squares():
    first, second = in_both_modes(ops.SquareSumAll(), Tensor(X), Tensor(Y))
    assert (first, second) == (pytest.approx((X**2).sum()), pytest.approx((Y**2).sum()))
    check_gradient(ops.L2Loss(), X)


FIRST = Tensor([[1.0, 2.0], [3.0, 4.0]])
FIRST_ARRAY = FIRST.array


test_values = constants_test(
    (ops.ReduceSum()(FIRST), FIRST_ARRAY.sum()),
    (ops.ReduceSum(keep_dims=True)(FIRST, 0), FIRST_ARRAY.sum(0, keepdims=True)),
    (ops.ReduceMean()(FIRST, -1), FIRST_ARRAY.mean(-1)),
    (ops.ReduceMax()(FIRST, 0), FIRST_ARRAY.max(0)),
    (ops.ReduceMin()(FIRST, ()), FIRST_ARRAY.min()),
)


@pytest.mark.parametrize("kind", [ops.ReduceAll, ops.ReduceAny])
def test_logical_reductions_return_bools(kind):
    result = kind()(Tensor([1.0, 0.0]))
    assert (result.dtype, result.tolist()) == (bool_, kind is ops.ReduceAny)


ROWS = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])


def test_indices_of_extremes():
    result, values = in_both_modes(ops.ArgMaxWithValue(axis=1), Tensor(ROWS))
    assert (result.tolist(), values.tolist()) == ([0, 1], [3, 4])
    result, values = in_both_modes(ops.ArgMinWithValue(axis=0, keep_dims=True), Tensor(ROWS))
    assert (result.tolist(), values.tolist()) == ([[1, 0, 1]], [[0.5, -1, -2]])
    assert ops.Argmax(axis=0, output_type=int64)(Tensor(ROWS)).dtype is int64
    assert ops.Argmin()(Tensor(ROWS)).dtype is int32


def test_non_zero_elements_are_counted():
    assert ops.CountNonZero()(Tensor([1.0, 1.0, 0.0, 2.0])).item() == 3
