"""Primitives that create tensors, against numpy or formulas."""

import numpy as np

from minigraph import Tensor, float32, int32, ops
from tests.ops.functional.checks import constants_test

FIRST = Tensor([[1.0, 2.0], [3.0, 4.0]])


test_values = constants_test(
    (ops.OneHot()(Tensor([1]), 2, Tensor(1.0), Tensor(0.0)), [[0.0, 1.0]]),
    (ops.ZerosLike()(FIRST), np.zeros((2, 2))),
    (ops.OnesLike()(FIRST), np.ones((2, 2))),
)


def test_new_tensors():
    assert ops.Fill()(int32, (2,), 3).tolist() == [3, 3]
    assert ops.FillV2()((2,), Tensor(1.5)).tolist() == [1.5, 1.5]
    assert ops.FillV2()(Tensor([2]), Tensor(7)).tolist() == [7, 7]
    assert ops.Eye()(2, 3, float32).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert ops.Range()(Tensor(1), Tensor(6), Tensor(2)).tolist() == [1, 3, 5]
    assert [tensor.shape for tensor in ops.Meshgrid(indexing="ij")((Tensor([1, 2]), Tensor([3])))] == [(2, 1)] * 2


def test_logarithmic_steps():
    assert ops.LogSpace(3)(Tensor(0.0), Tensor(2.0)).tolist() == [1, 10, 100] and ops.ScalarToArray()(2.0).item() == 2


def test_ranges_one_after_another():
    splits, numbers = ops.RaggedRange(int32)(Tensor([2, 5, 8]), Tensor([3, 5, 12]), Tensor([1, 1, 2]))
    assert (splits.tolist(), splits.dtype, numbers.tolist()) == ([0, 1, 1, 3], int32, [2, 8, 10])
