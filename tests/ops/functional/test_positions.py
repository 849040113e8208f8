"""Picking and putting by positions against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, errors, ops
from tests.ops.functional.ways import check_slope, slopes, values
from tests.tables import refusals

X = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
COLUMNS, PLACES = np.array([[0, 2], [1, 1]]), np.array([[0, 1], [1, 2]])


def put(array, index, values, ufunc=None):
    """numpy's own way of putting values at places."""
    found = array.copy()
    if ufunc is None:
        found[tuple(index.T)] = values
    else:
        ufunc.at(found, tuple(index.T), values)
    return found


TWICE, NEW = np.array([[0, 0], [0, 0], [1, 2]]), np.array([7.0, -8.0, 2.0], np.float32)
ZERO = Tensor([[0]])
CASES = [
    (lambda x: ops.gather_elements(x, 1, Tensor(COLUMNS)), np.take_along_axis(X, COLUMNS, 1)),
    (lambda x: ops.gather_elements(x, 0, Tensor([[1, 0, 1]])), np.take_along_axis(X, np.array([[1, 0, 1]]), 0)),
    (lambda x: ops.gather_d(x, -1, Tensor(COLUMNS)), np.take_along_axis(X, COLUMNS, 1)),
    (lambda x: ops.gather_nd(x, Tensor(PLACES)), X[tuple(PLACES.T)]),
    (lambda x: ops.gather_nd(x, Tensor([[1], [0], [1]])), X[[1, 0, 1]]),
    (lambda x: ops.index_select(x, 1, Tensor([2, 0])), X[:, [2, 0]]),
    (lambda x: ops.index_fill(x, 1, Tensor([0, 2]), 9.0), np.where([True, False, True], np.float32(9), X)),
    (lambda x: ops.index_add(x, Tensor([0, 0]), x[:, :2], 1), X + X[:, :2].sum(1, keepdims=True) * [1, 0, 0]),
    (lambda x: ops.scatter_nd(Tensor(TWICE), Tensor(NEW), (2, 3)), put(X * 0, TWICE, NEW, np.add)),
    (lambda x: ops.tensor_scatter_update(x, Tensor(PLACES), Tensor(NEW[:2])), put(X, PLACES, NEW[:2])),
    (lambda x: ops.tensor_scatter_add(x, Tensor(TWICE), Tensor(NEW)), put(X, TWICE, NEW, np.add)),
    (lambda x: ops.tensor_scatter_sub(x, Tensor(TWICE), Tensor(NEW)), put(X, TWICE, NEW, np.subtract)),
    (lambda x: ops.tensor_scatter_mul(x, Tensor(TWICE), Tensor(NEW)), put(X, TWICE, NEW, np.multiply)),
    (lambda x: ops.tensor_scatter_div(x, Tensor(TWICE), Tensor(NEW)), put(X, TWICE, NEW, np.divide)),
    (lambda x: ops.tensor_scatter_max(x, Tensor(TWICE), Tensor(NEW)), put(X, TWICE, NEW, np.maximum)),
    (lambda x: ops.tensor_scatter_min(x, Tensor(TWICE), Tensor(NEW)), put(X, TWICE, NEW, np.minimum)),
    (lambda x: ops.scatter(x, 1, Tensor([[2]]), Tensor([[5.0]])), put(X, np.array([[0, 2]]), 5.0)),
    (lambda x: ops.tensor_scatter_elements(x, Tensor([[1]]), 5.0, 1), put(X, np.array([[0, 1]]), 5.0)),
    (
        lambda x: ops.tensor_scatter_elements(x, Tensor([[0, 0]]), Tensor([[5.0, 6.0]]), 1, "add"),
        put(X, np.array([[0, 0]]), 11.0, np.add),
    ),
    (lambda x: ops.unsorted_segment_sum(x, Tensor([1, 1]), 3), np.stack([X[0] * 0, X.sum(0), X[0] * 0])),
    (lambda x: ops.unsorted_segment_sum(x, Tensor([[0, 1, 0], [1, 1, 0]]), 2), [X[0, 0] + X[0, 2] + X[1, 2],
                                                                               X[0, 1] + X[1, 0] + X[1, 1]]),
    (lambda x: ops.unsorted_segment_prod(x, Tensor([1, 1]), 2), np.stack([X[0] * 0 + 1, X.prod(0)])),
    (lambda x: ops.unsorted_segment_max(x, Tensor([0, 0]), 1), X.max(0, keepdims=True)),
    (lambda x: ops.unsorted_segment_min(x, Tensor([0, 0]), 1), X.min(0, keepdims=True)),
]  # fmt: skip


test_values = values(CASES, X, rtol=1e-6)


test_slopes = slopes([fn for fn, _ in CASES], X)


def test_slopes_of_what_is_put_and_the_extreme_of_none():
    # a group of none has the extreme of the dtype
    assert ops.unsorted_segment_max(Tensor([1, 2]), Tensor([0, 0]), 2).tolist() == [2, np.iinfo(np.int64).min]
    assert ops.unsorted_segment_min(Tensor([1.0]), Tensor([0]), 2).tolist() == [1.0, float(np.finfo(np.float32).max)]
    # the slope of what is put
    check_slope(lambda x, u: ops.tensor_scatter_update(x, Tensor(PLACES), u), X, NEW[:2])
    check_slope(lambda x, u: ops.scatter(x, 1, Tensor(COLUMNS), u), X, X[:, :2])


test_refusals = refusals(
    (lambda: ops.gather_elements(Tensor(X), 1, Tensor([0])), errors.ShapeError, r"the index is i64\[1\], but a tensor"),
    (
        lambda: ops.tensor_scatter_elements(Tensor(X), ZERO, 1.0, 0, "mean"),
        errors.UsageError,
        "is 'none' or 'add', got",
    ),
    (lambda: ops.gather_elements(Tensor(X), 5, ZERO), IndexError, "5"),
)
