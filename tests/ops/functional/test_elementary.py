"""Elementary and special functions against numpy and scipy, in both modes, with gradients."""

import math

import numpy as np
import pytest
from scipy import special

from minigraph import Tensor, float64, grad, ops
from tests.ops.functional.checks import check_gradient, gradient_test, in_both_modes

X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)
Y = np.array([[1.7, -0.8, 0.3], [-0.25, 1.5, -2.1]], np.float32)
P, H = np.abs(Y), X / 3
INTEGERS, DIVISORS = np.array([[3, -4, 5], [0, 7, 2]]), np.array([[2, 3, 1], [4, 5, 6]])
CASES = [
    (ops.log2, (P,), np.log2(P)),
    (ops.log10, (P,), np.log10(P)),
    (ops.exp2, (X,), np.exp2(X)),
    (ops.asinh, (X,), np.arcsinh(X)),
    (ops.acosh, (P + 1,), np.arccosh(P + 1)),
    (ops.atanh, (H,), np.arctanh(H)),
    (ops.atan2, (X, Y), np.arctan2(X, Y)),
    (ops.arcsin, (H,), np.arcsin(H)),
    (ops.erfc, (X,), special.erfc(X)),
    (ops.erfinv, (H,), special.erfinv(H)),
    (ops.erfinv, (np.array([1.0, -1.0, 2.0]),), [np.inf, -np.inf, np.nan]),
    (ops.hypot, (X, Y), np.hypot(X, Y)),
    (ops.hypot, (X * np.float32(1e30), Y * np.float32(1e30)), np.hypot(X, Y) * np.float32(1e30)),
    (ops.hypot, (np.float32([0, np.inf, -2]), np.float32([0, 1, -np.inf])), [0, np.inf, np.inf]),
    (ops.logaddexp, (X, Y), np.logaddexp(X, Y)),
    (ops.logaddexp, (X * 1000, Y * 1000), np.logaddexp(X * 1000, Y * 1000)),
    (ops.logaddexp2, (X, Y), np.logaddexp2(X, Y)),
    (ops.xlogy, (P, P), special.xlogy(P, P)),
    (ops.xlogy, (np.zeros(3), np.array([0.0, -1.0, np.nan])), [0.0, 0.0, np.nan]),
    (ops.ldexp, (X, INTEGERS), np.ldexp(X, INTEGERS)),
    (ops.deg2rad, (X,), np.deg2rad(X)),
    (ops.rad2deg, (X,), np.rad2deg(X)),
    (ops.sinc, (np.append(X, np.float32(0)),), np.sinc(np.append(X, np.float32(0)))),
    (ops.logit, (P / 3,), special.logit(P / 3)),
]
SMOOTH = [
    (ops.hypot, (X, Y)),
    (ops.logaddexp, (X, Y)),
    (ops.logaddexp2, (X, Y)),
    (ops.xlogy, (P, P)),
    (ops.sinc, (X,)),
    (ops.logit, (P / 3,)),
    (ops.erfc, (X,)),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "args", "expected"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_values(fn, args, expected):
    result = in_both_modes(fn, *map(Tensor, args))
    assert result.dtype == (np.asarray(expected).dtype if np.asarray(expected).dtype.kind in "bi" else args[0].dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_hypotenuses_of_small_sides_do_not_vanish():
    sides = Tensor([3e-30, 0.0]), Tensor([4e-30, 2e-30])
    np.testing.assert_allclose(ops.hypot(*sides).asnumpy(), [5e-30, 2e-30], rtol=1e-6)
    gradients = grad(lambda x, y: ops.hypot(x, y).sum(), (0, 1))(*sides)
    np.testing.assert_allclose([gradient.asnumpy() for gradient in gradients], [[0.6, 0], [0.8, 1]], rtol=1e-6)


def test_probabilities_of_logit_are_clamped():
    np.testing.assert_allclose(ops.logit(Tensor([0.0, 1.0]), 0.25).asnumpy(), special.logit([0.25, 0.75]), rtol=1e-6)


def test_float_power():
    assert ops.float_power(Tensor(INTEGERS), 2).dtype is float64
    assert ops.float_power(Tensor(np.array([1 + 1j], np.complex64)), 2).asnumpy()[0] == pytest.approx(2j)


test_gradients = gradient_test(SMOOTH, ids=lambda part: getattr(part, "__name__", ""))


def test_the_gradient_of_an_inverse_is_the_reciprocal():
    x = 0.4
    check_gradient(ops.erfinv, np.array([x, -x]))
    assert math.erf(ops.erfinv(Tensor(np.array([x]))).item()) == pytest.approx(x, rel=1e-12)


def test_xdivy_is_0_where_x_is_0():
    x, y = np.array([0.0, 1.0, 4.0]), np.array([0.0, 2.0, 3.0])
    np.testing.assert_array_equal(in_both_modes(ops.xdivy, Tensor(x), Tensor(y)), [0, 0.5, 4 / 3])
    check_gradient(ops.xdivy, x[1:], y[1:])
    assert grad(ops.xdivy)(Tensor(x), Tensor(y)).asnumpy()[0] == 0  # and no NaN
