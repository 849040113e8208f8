"""Exponentials and logarithms as polynomials: as plain Python, a few numbers of every size."""

import numpy as np
import pytest

from minigraph.accel.loops import polynomials
from minigraph.accel.loops.polynomials import ULPS

NUMBERS = np.concatenate([
    np.arange(1 << 10, 1 << 32, 9_876_543, np.uint64).astype(np.uint32).view(np.float32),
    np.linspace(-20, 20, 401, dtype=np.float32),
    np.float32([0.0, -0.0, 1e-42, -1e-42, 88.7, 88.8, -87.4, -103.9, -104.1, 9.0, 9.2, np.inf, -np.inf, np.nan]),
])  # fmt: skip
REFERENCES = {"exp": np.exp, "log": np.log, "tanh": np.tanh, "sigmoid": lambda x: 1 / (1 + np.exp(-x))}


def check_bound(name, x, result):
    """Check that the results of a polynomial for ``x`` are within its error bound."""
    with np.errstate(all="ignore"):
        true = REFERENCES[name](x.astype(np.float64))
        nearest = true.astype(np.float32)
        counted = np.isfinite(nearest) & ((name != "sigmoid") | (nearest >= np.finfo(np.float32).tiny))
        ulps = np.abs(result - true)[counted] / np.spacing(np.abs(nearest[counted]))
    assert np.array_equal(result[~np.isfinite(nearest)], nearest[~np.isfinite(nearest)], equal_nan=True)
    assert np.all(np.signbit(result[counted]) == np.signbit(nearest[counted]))
    assert ulps.max() <= ULPS[name], x[counted][ulps.argmax()]


@pytest.mark.parametrize("name", ULPS)
def test_each_is_within_its_bound(name):
    with np.errstate(all="ignore"):
        check_bound(name, NUMBERS, np.array([getattr(polynomials, name)(x) for x in NUMBERS], np.float32))


def test_zeros_keep_their_signs():
    assert np.signbit(polynomials.tanh(np.float32(-0.0)))
    assert not np.signbit(polynomials.tanh(np.float32(0.0)))
    assert polynomials.exp(np.float32(-0.0)) == 1


def test_a_sigmoid_below_the_smallest_normal_number_is_zero():
    """As numpy has it, too: the exponential is infinite, and the result 0."""
    with np.errstate(all="ignore"):
        assert polynomials.sigmoid(np.float32(-89.0)) == 0


def test_powers_of_two_are_exact():
    assert [float(polynomials.power_of_two(np.float32(n))) for n in (-126, -1, 0, 1, 127)] == [
        2.0**-126, 0.5, 1.0, 2.0, 2.0**127,
    ]  # fmt: skip


def test_bits_and_numbers_convert_both_ways():
    assert polynomials.float_of_bits(polynomials.bits_of(np.float32(-1.5))) == np.float32(-1.5)
