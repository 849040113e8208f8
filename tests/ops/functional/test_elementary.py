"""Further functions of single elements against numpy, in both modes."""

import math

import numpy as np
import pytest
from scipy import special

from minigraph import Tensor, float16, float32, float64, ops
from tests.ops.functional.ways import both_ways, check_slope, slopes

X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)
Y = np.array([[1.7, -0.8, 0.3], [-0.25, 1.5, -2.1]], np.float32)
P, H = np.abs(Y), X / 3
K, J = np.array([[3, -4, 5], [0, 7, 2]]), np.array([[2, 3, 1], [4, 5, 6]])
E = np.array([1.0, np.nan, np.inf, -np.inf], np.float32)

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
    (ops.trunc, (X * 3,), np.trunc(X * 3)),
    (ops.trunc, (K,), K),
    (ops.frac, (X * 3,), np.modf(X * 3)[0]),
    (ops.truncate_div, (K, J), np.trunc(K / J)),
    (ops.truncate_div, (X, Y), np.trunc(X / Y)),
    (ops.truncate_mod, (K, J), np.fmod(K, J)),
    (ops.fmod, (X, Y), np.fmod(X, Y)),
    (ops.hypot, (X, Y), np.hypot(X, Y)),
    (ops.logaddexp, (X, Y), np.logaddexp(X, Y)),
    (ops.logaddexp, (X * 1000, Y * 1000), np.logaddexp(X * 1000, Y * 1000)),
    (ops.logaddexp2, (X, Y), np.logaddexp2(X, Y)),
    (ops.xlogy, (P, P), special.xlogy(P, P)),
    (ops.xlogy, (np.zeros(3), np.array([0.0, -1.0, np.nan])), [0.0, 0.0, np.nan]),
    (ops.copysign, (X, Y), np.copysign(X, Y)),
    (ops.signbit, (X,), np.signbit(X)),
    (ops.gcd, (K, J), np.gcd(K, J)),
    (ops.lcm, (K, J), np.lcm(K, J)),
    (ops.invert, (K,), ~K),
    (ops.bitwise_left_shift, (K, J % 3), K << (J % 3)),
    (ops.bitwise_right_shift, (K, J % 3), K >> (J % 3)),
    (ops.lerp, (X, Y, P), X + P * (Y - X)),
    (ops.addcmul, (X, Y, P), X + Y * P),
    (ops.addcdiv, (X, Y, P), X + Y / P),
    (ops.ldexp, (X, K), np.ldexp(X, K)),
    (ops.deg2rad, (X,), np.deg2rad(X)),
    (ops.rad2deg, (X,), np.rad2deg(X)),
    (ops.sinc, (np.append(X, np.float32(0)),), np.sinc(np.append(X, np.float32(0)))),
    (ops.logit, (P / 3,), special.logit(P / 3)),
    (ops.heaviside, (np.array([-1.0, 0.0, 2.0]), np.array([5.0, 6.0, 7.0])), [0.0, 6.0, 1.0]),
    (ops.fmax, (E, np.zeros(4, np.float32)), [1.0, 0.0, np.inf, 0.0]),
    (ops.fmin, (np.zeros(4, np.float32), E), [0.0, 0.0, 0.0, -np.inf]),
    (ops.isposinf, (E,), np.isposinf(E)),
    (ops.isneginf, (E,), np.isneginf(E)),
    (ops.isreal, (X,), np.isreal(X)),
    (ops.isclose, (X, X + 1e-7), np.isclose(X, X + 1e-7)),
    (ops.isclose, (E, E), np.isclose(E, E)),
    (ops.isclose, (E, np.full(4, np.inf, np.float32)), np.isclose(E, np.inf)),
    (ops.nan_to_num, (E,), np.nan_to_num(E)),
    (ops.nan_to_num, (K,), K),
    (ops.subtract, (X, Y), X - Y),
    (ops.positive, (X,), X),
    (ops.absolute, (X,), np.abs(X)),
]


@pytest.mark.parametrize(("fn", "args", "expected"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_values(fn, args, expected):
    found = both_ways(fn, *map(Tensor, args))
    assert found.dtype == (np.asarray(expected).dtype if np.asarray(expected).dtype.kind in "bi" else args[0].dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_options_and_powers_in_float64():
    # options
    x = Tensor(X)
    np.testing.assert_allclose(ops.subtract(x, Tensor(Y), alpha=2).asnumpy(), X - 2 * Y, rtol=1e-6)
    np.testing.assert_allclose(ops.addcmul(x, x, x, 0.5).asnumpy(), X + 0.5 * X * X, rtol=1e-6)
    np.testing.assert_allclose(ops.logit(Tensor([0.0, 1.0]), 0.25).asnumpy(), special.logit([0.25, 0.75]), rtol=1e-6)
    assert ops.nan_to_num(Tensor(E), 5.0, 6.0, 7.0).tolist() == [1.0, 5.0, 6.0, 7.0]
    assert ops.isclose(Tensor(E), Tensor(E), equal_nan=True).tolist() == [True] * 4
    assert ops.truncate_div(Tensor(K), -2).tolist() == np.trunc(K / -2).tolist()
    # powers in float64
    assert ops.float_power(Tensor(K), 2).dtype is float64
    assert ops.float_power(Tensor(np.array([1 + 1j], np.complex64)), 2).asnumpy()[0] == pytest.approx(2j)


@pytest.mark.parametrize("dtype", [float16, float32, float64])
def test_the_largest_numbers_are_those_of_the_dtype(dtype):
    info = np.finfo(dtype.numpy)
    assert ops.nan_to_num(Tensor(E, dtype)).asnumpy().tolist() == [1.0, 0.0, float(info.max), float(info.min)]


SMOOTH = [
    (ops.hypot, (X, Y)), (ops.logaddexp, (X, Y)), (ops.logaddexp2, (X, Y)), (ops.xlogy, (P, P)), (ops.sinc, (X,)),
    (ops.lerp, (X, Y, P)), (ops.addcdiv, (X, Y, P)), (ops.logit, (P / 3,)), (ops.erfc, (X,)), (ops.frac, (X,)),
]  # fmt: skip


test_slopes = slopes(SMOOTH, ids=lambda part: getattr(part, "__name__", ""))


def test_the_slope_of_an_inverse_is_that_of_the_function_turned_over():
    x = 0.4
    check_slope(ops.erfinv, np.array([x, -x]))
    assert math.erf(ops.erfinv(Tensor(np.array([x]))).item()) == pytest.approx(x, rel=1e-12)
