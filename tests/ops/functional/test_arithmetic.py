"""Arithmetic on elements against numpy, in both modes, with gradients."""

import inspect

import numpy as np
import pytest

from minigraph import Tensor, errors, grad, int64, ops
from minigraph.core.errors import UsageError
from minigraph.ops import functional
from minigraph.ops.functional import arithmetic, comparison, elementary
from tests.ops.functional.checks import constants_test, gradient_test, in_both_modes, value_test
from tests.tables import cases, error_cases

SIGNED = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
SIGNED_ARRAY = SIGNED.array


test_values = constants_test(
    (ops.div(SIGNED, 2), SIGNED_ARRAY / 2),
    (ops.div(SIGNED, 2, rounding_mode="floor"), SIGNED_ARRAY // 2),
    (ops.div(SIGNED, 2, rounding_mode="trunc"), np.trunc(SIGNED_ARRAY / 2)),
    (ops.pow(SIGNED, 2), SIGNED_ARRAY**2),
    (ops.clip(SIGNED, -1, 2), np.clip(SIGNED_ARRAY, -1, 2)),
    (ops.clamp(SIGNED, max=1.0), np.minimum(SIGNED_ARRAY, 1)),
    (ops.floor(SIGNED), np.floor(SIGNED_ARRAY)),
    rtol=1e-14,
)


def test_a_bound_passes_the_whole_gradient_of_clip_and_half_of_clip_by_value():
    x = Tensor([-1.0, 0.0, 1.0, 2.0])
    assert grad(lambda x: ops.clip(x, -1, 1))(x).tolist() == [1.0, 1.0, 1.0, 0.0]
    assert grad(lambda x: ops.clip_by_value(x, -1, 1))(x).tolist() == [0.5, 1.0, 0.5, 0.0]


@cases(
    (lambda: ops.div(Tensor([-7]), 2, rounding_mode="trunc"), int64),
)
def test_dtypes(tensor, dtype):
    assert tensor().dtype is dtype


def test_integer_division_towards_zero():
    assert ops.div(Tensor([-7, 7, 6]), Tensor([2, -2, -2]), rounding_mode="trunc").tolist() == [-3, -3, -3]


test_errors = error_cases(
    (lambda: ops.div(SIGNED, 2, rounding_mode="up"), errors.UsageError, "rounding_mode is None, 'floor' or 'trunc'"),
    (lambda: ops.clip(SIGNED), errors.UsageError, "clip: give a lower bound, an upper bound, or both"),
)


X = np.array([[1.6, -0.6, -0.5], [-1.1, 0.9, -2.3]], np.float32)
Y = np.array([[1.7, -0.8, 0.3], [-0.25, 1.5, -2.1]], np.float32)
P, H = np.abs(Y), X / 3
INTEGERS, DIVISORS = np.array([[3, -4, 5], [0, 7, 2]]), np.array([[2, 3, 1], [4, 5, 6]])
E = np.array([1.0, np.nan, np.inf, -np.inf], np.float32)
CASES = [
    (ops.trunc, (X * 3,), np.trunc(X * 3)),
    (ops.trunc, (INTEGERS,), INTEGERS),
    (ops.frac, (X * 3,), np.modf(X * 3)[0]),
    (ops.truncate_div, (INTEGERS, DIVISORS), np.trunc(INTEGERS / DIVISORS)),
    (ops.truncate_div, (X, Y), np.trunc(X / Y)),
    (ops.truncate_mod, (INTEGERS, DIVISORS), np.fmod(INTEGERS, DIVISORS)),
    (ops.fmod, (X, Y), np.fmod(X, Y)),
    (ops.copysign, (X, Y), np.copysign(X, Y)),
    (ops.signbit, (X,), np.signbit(X)),
    (ops.gcd, (INTEGERS, DIVISORS), np.gcd(INTEGERS, DIVISORS)),
    (ops.lcm, (INTEGERS, DIVISORS), np.lcm(INTEGERS, DIVISORS)),
    (ops.invert, (INTEGERS,), ~INTEGERS),
    (ops.bitwise_left_shift, (INTEGERS, DIVISORS % 3), INTEGERS << (DIVISORS % 3)),
    (ops.bitwise_right_shift, (INTEGERS, DIVISORS % 3), INTEGERS >> (DIVISORS % 3)),
    (ops.lerp, (X, Y, P), X + P * (Y - X)),
    (ops.addcmul, (X, Y, P), X + Y * P),
    (ops.addcdiv, (X, Y, P), X + Y / P),
    (ops.heaviside, (np.array([-1.0, 0.0, 2.0]), np.array([5.0, 6.0, 7.0])), [0.0, 6.0, 1.0]),
    (ops.fmax, (E, np.zeros(4, np.float32)), [1.0, 0.0, np.inf, 0.0]),
    (ops.fmin, (np.zeros(4, np.float32), E), [0.0, 0.0, 0.0, -np.inf]),
    (ops.subtract, (X, Y), X - Y),
    (ops.positive, (X,), X),
    (ops.absolute, (X,), np.abs(X)),
]
SMOOTH = [
    (ops.lerp, (X, Y, P)),
    (ops.addcdiv, (X, Y, P)),
    (ops.frac, (X,)),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "args", "expected"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_values_of_functions(fn, args, expected):
    result = in_both_modes(fn, *map(Tensor, args))
    assert result.dtype == (np.asarray(expected).dtype if np.asarray(expected).dtype.kind in "bi" else args[0].dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_options():
    x = Tensor(X)
    np.testing.assert_allclose(ops.subtract(x, Tensor(Y), alpha=2).asnumpy(), X - 2 * Y, rtol=1e-6)
    np.testing.assert_allclose(ops.addcmul(x, x, x, 0.5).asnumpy(), X + 0.5 * X * X, rtol=1e-6)
    assert ops.truncate_div(Tensor(INTEGERS), -2).tolist() == np.trunc(INTEGERS / -2).tolist()


test_gradients = gradient_test(SMOOTH, ids=lambda part: getattr(part, "__name__", ""))


RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(3, 3)).astype(np.float32), RNG.normal(size=(3, 3)).astype(np.float32)
WITH_OPTIONS = [
    (lambda a, b: ops.addn([a, b, a]), A + B + A),
]


test_values_with_options = value_test(WITH_OPTIONS, A, B, rtol=2e-4, atol=1e-5)


test_refusals_of_products = error_cases(
    (lambda: ops.addn(3), UsageError, "addn: expected a tuple or list of tensors, got 3"),
)


MODULES = (arithmetic, comparison, elementary)
ALIASES = [name for module in MODULES for name in module.__all__ if name.startswith("tensor_")]


@pytest.mark.parametrize("name", ALIASES)
def test_an_alias_is_a_function_of_another_name(name):
    others = {other: fn for module in MODULES for other, fn in vars(module).items() if other not in ALIASES}
    assert inspect.unwrap(getattr(functional, name)) in map(inspect.unwrap, filter(callable, others.values()))


def test_sums_of_sequences():
    x, y = Tensor(X), Tensor(Y)
    np.testing.assert_array_equal(in_both_modes(lambda a, b: ops.accumulate_n([a, b, a]), x, y), X + Y + X)
