"""Primitives of single elements: the functions they are, and what only they do."""

import numpy as np
import pytest

from minigraph import Tensor, float64, ops
from tests.ops.functional.ways import both_ways, check_slope

X, Y = np.array([0.3, -0.6, 0.9]), np.array([2.0, -3.0, 0.5])
SPD = np.array([[2.0, 0.5], [0.5, 1.0]])

SAME = [  # the primitive, numpy's own
    ("Asin", np.arcsin), ("ACos", np.arccos), ("Atan", np.arctan), ("Asinh", np.arcsinh), ("Atanh", np.arctanh),
    ("Sinh", np.sinh), ("Cosh", np.cosh), ("Expm1", np.expm1), ("Log1p", np.log1p), ("Inv", np.reciprocal),
    ("Rint", np.rint), ("Trunc", np.trunc), ("IsNan", np.isnan), ("IsInf", np.isinf), ("IsFinite", np.isfinite),
]  # fmt: skip
PAIRS = [
    ("TensorAdd", np.add), ("Atan2", np.arctan2), ("Mod", np.fmod), ("Hypot", np.hypot), ("Fmax", np.fmax),
    ("Fmin", np.fmin), ("SquaredDifference", lambda x, y: (x - y) ** 2), ("DivNoNan", np.divide),
    ("MulNoNan", np.multiply), ("Xdivy", np.divide), ("Heaviside", np.heaviside),
]  # fmt: skip


@pytest.mark.parametrize(("name", "function"), SAME)
def test_one_operand(name, function):
    np.testing.assert_allclose(both_ways(getattr(ops, name)(), Tensor(X)), function(X), rtol=1e-9)


@pytest.mark.parametrize(("name", "function"), PAIRS)
def test_two_operands(name, function):
    np.testing.assert_allclose(both_ways(getattr(ops, name)(), Tensor(X), Tensor(Y)), function(X, Y), rtol=1e-9)


def test_nothing_becomes_nan_and_sums_of_several():
    # nothing becomes nan
    zero = Tensor(np.array([0.0, 0.0, 2.0]))
    assert both_ways(ops.DivNoNan(), Tensor(Y), zero).tolist() == [0, 0, 0.25]
    assert both_ways(ops.MulNoNan(), Tensor(np.array([np.inf, np.nan, 1.0])), zero).tolist() == [0, 0, 2]
    check_slope(lambda x, y: ops.DivNoNan()(x, y), X, Y)
    check_slope(lambda x, y: ops.MulNoNan()(x, y), X, Y)
    # sums of squares and of several
    # sums of squares
    first, second = both_ways(ops.SquareSumAll(), Tensor(X), Tensor(Y))
    assert (first, second) == (pytest.approx((X**2).sum()), pytest.approx((Y**2).sum()))
    check_slope(ops.L2Loss(), X)
    # several in a list
    for kind in (ops.AddN, ops.AccumulateNV2):
        found = both_ways(lambda x, y, kind=kind: kind()([x, y, x]), Tensor(X), Tensor(Y))
        np.testing.assert_allclose(found, 2 * X + Y)


def test_complex_numbers_and_chances():
    # complex numbers
    whole = both_ways(ops.Complex(), Tensor(X), Tensor(Y))
    np.testing.assert_array_equal(whole, X + 1j * Y)
    assert ops.Complex()(Tensor([1.0]), Tensor([2.0])).dtype.itemsize == 8
    np.testing.assert_allclose(both_ways(ops.ComplexAbs(), Tensor(whole)), np.abs(X + 1j * Y))
    assert ops.ComplexAbs()(Tensor(whole)).dtype is float64
    # chances
    np.testing.assert_allclose(ops.Logit(eps=0.4)(Tensor(np.array([0.1, 0.5]))).asnumpy(), [np.log(0.4 / 0.6), 0])
    np.testing.assert_allclose(ops.Logit()(Tensor(np.array([0.1]))).asnumpy(), [np.log(1 / 9)])


def test_matrices():
    np.testing.assert_allclose(both_ways(ops.MatrixInverse(), Tensor(SPD)), np.linalg.inv(SPD))
    skew = SPD + np.eye(2, k=1)
    np.testing.assert_allclose(both_ways(ops.MatrixInverse(adjoint=True), Tensor(skew)), np.linalg.inv(skew).T)
    product = both_ways(lambda x, y: ops.Einsum("ij,jk->ik")((x, y)), Tensor(SPD), Tensor(skew))
    np.testing.assert_allclose(product, SPD @ skew)
    for bias in ((), (Tensor(np.array([1.0, 2.0])),)):
        wanted = SPD @ skew.T + (np.array([1.0, 2.0]) if bias else 0)
        np.testing.assert_allclose(ops.Dense()(Tensor(SPD), Tensor(skew), *bias).asnumpy(), wanted)
    upper = ops.Cholesky(upper=True)(Tensor(SPD)).asnumpy()
    np.testing.assert_allclose(upper.T @ upper, SPD)
