"""Scattering against numpy's ``ufunc.at``, in both modes, with gradients."""

from functools import partial

import numpy as np
import pytest

from minigraph import Tensor, errors, ops
from tests.ops.functional.checks import check_function, check_gradient, gradient_test, value_test
from tests.tables import error_cases, every

FLOATS = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
COLUMNS, POSITIONS = np.array([[0, 2], [1, 1]]), np.array([[0, 1], [1, 2]])


def scatter(array, index, values, ufunc=None):
    """Values written at indices by numpy."""
    result = array.copy()
    if ufunc is None:
        result[tuple(index.T)] = values
    else:
        ufunc.at(result, tuple(index.T), values)
    return result


TWICE, NEW = np.array([[0, 0], [0, 0], [1, 2]]), np.array([7.0, -8.0, 2.0], np.float32)
ZERO = Tensor([[0]])
INDEX_CASES = [
    (lambda x: ops.index_fill(x, 1, Tensor([0, 2]), 9.0), np.where([True, False, True], np.float32(9), FLOATS)),
    (lambda x: ops.index_add(x, Tensor([0, 0]), x[:, :2], 1), FLOATS + FLOATS[:, :2].sum(1, keepdims=True) * [1, 0, 0]),
    (lambda x: ops.scatter_nd(Tensor(TWICE), Tensor(NEW), (2, 3)), scatter(FLOATS * 0, TWICE, NEW, np.add)),
    (lambda x: ops.tensor_scatter_update(x, Tensor(POSITIONS), Tensor(NEW[:2])), scatter(FLOATS, POSITIONS, NEW[:2])),
    (lambda x: ops.tensor_scatter_add(x, Tensor(TWICE), Tensor(NEW)), scatter(FLOATS, TWICE, NEW, np.add)),
    (lambda x: ops.tensor_scatter_sub(x, Tensor(TWICE), Tensor(NEW)), scatter(FLOATS, TWICE, NEW, np.subtract)),
    (lambda x: ops.tensor_scatter_mul(x, Tensor(TWICE), Tensor(NEW)), scatter(FLOATS, TWICE, NEW, np.multiply)),
    (lambda x: ops.tensor_scatter_div(x, Tensor(TWICE), Tensor(NEW)), scatter(FLOATS, TWICE, NEW, np.divide)),
    (lambda x: ops.tensor_scatter_max(x, Tensor(TWICE), Tensor(NEW)), scatter(FLOATS, TWICE, NEW, np.maximum)),
    (lambda x: ops.tensor_scatter_min(x, Tensor(TWICE), Tensor(NEW)), scatter(FLOATS, TWICE, NEW, np.minimum)),
    (lambda x: ops.scatter(x, 1, Tensor([[2]]), Tensor([[5.0]])), scatter(FLOATS, np.array([[0, 2]]), 5.0)),
    (lambda x: ops.tensor_scatter_elements(x, Tensor([[1]]), 5.0, 1), scatter(FLOATS, np.array([[0, 1]]), 5.0)),
    (
        lambda x: ops.tensor_scatter_elements(x, Tensor([[0, 0]]), Tensor([[5.0, 6.0]]), 1, "add"),
        scatter(FLOATS, np.array([[0, 0]]), 11.0, np.add),
    ),
    (
        lambda x: ops.unsorted_segment_sum(x, Tensor([1, 1]), 3),
        np.stack([FLOATS[0] * 0, FLOATS.sum(0), FLOATS[0] * 0]),
    ),
    (
        lambda x: ops.unsorted_segment_sum(x, Tensor([[0, 1, 0], [1, 1, 0]]), 2),
        [FLOATS[0, 0] + FLOATS[0, 2] + FLOATS[1, 2], FLOATS[0, 1] + FLOATS[1, 0] + FLOATS[1, 1]],
    ),
    (lambda x: ops.unsorted_segment_prod(x, Tensor([1, 1]), 2), np.stack([FLOATS[0] * 0 + 1, FLOATS.prod(0)])),
    (lambda x: ops.unsorted_segment_max(x, Tensor([0, 0]), 1), FLOATS.max(0, keepdims=True)),
    (lambda x: ops.unsorted_segment_min(x, Tensor([0, 0]), 1), FLOATS.min(0, keepdims=True)),
]


test_values = value_test(INDEX_CASES, FLOATS, rtol=1e-6)


test_gradients = gradient_test([fn for fn, _ in INDEX_CASES], FLOATS)


def test_gradients_and_empty_segments():
    # an empty segment has the extreme of the dtype
    assert ops.unsorted_segment_max(Tensor([1, 2]), Tensor([0, 0]), 2).tolist() == [2, np.iinfo(np.int64).min]
    assert ops.unsorted_segment_min(Tensor([1.0]), Tensor([0]), 2).tolist() == [1.0, float(np.finfo(np.float32).max)]
    # the gradient with respect to the updates
    check_gradient(lambda x, u: ops.tensor_scatter_update(x, Tensor(POSITIONS), u), FLOATS, NEW[:2])
    check_gradient(lambda x, u: ops.scatter(x, 1, Tensor(COLUMNS), u), FLOATS, FLOATS[:, :2])


test_errors = error_cases(
    (
        lambda: ops.tensor_scatter_elements(Tensor(FLOATS), ZERO, 1.0, 0, "mean"),
        errors.UsageError,
        "is 'none' or 'add', got",
    ),
)


TABLE = np.arange(1.0, 13.0, dtype=np.float32).reshape(4, 3)
UPDATES = np.array([[2.0, 4.0, 8.0], [16.0, 2.0, 4.0], [8.0, 2.0, 0.5]], np.float32)
AT = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum}


def update_table(update, index, updates):
    result = TABLE.copy()
    if update == "update":
        result[index] = updates
    else:
        AT[update].at(result, index, updates)
    return result


@every(where=[1, (2, 0)])
@pytest.mark.parametrize(("name", "update"), [(f"inplace_{update}", update) for update in ("update", "add", "sub")])
def test_inplace_functions_return_new_tensors(where, name, update):
    value, table = UPDATES[: 1 if isinstance(where, int) else len(where)], Tensor(TABLE)
    call = partial(getattr(ops, name), indices=where)
    check_function(lambda x, v: call(x, v=v), update_table(update, np.atleast_1d(where), value), TABLE, value, rtol=0)
    call(table, v=Tensor(value))
    np.testing.assert_array_equal(table.asnumpy(), TABLE)


def test_slices_are_replaced_in_a_new_tensor():
    diagonal, with_diagonal, with_row, with_slices = np.float32([-1, -2, -3]), TABLE.copy(), TABLE.copy(), TABLE.copy()
    with_diagonal[np.arange(3), np.arange(3)] = diagonal
    with_row[1] = UPDATES[0]
    with_slices[::2] = UPDATES[:2]
    check_function(ops.diagonal_scatter, with_diagonal, TABLE, diagonal, rtol=0)
    check_function(lambda x, r: ops.select_scatter(x, r, 0, 1), with_row, TABLE, UPDATES[0], rtol=0)
    check_function(lambda x, r: ops.slice_scatter(x, r, 0, 0, 4, 2), with_slices, TABLE, UPDATES[:2], rtol=0)
