"""Reductions against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, bool_, float64, grad, int32, int64, ops
from tests.ops.functional.checks import check_gradient, constants_test, in_both_modes
from tests.tables import cases

SIGNED = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
SIGNED_ARRAY = SIGNED.array


test_values = constants_test(
    (ops.sum(SIGNED), SIGNED_ARRAY.sum()),
    (ops.sum(SIGNED, 1, True), SIGNED_ARRAY.sum(1, keepdims=True)),
    (ops.sum(Tensor([1, 2]), dtype=float64), 3.0),
    (ops.amax(SIGNED, 0), SIGNED_ARRAY.max(0)),
    (ops.amin(SIGNED), SIGNED_ARRAY.min()),
    (ops.argmax(SIGNED, 1), SIGNED_ARRAY.argmax(1)),
    (ops.argmax(SIGNED, 0, True), SIGNED_ARRAY.argmax(0)[None]),
    (ops.argmin(SIGNED, 1, True), SIGNED_ARRAY.argmin(1)[:, None]),
    rtol=1e-14,
)


def test_max_and_min_return_values_and_indices():
    # max and min give values and positions
    values, positions = ops.max(SIGNED, 1)
    assert (values.tolist(), positions.tolist()) == ([3.0, 5.0], [2, 1])
    values, positions = ops.min(SIGNED)
    assert (values.item(), positions.item()) == (-6.5, 0)  # as MindSpore documents it
    # of equal elements the first gets the gradient of an axis
    ties = Tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]])
    assert grad(lambda x: ops.max(x, 1)[0])(ties).tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    assert grad(lambda x: ops.min(-x, 1)[0])(ties).tolist() == [[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0]]
    assert grad(lambda x: ops.amax(x, 1))(ties).tolist() == [[0.0, 0.5, 0.5], [0.5, 0.5, 0.0]]


@cases(
    (lambda: ops.argmin(SIGNED), int32),
    (lambda: ops.argmax(SIGNED), int64),
    (lambda: ops.min(SIGNED, 1)[1], int64),
    (lambda: ops.reduce_sum(Tensor([True, True])), bool_),
    (lambda: ops.sum(Tensor([1, 2]), dtype=int32), int32),
)
def test_dtypes(tensor, dtype):
    assert tensor().dtype is dtype


FLOATS = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
WITH_NAN = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]], np.float32)


@cases(
    (lambda x: ops.prod(x), FLOATS, FLOATS.prod()),
    (lambda x: ops.prod(x, 1, True), FLOATS, FLOATS.prod(1, keepdims=True)),
    (lambda x: ops.count_nonzero(x), FLOATS - FLOATS[0], np.int32(np.count_nonzero(FLOATS - FLOATS[0]))),
    (lambda x: ops.count_nonzero(x, 1), FLOATS - FLOATS[0], np.count_nonzero(FLOATS - FLOATS[0], 1).astype(np.int32)),
    (lambda x: ops.nansum(x), WITH_NAN, np.nansum(WITH_NAN)),
    (lambda x: ops.nansum(x, 0, True), WITH_NAN, np.nansum(WITH_NAN, 0, keepdims=True)),
    (lambda x: ops.nanmean(x), WITH_NAN, np.nanmean(WITH_NAN)),
    (lambda x: ops.nanmean(x, 1), WITH_NAN, np.nanmean(WITH_NAN, 1)),
    (lambda x: ops.reduce_max(x, 1), FLOATS, FLOATS.max(1)),
)
def test_values_of_sums(fn, array, expected):
    result = in_both_modes(fn, Tensor(array))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_gradients_with_zeros():
    check_gradient(lambda x: ops.prod(x, 1), [[1.0, 0.0, 3.0], [0.0, 0.0, 2.0]])


def test_products_of_integers_and_bools_are_int64_by_default():
    assert ops.prod(Tensor([[2, 3]])).dtype is int64
    assert ops.prod(Tensor([True, False])).item() == 0
    assert ops.prod(Tensor([2, 3]), dtype=float64).dtype is float64


def test_aminmax():
    for result, expected in (
        (ops.aminmax(Tensor(FLOATS)), (FLOATS.min(0), FLOATS.max(0))),
        (ops.aminmax(Tensor(FLOATS), axis=1, keepdims=True), (FLOATS.min(1)[:, None], FLOATS.max(1)[:, None])),
    ):
        for tensor, array in zip(result, expected, strict=True):
            np.testing.assert_array_equal(tensor.asnumpy(), array)
