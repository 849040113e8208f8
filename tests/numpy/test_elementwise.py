"""Elementwise functions against numpy, with lists, numbers and other dtypes."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, errors, float16, float32, float64, int32, int64, uint32
from minigraph import numpy as mnp
from tests.numpy.checks import GAPS, INTEGERS, X, Y, assert_same, check, check_each
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

BELOW_ONE, ABOVE_ONE = np.abs(X) / 3, np.abs(X) + 1.25
OF_ONE = [
    "abs", "absolute", "arcsinh", "arctan", "cbrt", "ceil", "cos", "cosh", "deg2rad", "exp", "exp2", "expm1",
    "fabs", "floor", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "logical_not", "negative",
    "positive", "rad2deg", "radians", "reciprocal", "rint", "sign", "signbit", "sin", "sinh", "square", "tan",
    "tanh", "trunc",
]  # fmt: skip
OF_SMALL = ["arccos", "arcsin", "arctanh", "log", "log10", "log1p", "log2", "sqrt"]
OF_TWO = [
    "add", "arctan2", "copysign", "divide", "equal", "float_power", "floor_divide", "fmod", "greater",
    "greater_equal", "heaviside", "hypot", "less", "less_equal", "logaddexp", "logaddexp2", "logical_and",
    "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply", "not_equal", "remainder", "subtract",
    "true_divide",
]  # fmt: skip
SMOOTH = [
    "arcsinh", "arctan", "cos", "cosh", "deg2rad", "exp", "exp2", "expm1", "reciprocal", "sin", "sinh", "square",
    "tan", "tanh", "log", "log10", "log1p", "log2", "sqrt", "arcsin", "arccos", "arctanh",
]  # fmt: skip


@pytest.mark.parametrize("name", OF_ONE)
def test_unary_functions(name):
    check(name, X)
    if name not in ("reciprocal", "exp2"):  # integers of integers
        check(name, INTEGERS)


@every(name=[*OF_SMALL, "arccosh"])
def test_unary_functions_of_extreme_values(name):
    check(name, ABOVE_ONE if name == "arccosh" else BELOW_ONE)


@pytest.mark.parametrize("name", ["isnan", "isfinite", "isinf"])
def test_nan_and_infinity(name):
    check_each(name, (np.array([1, np.nan, np.inf, -np.inf], np.float32),), (GAPS,))


@pytest.mark.parametrize("name", OF_TWO)
def test_binary_functions(name):
    left = np.abs(X) if name == "float_power" else X
    check_each(name, (left, Y), (left, Y[0]))


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "divide", "less", "power"])
def test_numbers_and_tensors(name):
    check_each(name, (ABOVE_ONE, 2), (2.5, ABOVE_ONE))
    assert getattr(mnp, name)(2, 3).asnumpy() == pytest.approx(getattr(np, name)(2, 3))
    assert_same(getattr(mnp, name)([1, 2], [3, 4]), getattr(np, name)([1, 2], [3, 4]))


@every(name=["bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"])
def test_binary_functions_of_integers(name):
    check(name, INTEGERS, np.abs(INTEGERS) + 1)


@every(name=["bitwise_not", "invert"])
def test_inverted_bits(name):
    check(name, INTEGERS)


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients(name):
    check_gradient(getattr(mnp, name), BELOW_ONE + 0.1, tolerance=1e-4)


def test_quotients_clips_and_closeness():
    # quotients and remainders
    check_each("divmod", (X, Y), (INTEGERS, 3))
    # clip
    check_each("clip", (X, -0.5, 0.5), (X, None, 0.5), (INTEGERS, 0, 4))
    assert mnp.clip(Tensor(INTEGERS), 0.5, 4).dtype is int32
    # isclose
    check("isclose", X, X + 1e-9)
    check("isclose", X, Y, rtol=0.5)
    check("isclose", GAPS, GAPS, equal_nan=True)
    check("isclose", INTEGERS, INTEGERS)


def test_dtypes():
    x = Tensor(X)
    assert mnp.exp(x, dtype=float16).dtype is float16
    assert mnp.add(x, 1, "float64").dtype is float64
    assert mnp.sqrt(Tensor(np.abs(INTEGERS))).dtype is float32
    assert mnp.add([1, 2], 1).dtype is int32
    assert mnp.copysign(Tensor(INTEGERS), -1.0).asnumpy().tolist() == (-np.abs(INTEGERS)).tolist()
    assert mnp.isnan([1.0, np.nan], dtype=int32).asnumpy().tolist() == [0, 1]


@pytest.mark.parametrize("name", ["around", "round"])
def test_rounding(name):
    check_each(name, (X,), (X * 100, 1), (INTEGERS,))


test_signbit_stays_bool = error_cases(
    (lambda: mnp.signbit(Tensor(X), float32), errors.DTypeError, "signbit returns bools, got dtype Float32"),
)


H, WHOLE_NUMBERS, BOOLS = (Tensor(np.array([0, 1, 1], dtype)) for dtype in (np.float16, np.int64, np.bool_))


@every(case=[
    # MindSpore 2.10 printed these dtypes
    (lambda: mnp.add(H, 2.5), float32), (lambda: mnp.add(BOOLS, 2), int32), (lambda: mnp.power(BOOLS, 2), int32),
    (lambda: mnp.floor_divide(H, 2.5), float32), (lambda: mnp.floor_divide(H, 2), float16),
    (lambda: mnp.mod(BOOLS, 2), int32), (lambda: mnp.fmod(H, 2.5), float32), (lambda: mnp.maximum(H, 2.5), float16),
    (lambda: mnp.divmod(BOOLS, 2)[0], int64), (lambda: mnp.divmod(BOOLS, 2)[1], int32),
    (lambda: mnp.cbrt(H), float32), (lambda: mnp.float_power(H, H), float32), (lambda: mnp.hypot(H, 2), float16),
    (lambda: mnp.hypot(H, 2.5), float32), (lambda: mnp.exp2(WHOLE_NUMBERS), int64), (lambda: mnp.exp2(BOOLS), int64),
    (lambda: mnp.around(BOOLS, 1), int64), (lambda: mnp.around(WHOLE_NUMBERS, 1), int64),
    (lambda: mnp.cumsum(BOOLS), int32), (lambda: mnp.cumprod(BOOLS, dtype=float32), float32),
    (lambda: mnp.cumprod(Tensor([1, 2], ms.uint8)), uint32), (lambda: mnp.nancumsum(BOOLS), int32),
    (lambda: mnp.nanmax(WHOLE_NUMBERS), int64), (lambda: mnp.gradient(H), float32), (lambda: mnp.unwrap(H), float32),
    (lambda: mnp.interp(H, H, H), float32), (lambda: mnp.polyval(H, H), float32),
    (lambda: mnp.polyval([1, 2], 3), float32), (lambda: mnp.polyder(BOOLS), int32),
    (lambda: mnp.correlate(WHOLE_NUMBERS, WHOLE_NUMBERS), float64), (lambda: mnp.correlate([1, 2], [1]), float32),
    (lambda: mnp.polymul([1, 2], [3, 4]), int32),
])  # fmt: skip
def test_dtypes_of_results(case):
    function, dtype = case
    assert function().dtype is dtype
    assert ms.jit(function)().dtype is dtype


def test_powers_of_two_of_integers_are_0_below_0():
    assert mnp.exp2([3, 0, -1]).asnumpy().tolist() == [8, 1, 0]
