"""Primitives of sorting, searching and unique elements."""

from minigraph import Tensor, int64, ops

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


def test_elements_by_rank_and_lists():
    rows = Tensor([[3, 1, 2], [4, 9, 6]])
    assert ops.NthElement()(rows, 1).tolist() == [2, 6] and ops.NthElement(True)(rows, Tensor(0)).tolist() == [3, 9]
    kept, positions = ops.ListDiff(int64)(Tensor([5, 1, 2, 2]), Tensor([1, 3]))
    assert (kept.tolist(), positions.tolist(), positions.dtype) == ([5, 2, 2], [0, 2, 3], int64)
    values, positions = ops.UniqueWithPad()(Tensor([3, 1, 3, 2]), Tensor(9))
    assert (values.tolist(), positions.tolist()) == ([3, 1, 2, 9], [0, 1, 0, 2])
