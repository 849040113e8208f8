"""Reductions and cumulative functions against numpy."""

import numpy as np
import pytest

from minigraph import Tensor, float32, int32, int64
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, GAPS, INTEGERS, X, check, check_each
from tests.ops.functional.checks import check_gradient

REDUCTIONS = ["amax", "amin", "max", "mean", "min", "ptp", "std", "sum", "var"]
AXES = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 2)}, {"axis": (0, -1), "keepdims": True}]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("where", AXES, ids=str)
def test_over_axes(name, where):
    check(name, CUBE, **where)


@pytest.mark.parametrize("name", [name for name in REDUCTIONS if name != "mean"])
def test_reductions_of_integers(name):
    check(name, INTEGERS)
    check(name, INTEGERS, axis=1)


def test_dtypes_of_means_and_sums():
    # the mean of integers is an integer
    assert mnp.mean(Tensor(INTEGERS)).asnumpy() == int(INTEGERS.mean())
    assert mnp.mean([1, 2]).dtype is int32
    assert mnp.mean([1, 2], dtype=float32).asnumpy() == 1.5
    # sums of dtypes
    assert mnp.sum(Tensor(INTEGERS)).dtype is mnp.sum([True, True]).dtype is int64
    assert mnp.sum(Tensor(INTEGERS), dtype=float32).dtype is float32
    assert mnp.sum(Tensor([1.0, 2.0]), initial=2).asnumpy() == 5


@pytest.mark.parametrize("name", ["std", "var", "nanstd", "nanvar"])
def test_degrees_of_freedom(name):
    check(name, X, ddof=1)
    check(name, X, axis=1, ddof=1, keepdims=True)


@pytest.mark.parametrize("name", ["amax", "amin", "max", "min"])
def test_initial_values_and_masks(name):
    check(name, X, axis=0, initial=0.25)
    check(name, X, axis=0, initial=0.25, where=INTEGERS > 2)


@pytest.mark.parametrize("name", ["nanmax", "nanmean", "nanmin", "nanstd", "nansum", "nanvar"])
def test_reductions_ignoring_nan(name):
    check(name, GAPS)
    check(name, GAPS, axis=1)
    check(name, X, axis=0, keepdims=True)


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_indices_of_extremes(name):
    check_each(name, (X,), (X, 0))
    check(name, INTEGERS, axis=-1)


@pytest.mark.parametrize("name", ["cumprod", "cumsum"])
def test_cumulative(name):
    check_each(name, (X,), (X, 0))
    check(name, INTEGERS, axis=1)
    check(name, CUBE, axis=-1)
    assert getattr(mnp, name)(Tensor(INTEGERS), dtype=float32).dtype is float32


def test_averages_and_counts():
    # average
    check("average", X)
    check("average", CUBE, axis=1, weights=np.array([1.0, 2.0, 3.0], np.float32))
    check("average", X, weights=np.abs(X))
    mean, weight = mnp.average(Tensor(X), axis=0, weights=[1, 3], returned=True)
    np.testing.assert_allclose(mean.asnumpy(), np.average(X, 0, [1, 3]), rtol=1e-6)
    assert weight.asnumpy().tolist() == [4, 4, 4]
    assert mnp.average(Tensor(X), 1, returned=True)[1].asnumpy().tolist() == [3, 3]
    # counts
    check_each("count_nonzero", (INTEGERS,), (INTEGERS, 1))
    check("count_nonzero", INTEGERS, axis=0, keepdims=True)
    assert (mnp.size(Tensor(X)), mnp.size(Tensor(X), 1), mnp.size([1, 2])) == (6, 3, 2)
    assert mnp.sometrue(Tensor(INTEGERS > 4)).asnumpy()
    assert mnp.sometrue(Tensor(INTEGERS), 1, keepdims=True).asnumpy().tolist() == [[True], [True]]
    # cumulative, without NaN
    check_each("nancumsum", (GAPS,), (GAPS, 1))


@pytest.mark.parametrize("name", ["sum", "mean", "std", "var", "max", "nanmean", "nanvar", "cumsum", "cumprod", "ptp"])
def test_gradients(name):
    check_gradient(getattr(mnp, name), X, tolerance=1e-4)
