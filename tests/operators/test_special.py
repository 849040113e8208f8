"""The error function against ``math.erf``."""

import math

import numpy as np
import pytest

from minigraph import Tensor
from minigraph.core.op import apply
from minigraph.operators.special import erf_derivative, erf_of

POINTS = np.concatenate([np.linspace(-7, 7, 20001), np.logspace(-300, 0, 301), [0.5, 4.0, 6.0]])
EXACT = np.array([math.erf(x) for x in POINTS])


def test_float64_is_within_two_units_in_the_last_place():
    assert np.max(np.abs(erf_of(POINTS) - EXACT) / np.spacing(np.abs(EXACT))) <= 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_narrow_floats_are_rounded_once(dtype):
    x = POINTS.astype(dtype)
    exact = np.array([math.erf(value) for value in x.astype(np.float64)])
    result = apply("erf", Tensor(x)).array
    assert result.dtype == dtype
    error = np.abs(result.astype(np.float64) - exact) / np.spacing(np.abs(exact).astype(dtype)).astype(np.float64)
    assert np.max(error) <= 0.54


def test_special_values_symmetry_and_the_derivative_at_zero():
    # corners
    result = erf_of(np.array([np.inf, -np.inf, -0.0, np.nan, 1e300]))
    assert result[:2].tolist() == [1.0, -1.0]
    assert np.signbit(result[2])
    assert np.isnan(result[3])
    assert result[4] == 1.0
    # it is odd
    assert np.array_equal(erf_of(-POINTS), -erf_of(POINTS))
    # the slope at zero is two over root pi
    assert erf_derivative(Tensor(np.array(0.0))).item() == 2 / math.sqrt(math.pi)
