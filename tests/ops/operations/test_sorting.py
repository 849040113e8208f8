"""Primitives of sorting, searching and unique elements."""

from minigraph import Tensor, ops

X = Tensor([3.0, 1.0, 2.0, 1.0])


def test_sorting():
    values, positions = ops.Sort(descending=True)(X)
    assert (values.tolist(), positions.tolist()) == ([3.0, 2.0, 1.0, 1.0], [0, 2, 1, 3])
    assert ops.TopK()(X, 2)[0].tolist() == [3.0, 2.0]
    assert ops.InTopK(1)(Tensor([[1.0, 2.0], [2.0, 1.0]]), Tensor([1, 1])).tolist() == [True, False]


def test_searching_and_unique_elements():
    assert ops.SearchSorted(right=True)(Tensor([1.0, 2.0]), Tensor([2.0])).tolist() == [2]
    assert ops.NonZero()(Tensor([0.0, 5.0])).tolist() == [[1]]
    assert ops.Unique()(X)[0].tolist() == [3.0, 1.0, 2.0]


def test_runs_and_buckets():
    x = Tensor([1.0, 1.0, 3.0, 2.0])
    assert [y.tolist() for y in ops.UniqueConsecutive(True, True)(x)] == [[1, 3, 2], [0, 0, 1, 2], [2, 1, 1]]
    assert ops.Bucketize([1.0, 2.5])(x).tolist() == [1, 1, 2, 1]
