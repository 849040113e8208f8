"""Primitives of statistics."""

from minigraph import Tensor, ops


def test_counts():
    assert ops.Bincount()(Tensor([0, 2, 2]), Tensor(3), Tensor([1.0, 2.0, 3.0])).tolist() == [1, 0, 5]
    assert ops.Histogram(2, 0.0, 4.0)(Tensor([1.0, 1.0, 3.0, 2.0])).tolist() == [2, 2]


def test_standard_deviation_and_mean():
    deviation, mean = ops.ReduceStd()(Tensor([1.0, 3.0, 2.0]))
    assert (deviation.item(), mean.item()) == (1, 2)
