"""Indexing and searching against numpy."""

import numpy as np

from minigraph import Tensor, errors, float32, int32
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, INTEGERS, V, W, X, Y, check, check_each
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

SORTED = np.sort(W)


def test_where_and_select():
    # where
    check_each("where", (INTEGERS > 2, X, Y), (INTEGERS > 2, X, 0), (INTEGERS > 2, INTEGERS, 1.5))
    assert mnp.where([True, False], 1, 0).dtype is int32
    # select
    check("select", [X > 0, Y > 0], [X, Y])
    check("select", [X > 0, Y > 0], [X, Y], default=5)


def test_positions_in_and_out_of_range():
    # positions of nonzero elements
    check_each("argwhere", (INTEGERS,), (INTEGERS > 2,), compiled=False)
    # positions out of range
    positions = Tensor(np.array([[0, 5], [2, 1]]))
    assert mnp.ravel_multi_index(positions, (2, 3)).asnumpy().tolist() == [2, 4]
    assert mnp.ravel_multi_index(positions, (2, 3), mode="wrap").asnumpy().tolist() == [2, 4]


@every(mode=["clip", "wrap"])
def test_take_and_choose(mode):
    # take
    for positions in (np.array([0, 2]), np.array([[0, 7], [3, 1]])):
        check("take", X, positions, axis=1, mode=mode)
        check("take", X, positions, mode=mode)
    check("take", X, 1, axis=0, mode=mode)
    check("take", CUBE, np.array([0, -1]), axis=-1, mode="wrap")
    # choose
    rows = [np.array([1, 2, 3]), np.array([4, 5, 6])]
    check_each("choose", (np.array([0, 1, 0]), rows), (np.array([0, 5, -1]), rows), mode=mode)
    assert mnp.choose([0, 1], [1.5, 2.5]).asnumpy().tolist() == [1.5, 2.5]


@every(side=["left", "right"])
def test_searchsorted(side):
    check_each("searchsorted", (SORTED, V), (SORTED, 2.5), side=side)
    check("searchsorted", W, V, side=side, sorter=np.argsort(W))


def test_take_along_an_axis():
    check_each("take_along_axis", (X, np.array([[0], [2]]), 1), (X, np.array([[0, 1, 0]]), 0))
    check_each("take_along_axis", (X, np.array([3, 1]), None), (X, np.array([[-1], [0]]), 1))


@every(order=["C", "F"])
def test_flat_indices(order):
    numbers = np.array([5, 3, 0])
    positions = check("unravel_index", numbers, (2, 3), order=order)
    assert mnp.ravel_multi_index(positions, (2, 3), order=order).asnumpy().tolist() == numbers.tolist()
    assert mnp.ravel_multi_index(mnp.stack(positions), (2, 3), order=order).dtype is float32
    assert [tensor.asnumpy() for tensor in mnp.unravel_index(-1, (2, 3))] == [1, 2]


def test_gradients():
    check_gradient(lambda x, y: mnp.where(Tensor(INTEGERS > 2), x, y), X, Y)
    check_gradient(lambda x: mnp.take(x, [0, 2, 2], 1), X)
    check_gradient(lambda x, y: mnp.select([x > 0, y > 0], [x, y]), X, Y)


test_errors = error_cases(
    (lambda: mnp.where(Tensor(X)), "numpy.where needs x and y; argwhere"),
    (lambda: mnp.take(Tensor(X), [0], mode="near"), "mode must be 'clip', 'wrap' or 'raise', got 'near'"),
    (lambda: mnp.take(Tensor(X), [9], mode="raise"), "9"),
    (lambda: mnp.searchsorted([1, 2], [1], side="middle"), "side must be 'left' or 'right', got 'middle'"),
    (lambda: mnp.select([Tensor(X > 0)], []), "select needs a choice per condition, got 0 for 1"),
    (lambda: mnp.unravel_index([1], (2, 3), order="K"), "order must be 'C' or 'F', got 'K'"),
    error=errors.MinigraphError,
)
