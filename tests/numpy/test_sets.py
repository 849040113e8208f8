"""Set routines against numpy."""

import numpy as np
import pytest

from minigraph import Tensor, bool_, int32
from minigraph import numpy as mnp
from tests.numpy.checks import GAPS, INTEGERS, X, check, check_each

REPEATED, UNIQUE = np.array([1, 2, 2, 5, 5, 1], np.int32), np.array([5, 2, 4], np.int32)


def test_unique_and_differences():
    # unique
    check_each("unique", (REPEATED,), (INTEGERS.astype(np.float32),), compiled=False)
    values, inverse = mnp.unique(Tensor(INTEGERS), return_inverse=True)
    assert inverse.shape == INTEGERS.shape
    assert values.asnumpy()[inverse.asnumpy()].tolist() == INTEGERS.tolist()
    assert inverse.dtype is int32
    # differences
    check("setdiff1d", REPEATED, UNIQUE, compiled=False)
    assert mnp.setdiff1d([3, 1, 2], [2], assume_unique=True).asnumpy().tolist() == [3, 1]


@pytest.mark.parametrize("options", [{}, {"return_indices": True}], ids=str)
def test_intersections(options):
    check("intersect1d", REPEATED, UNIQUE, compiled=False, **options)
    check("intersect1d", UNIQUE, UNIQUE[:2], compiled=False, assume_unique=True, **options)


@pytest.mark.parametrize("invert", [False, True])
def test_membership(invert):
    check("isin", INTEGERS, UNIQUE, invert=invert)
    assert (
        mnp.in1d(Tensor(INTEGERS), [5, 2], invert).asnumpy().tolist()
        == np.isin(INTEGERS, [5, 2], invert=invert).ravel().tolist()
    )
    assert mnp.isin([1.5, 2.0], [2]).asnumpy().tolist() == [False, True]


def test_equality_of_arrays():
    check_each("array_equal", (X, X), (X, X + 1), (GAPS, GAPS))
    check("array_equal", GAPS, GAPS, equal_nan=True)
    check("array_equal", X, X[0])
    check_each("array_equiv", (X, X[0]), (X[:1], X[0]), (X, X[:, :2]))
    assert mnp.array_equal([1, 2], [1, 2]).dtype is bool_
