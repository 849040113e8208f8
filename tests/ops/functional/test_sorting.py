"""Sorting, searching and unique elements against numpy, in both modes."""

import numpy as np
import pytest

from minigraph import Tensor, errors, int32, int64, jit, ops, uint8
from minigraph.core.errors import ShapeError
from tests.ops.functional.checks import gradient_test, in_both_modes, value_test
from tests.tables import error_cases, every

SAMPLES = np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32)
INTEGERS = np.array([[3, 1, 3, 2], [2, 2, 2, 0]])
REPEATED = np.array([1, 2, 2, 5, 5, 5, 1])
VALUES = [
    (lambda x: ops.searchsorted(Tensor([0.0, 0.5, 1.0]), x), SAMPLES, np.searchsorted([0.0, 0.5, 1.0], SAMPLES)),
    (
        lambda x: ops.searchsorted(Tensor([0, 2, 2, 3]), x, right=True),
        INTEGERS,
        np.searchsorted([0, 2, 2, 3], INTEGERS, "right"),
    ),
    (lambda x: ops.bucketize(x, [0.0, 0.5]), SAMPLES, np.searchsorted([0.0, 0.5], SAMPLES)),
]
SMOOTH = [
    lambda x: ops.sort(x)[0],
    lambda x: ops.topk(x, 2)[0],
]  # fmt: skip


@every(axis=[0, 1, -1], descending=[False, True])
@pytest.mark.parametrize("array", [SAMPLES, INTEGERS], ids=["floats", "ties"])
def test_sorting_is_stable(array, axis, descending):
    values, positions = in_both_modes(lambda x: ops.sort(x, axis, descending), Tensor(array))
    signed = -array if descending else array
    expected = np.argsort(signed, axis, kind="stable")
    assert positions.dtype == np.int32
    np.testing.assert_array_equal(positions, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(array, expected, axis))


def test_topk():
    values, positions = in_both_modes(lambda x: ops.topk(x, 2), Tensor(SAMPLES))
    np.testing.assert_array_equal(values, np.sort(SAMPLES, 1)[:, ::-1][:, :2])
    np.testing.assert_array_equal(np.take_along_axis(SAMPLES, positions, 1), values)
    assert ops.topk(Tensor(INTEGERS), 1, 0, largest=False)[0].tolist() == INTEGERS.min(0, keepdims=True).tolist()
    assert ops.top_k(Tensor(SAMPLES), 1)[0].tolist() == SAMPLES.max(1, keepdims=True).tolist()
    np.testing.assert_array_equal(ops.msort(Tensor(SAMPLES)).asnumpy(), np.sort(SAMPLES, 0))


test_values = value_test(VALUES, rtol=1e-5, atol=1e-6)


def test_searchsorted_and_bucketize():
    # rows in order are searched one by one
    rows, values = np.array([[1, 3, 5], [2, 4, 6]]), np.array([[3, 4], [3, 9]])
    expected = [np.searchsorted(row, row_values) for row, row_values in zip(rows, values, strict=True)]
    assert ops.searchsorted(Tensor(rows), Tensor(values)).tolist() == np.stack(expected).tolist()
    shuffled, order = np.array([5, 1, 3]), np.array([1, 2, 0])
    assert ops.searchsorted(Tensor(shuffled), Tensor([3]), sorter=Tensor(order)).tolist() == [1]
    # bucketize
    mask = SAMPLES > 0
    assert ops.nonzero(Tensor(mask)).tolist() == np.argwhere(mask).tolist()
    assert [t.tolist() for t in ops.nonzero(Tensor(mask), as_tuple=True)] == [a.tolist() for a in np.nonzero(mask)]
    assert ops.nonzero(Tensor(3)).shape == (1, 0)
    assert ops.masked_select(Tensor(SAMPLES), Tensor(mask)).tolist() == SAMPLES[mask].tolist()
    assert ops.masked_select(Tensor(SAMPLES[:1]), Tensor(mask)).shape == (int(mask.sum()),)


def test_unique():
    values, inverse = ops.unique(Tensor(REPEATED))
    assert (values.tolist(), inverse.tolist(), inverse.dtype) == ([1, 2, 5], [0, 1, 1, 2, 2, 2, 0], int64)
    assert ops.unique(Tensor([2.5, 1.5]))[1].dtype is int32
    runs, numbers, counts = ops.unique_consecutive(Tensor(REPEATED), True, True)
    assert [runs.tolist(), numbers.tolist(), counts.tolist()] == [[1, 2, 5, 1], [0, 1, 1, 2, 2, 2, 3], [1, 2, 3, 1]]
    assert ops.unique_consecutive(Tensor([[1, 1], [1, 1], [2, 1]]), dim=0).tolist() == [[1, 1], [2, 1]]


@pytest.mark.parametrize("fn", [ops.unique, ops.nonzero, ops.bincount, lambda x: ops.masked_select(x, x > 2)])
def test_results_that_depend_on_values_raise_in_a_graph(fn):
    with pytest.raises(errors.MinigraphError):
        jit(lambda x: fn(x), fullgraph=True)(Tensor(REPEATED))


test_numbers_instead_of_tensors_raise = error_cases(
    (lambda: ops.unique([1, 2]), TypeError, "unique: expected a tensor, got list; wrap it in Tensor"),
    (
        lambda: ops.topk(Tensor(SAMPLES), 9),
        errors.UsageError,
        r"k is 9, but axis 1 of f32\[2,4\] has 4 elements",
    ),
)


test_gradients = gradient_test(SMOOTH, SAMPLES)


RANDOM = np.random.default_rng(9)
VOLUME = RANDOM.standard_normal((2, 3, 4))
VOLUME_TENSOR = Tensor(VOLUME)


def test_nonzero_and_intopk():
    classes = np.array([1, 3, 0, 2], np.int32)
    scores = RANDOM.standard_normal((4, 5))
    for k in (1, 2, 5):
        reference = [own in np.argsort(-row)[:k] for own, row in zip(classes, scores, strict=True)]
        assert (
            in_both_modes(lambda x, c, k=k: ops.intopk(x, c, k), Tensor(scores), Tensor(classes)).tolist() == reference
        )
    bits = np.array([0, 1, 255, -1, 1234], np.int32)
    counted = in_both_modes(ops.population_count, Tensor(bits))
    assert counted.tolist() == [int(number).bit_count() if number >= 0 else 32 for number in bits]
    assert ops.population_count(Tensor(bits)).dtype is uint8


@every(values=[[5, 2, 2, 1, 5], [3], [], [7, 7, 7]])
def test_unique_with_pad(values):
    x = np.array(values, np.int32)
    result, positions = in_both_modes(lambda t: ops.unique_with_pad(t, -1), Tensor(x))
    unique = list(dict.fromkeys(values))
    assert result.tolist() == unique + [-1] * (len(values) - len(unique))
    assert [unique[at] for at in positions] == values
    assert [tensor.dtype for tensor in ops.unique_with_pad(Tensor(x), 0)] == [int32, int32]
    assert ops.unique_with_pad(Tensor(x, int64), 0)[1].dtype is int64


test_errors = error_cases(
    (lambda: ops.unique_with_pad(VOLUME_TENSOR, 0), ShapeError, "unique_with_pad: needs a vector"),
)


def test_dtypes_of_indices():
    assert ops.argsort(Tensor(SAMPLES)).dtype is int32
    assert ops.searchsorted(Tensor([1, 2]), Tensor(INTEGERS)).dtype is int64
    assert ops.searchsorted(Tensor([1, 2]), Tensor(INTEGERS), out_int32=True).dtype is int32
