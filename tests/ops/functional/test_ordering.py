"""Sorting and running totals against numpy, in both modes; what depends on values, outside of ``@jit`` only."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float32, float64, int32, int64, jit, ops
from tests.ops.functional.ways import both_ways, slopes, values
from tests.tables import every, refusals

X = np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32)
K = np.array([[3, 1, 3, 2], [2, 2, 2, 0]])
Q = np.array([1, 2, 2, 5, 5, 5, 1])


@every(axis=[0, 1, -1], descending=[False, True])
@pytest.mark.parametrize("array", [X, K], ids=["floats", "ties"])
def test_sorting_is_stable(array, axis, descending):
    values, places = both_ways(lambda x: ops.sort(x, axis, descending), Tensor(array))
    signed = -array if descending else array
    expected = np.argsort(signed, axis, kind="stable")
    assert places.dtype == np.int32
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(array, expected, axis))


def test_the_largest_and_the_smallest():
    values, places = both_ways(lambda x: ops.topk(x, 2), Tensor(X))
    np.testing.assert_array_equal(values, np.sort(X, 1)[:, ::-1][:, :2])
    np.testing.assert_array_equal(np.take_along_axis(X, places, 1), values)
    assert ops.topk(Tensor(K), 1, 0, largest=False)[0].tolist() == K.min(0, keepdims=True).tolist()
    assert ops.top_k(Tensor(X), 1)[0].tolist() == X.max(1, keepdims=True).tolist()
    np.testing.assert_array_equal(ops.msort(Tensor(X)).asnumpy(), np.sort(X, 0))


VALUES = [
    (lambda x: ops.cumsum(x, 1), X, X.cumsum(1)),
    (lambda x: ops.cumsum(x, 0), K, K.cumsum(0)),
    (lambda x: ops.cumprod(x, 1), X, X.cumprod(1)),
    (lambda x: ops.cummax(x, 1)[0], X, np.maximum.accumulate(X, 1)),
    (lambda x: ops.cummin(x, 0)[0], X, np.minimum.accumulate(X, 0)),
    (lambda x: ops.logcumsumexp(x, 1), X, np.log(np.exp(X).cumsum(1))),
    (lambda x: ops.diff(x), X, np.diff(X)),
    (lambda x: ops.diff(x, 2, 1), X, np.diff(X, 2, 1)),
    (lambda x: ops.diff(x, 1, 0), X, np.diff(X, 1, 0)),
    (lambda x: ops.median(x)[0], X, np.sort(X, 1)[:, 1]),
    (lambda x: ops.median(x, 0, True)[0], X, np.sort(X, 0)[:1]),
    (lambda x: ops.quantile(x, 0.3, 1), X, np.quantile(X, 0.3, 1)),
    (lambda x: ops.quantile(x, 0.5), X, np.quantile(X, 0.5)),
    (lambda x: ops.histc(x, 4, -1.0, 1.0), X, np.histogram(X, 4, (-1, 1))[0]),
    (lambda x: ops.searchsorted(Tensor([0.0, 0.5, 1.0]), x), X, np.searchsorted([0.0, 0.5, 1.0], X)),
    (lambda x: ops.searchsorted(Tensor([0, 2, 2, 3]), x, right=True), K, np.searchsorted([0, 2, 2, 3], K, "right")),
    (lambda x: ops.bucketize(x, [0.0, 0.5]), X, np.searchsorted([0.0, 0.5], X)),
]


test_values = values(VALUES, rtol=1e-5, atol=1e-6)


def test_dtypes():
    x, i = Tensor(X), Tensor(K)
    found = {
        "cumsum": ops.cumsum(Tensor(K, int32), 0), "widened": ops.cumsum(x, 0, float64), "cumprod": ops.cumprod(i, 0),
        "cummax": ops.cummax(x, 0)[1], "cummin": ops.cummin(x, 0)[1], "argsort": ops.argsort(x),
        "median": ops.median(x)[1], "searchsorted": ops.searchsorted(Tensor([1, 2]), i), "bincount": ops.bincount(i[0]),
        "int32": ops.searchsorted(Tensor([1, 2]), i, out_int32=True),
    }  # fmt: skip
    assert {name: tensor.dtype for name, tensor in found.items()} == {
        "cumsum": int32, "widened": float64, "cumprod": int64, "cummax": int64, "cummin": int32, "argsort": int32,
        "median": int64, "searchsorted": int64, "bincount": float32, "int32": int32,
    }  # fmt: skip


def test_where_extremes_stand_and_what_differences_begin_with():
    # where an extreme stands is the last of equal ones
    assert ops.cummax(Tensor([1, 3, 3, 2]), 0)[1].tolist() == [0, 1, 2, 2]
    assert ops.cummin(Tensor([2.0, 2.0, 1.0, 3.0]), 0)[1].tolist() == [0, 1, 2, 2]
    # parts put before and behind differences
    assert ops.diff(Tensor([1.0, 4.0]), prepend=Tensor([0.0]), append=Tensor([10.0])).tolist() == [1.0, 3.0, 6.0]


def test_sequences_that_are_searched_and_places_by_value():
    # rows in order are searched one by one
    rows, values = np.array([[1, 3, 5], [2, 4, 6]]), np.array([[3, 4], [3, 9]])
    expected = [np.searchsorted(row, one) for row, one in zip(rows, values, strict=True)]
    assert ops.searchsorted(Tensor(rows), Tensor(values)).tolist() == np.stack(expected).tolist()
    shuffled, order = np.array([5, 1, 3]), np.array([1, 2, 0])
    assert ops.searchsorted(Tensor(shuffled), Tensor([3]), sorter=Tensor(order)).tolist() == [1]
    # places by value
    mask = X > 0
    assert ops.nonzero(Tensor(mask)).tolist() == np.argwhere(mask).tolist()
    assert [t.tolist() for t in ops.nonzero(Tensor(mask), as_tuple=True)] == [a.tolist() for a in np.nonzero(mask)]
    assert ops.nonzero(Tensor(3)).shape == (1, 0)
    assert ops.masked_select(Tensor(X), Tensor(mask)).tolist() == X[mask].tolist()
    assert ops.masked_select(Tensor(X[:1]), Tensor(mask)).shape == (int(mask.sum()),)


def test_how_often_numbers_occur_and_which_ones():
    # how often numbers occur
    assert ops.bincount(Tensor(Q)).tolist() == np.bincount(Q).tolist()
    assert ops.bincount(Tensor(Q), minlength=9).tolist() == np.bincount(Q, minlength=9).tolist()
    assert ops.bincount(Tensor(Q), Tensor(Q * 0.5)).tolist() == np.bincount(Q, Q * 0.5).tolist()
    assert ops.histc(Tensor([1.0, 2.0, 3.0]), 2).tolist() == [1.0, 2.0]
    assert ops.histc(Tensor([2.0, 2.0]), 2).tolist() == [0.0, 2.0]
    # the different ones
    values, inverse = ops.unique(Tensor(Q))
    assert (values.tolist(), inverse.tolist(), inverse.dtype) == ([1, 2, 5], [0, 1, 1, 2, 2, 2, 0], int64)
    assert ops.unique(Tensor([2.5, 1.5]))[1].dtype is int32
    runs, numbers, counts = ops.unique_consecutive(Tensor(Q), True, True)
    assert [runs.tolist(), numbers.tolist(), counts.tolist()] == [[1, 2, 5, 1], [0, 1, 1, 2, 2, 2, 3], [1, 2, 3, 1]]
    assert ops.unique_consecutive(Tensor([[1, 1], [1, 1], [2, 1]]), dim=0).tolist() == [[1, 1], [2, 1]]


@pytest.mark.parametrize("fn", [ops.unique, ops.nonzero, ops.bincount, lambda x: ops.masked_select(x, x > 2)])
def test_what_depends_on_values_is_refused_inside_of_a_graph(fn):
    with pytest.raises(errors.MinigraphError):
        jit(lambda x: fn(x), fullgraph=True)(Tensor(Q))


test_numbers_in_place_of_tensors_are_refused = refusals(
    (lambda: ops.unique([1, 2]), TypeError, "unique: a tensor is wanted, got list; wrap it in Tensor"),
    (lambda: ops.topk(Tensor(X), 9), errors.UsageError, r"k is 9, axis 1 of f32\[2,4\] has 4 elements; ask for fewer"),
)


SMOOTH = [
    lambda x: ops.sort(x)[0], lambda x: ops.topk(x, 2)[0], lambda x: ops.cumsum(x, 1), lambda x: ops.cumprod(x, 0),
    lambda x: ops.cummax(x, 1)[0], lambda x: ops.logcumsumexp(x, 1), lambda x: ops.diff(x),
    lambda x: ops.median(x)[0], lambda x: ops.quantile(x, 0.3),
]  # fmt: skip


test_slopes = slopes(SMOOTH, X)
