"""Cumulative functions, differences and integrals against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, float64, int32, int64, ops
from tests.ops.functional.checks import check_gradient, gradient_test, in_both_modes, value_test
from tests.tables import cases

FLOATS = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)


@cases(
    (lambda x: ops.trapz(x), FLOATS, np.trapezoid(FLOATS) if hasattr(np, "trapezoid") else np.trapz(FLOATS)),
    (lambda x: ops.trapz(x, dx=2.0, dim=0), FLOATS, (FLOATS[0] + FLOATS[1])),
)
def test_values(fn, array, expected):
    result = in_both_modes(fn, Tensor(array))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_trapz_at_positions():
    positions = np.array([0.0, 1.0, 3.0], np.float32)
    trapezoid = getattr(np, "trapezoid", None) or np.trapz
    np.testing.assert_allclose(
        ops.trapz(Tensor(FLOATS), Tensor(positions)).asnumpy(), trapezoid(FLOATS, positions), rtol=1e-5
    )


SAMPLES = np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32)
INTEGERS = np.array([[3, 1, 3, 2], [2, 2, 2, 0]])
VALUES = [
    (lambda x: ops.cumsum(x, 1), SAMPLES, SAMPLES.cumsum(1)),
    (lambda x: ops.cumsum(x, 0), INTEGERS, INTEGERS.cumsum(0)),
    (lambda x: ops.cumprod(x, 1), SAMPLES, SAMPLES.cumprod(1)),
    (lambda x: ops.cummax(x, 1)[0], SAMPLES, np.maximum.accumulate(SAMPLES, 1)),
    (lambda x: ops.cummin(x, 0)[0], SAMPLES, np.minimum.accumulate(SAMPLES, 0)),
    (lambda x: ops.logcumsumexp(x, 1), SAMPLES, np.log(np.exp(SAMPLES).cumsum(1))),
    (lambda x: ops.diff(x), SAMPLES, np.diff(SAMPLES)),
    (lambda x: ops.diff(x, 2, 1), SAMPLES, np.diff(SAMPLES, 2, 1)),
    (lambda x: ops.diff(x, 1, 0), SAMPLES, np.diff(SAMPLES, 1, 0)),
]
SMOOTH = [
    lambda x: ops.cumsum(x, 1),
    lambda x: ops.cumprod(x, 0),
    lambda x: ops.cummax(x, 1)[0],
    lambda x: ops.logcumsumexp(x, 1),
    lambda x: ops.diff(x),
]  # fmt: skip


test_values_of_order = value_test(VALUES, rtol=1e-5, atol=1e-6)


def test_dtypes():
    x, integers = Tensor(SAMPLES), Tensor(INTEGERS)
    assert (ops.cumsum(Tensor(INTEGERS, int32), 0).dtype, ops.cumsum(x, 0, float64).dtype) == (int32, float64)
    assert ops.cumprod(integers, 0).dtype is int64
    assert (ops.cummax(x, 0)[1].dtype, ops.cummin(x, 0)[1].dtype) == (int64, int32)


def test_indices_of_extremes_and_prepended_differences():
    # the index of an extreme is that of the last of equal ones
    assert ops.cummax(Tensor([1, 3, 3, 2]), 0)[1].tolist() == [0, 1, 2, 2]
    assert ops.cummin(Tensor([2.0, 2.0, 1.0, 3.0]), 0)[1].tolist() == [0, 1, 2, 2]
    # parts put before and behind differences
    assert ops.diff(Tensor([1.0, 4.0]), prepend=Tensor([0.0]), append=Tensor([10.0])).tolist() == [1.0, 3.0, 6.0]


test_gradients = gradient_test(SMOOTH, SAMPLES)


def test_the_gradient_of_an_integral():
    check_gradient(lambda x: ops.trapz(x), FLOATS)
