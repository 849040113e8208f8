"""Primitives that select elements and slices, against numpy or formulas."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.checks import constants_test

FIRST, SECOND = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
FIRST_ARRAY, SECOND_ARRAY = FIRST.array, SECOND.array


test_values = constants_test(
    (ops.Gather()(FIRST, Tensor([1, 0]), 0), FIRST_ARRAY[[1, 0]]),
    (ops.Select()(FIRST > 2, FIRST, SECOND), np.where(FIRST_ARRAY > 2, FIRST_ARRAY, SECOND_ARRAY)),
)


def test_gather_v2_and_unraveled_indices():
    assert ops.GatherV2()(Tensor([1.0, 1.0, 3.0, 2.0]), Tensor([3]), 0).tolist() == [2]
    assert ops.UnravelIndex()(Tensor([5, 2]), Tensor([2, 3])).tolist() == [[1, 0], [2, 2]]


def test_keys_in_groups_and_in_a_range():
    assert ops.MapUniform()(Tensor(np.arange(8)), 4, 2).tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    kept, positions = ops.SubAndFilter()(Tensor([1, 3, 5, 8, 16]), 10, 5)
    assert (kept.tolist(), positions.tolist()) == ([0, 3], [2, 3])
