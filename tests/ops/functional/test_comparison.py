"""Comparison, and tests for NaN and infinity, against numpy, in both modes."""

import numpy as np
import pytest

from minigraph import Tensor, float16, float32, float64, ops
from tests.ops.functional.checks import constants_test, in_both_modes

SIGNED = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
SIGNED_ARRAY = SIGNED.array


test_values = constants_test(
    (ops.eq(SIGNED, 0.0), SIGNED_ARRAY == 0),
    rtol=1e-14,
)


X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)
INTEGERS, OTHER_INTEGERS = np.array([[3, -4, 5], [0, 7, 2]]), np.array([[2, 3, 1], [4, 5, 6]])
E = np.array([1.0, np.nan, np.inf, -np.inf], np.float32)
CASES = [
    (ops.isposinf, (E,), np.isposinf(E)),
    (ops.isneginf, (E,), np.isneginf(E)),
    (ops.isclose, (X, X + 1e-7), np.isclose(X, X + 1e-7)),
    (ops.isclose, (E, E), np.isclose(E, E)),
    (ops.isclose, (E, np.full(4, np.inf, np.float32)), np.isclose(E, np.inf)),
    (ops.nan_to_num, (E,), np.nan_to_num(E)),
    (ops.nan_to_num, (INTEGERS,), INTEGERS),
]


@pytest.mark.parametrize(("fn", "args", "expected"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_values_of_functions(fn, args, expected):
    result = in_both_modes(fn, *map(Tensor, args))
    assert result.dtype == (np.asarray(expected).dtype if np.asarray(expected).dtype.kind in "bi" else args[0].dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [float16, float32, float64])
def test_infinities_become_the_limits_of_the_dtype(dtype):
    info = np.finfo(dtype.numpy)
    assert ops.nan_to_num(Tensor(E, dtype)).asnumpy().tolist() == [1.0, 0.0, float(info.max), float(info.min)]


def test_options():
    assert ops.nan_to_num(Tensor(E), 5.0, 6.0, 7.0).tolist() == [1.0, 5.0, 6.0, 7.0]
    assert ops.isclose(Tensor(E), Tensor(E), equal_nan=True).tolist() == [True] * 4


def test_approximately_equal_and_not_zero():
    x, y = np.array([0.0, 1.0, 4.0]), np.array([0.0, 2.0, 3.0])
    near = in_both_modes(lambda a, b: ops.approximate_equal(a, b, 1.5), Tensor(x), Tensor(y))
    assert near.tolist() == [True, True, True]
    assert ops.is_nonzero(Tensor([3.0]))
