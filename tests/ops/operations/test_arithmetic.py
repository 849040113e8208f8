"""Primitives of arithmetic on elements: sums, products, quotients, rounding, limits and bits."""

import numpy as np
import pytest

from minigraph import Tensor, float16, int32, jit, ops
from tests.ops.functional.checks import check_gradient, constants_test, in_both_modes

X, Y = np.array([0.3, -0.6, 0.9]), np.array([2.0, -3.0, 0.5])
UNARY = [
    ("Inv", np.reciprocal),
    ("Rint", np.rint),
    ("Trunc", np.trunc),
]  # fmt: skip
BINARY = [
    ("TensorAdd", np.add),
    ("Mod", np.fmod),
    ("Fmax", np.fmax),
    ("Fmin", np.fmin),
    ("SquaredDifference", lambda x, y: (x - y) ** 2),
    ("DivNoNan", np.divide),
    ("MulNoNan", np.multiply),
    ("Heaviside", np.heaviside),
]  # fmt: skip


@pytest.mark.parametrize(("name", "function"), UNARY)
def test_unary_primitives(name, function):
    np.testing.assert_allclose(in_both_modes(getattr(ops, name)(), Tensor(X)), function(X), rtol=1e-9)


@pytest.mark.parametrize(("name", "function"), BINARY)
def test_binary_primitives(name, function):
    np.testing.assert_allclose(in_both_modes(getattr(ops, name)(), Tensor(X), Tensor(Y)), function(X, Y), rtol=1e-9)


def test_no_nan_variants():
    zero = Tensor(np.array([0.0, 0.0, 2.0]))
    assert in_both_modes(ops.DivNoNan(), Tensor(Y), zero).tolist() == [0, 0, 0.25]
    assert in_both_modes(ops.MulNoNan(), Tensor(np.array([np.inf, np.nan, 1.0])), zero).tolist() == [0, 0, 2]
    check_gradient(lambda x, y: ops.DivNoNan()(x, y), X, Y)
    check_gradient(lambda x, y: ops.MulNoNan()(x, y), X, Y)


def test_sums_of_sequences():
    for kind in (ops.AddN, ops.AccumulateNV2):
        result = in_both_modes(lambda x, y, kind=kind: kind()([x, y, x]), Tensor(X), Tensor(Y))
        np.testing.assert_allclose(result, 2 * X + Y)


FIRST, SECOND = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[5.0, 6.0], [7.0, 8.0]])
FIRST_ARRAY, SECOND_ARRAY = FIRST.array, SECOND.array


test_values = constants_test(
    (ops.Add()(FIRST, SECOND), FIRST_ARRAY + SECOND_ARRAY),
    (ops.Sub()(FIRST, 1), FIRST_ARRAY - 1),
    (ops.Mul()(FIRST, SECOND), FIRST_ARRAY * SECOND_ARRAY),
    (ops.RealDiv()(FIRST, SECOND), FIRST_ARRAY / SECOND_ARRAY),
    (ops.Cast()(FIRST, int32), FIRST_ARRAY.astype(np.int32)),
)


def test_integers():
    x, y = Tensor([12, 7]), Tensor([2, 1])
    assert ops.Gcd()(x, y).tolist() == [2, 1] and ops.Lcm()(x, y).tolist() == [12, 7]
    assert ops.LeftShift()(x, y).tolist() == [48, 14] and ops.RightShift()(x, y).tolist() == [3, 3]
    assert ops.PopulationCount()(ops.cast(x, int32)).tolist() == [2, 3]
    assert ops.LerpScalar()(Tensor([1.0]), Tensor([3.0]), 0.5).tolist() == [2.0]


def test_results_have_the_dtype_of_the_operand():
    integers, scalar = Tensor([0, 3]), Tensor(2.0)
    for fn in (lambda x: ops.MulNoNan()(x, x), lambda x: ops.Addcmul()(x, x, x, scalar),
               lambda x: ops.Addcdiv()(x, x + 1, x + 1, scalar), lambda x: ops.CumProd()(x, 0)):  # fmt: skip
        for x in (integers, integers.astype(int32), integers.astype(float16)):
            assert fn(x).dtype is jit(fn)(x).dtype is x.dtype
    assert ops.MulNoNan()(integers, integers).asnumpy().tolist() == [0, 9]
    assert ops.xdivy(integers.astype(float16), 2).dtype is float16
