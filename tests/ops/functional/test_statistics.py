"""Variances, order statistics, covariances and histograms against numpy, in both modes."""

import numpy as np
import pytest

from minigraph import Tensor, float16, float32, int64, ops
from tests.ops.functional.checks import check_gradient, constants_test, gradient_test, in_both_modes, value_test
from tests.tables import cases

SIGNED = Tensor(np.array([[1.5, -2.0, 3.0], [0.0, 5.0, -6.5]]))
SIGNED_ARRAY = SIGNED.array


test_values = constants_test(
    (ops.var(SIGNED), SIGNED_ARRAY.var()),
    (ops.var(SIGNED, 1, 1), SIGNED_ARRAY.var(1, ddof=1)),
    (ops.std(SIGNED, 0, keepdims=True), SIGNED_ARRAY.std(0, keepdims=True)),
    rtol=1e-14,
)


@cases(
    (lambda: ops.std(Tensor([1.0, 2.0], float16)), float16),
    (lambda: ops.var(Tensor([1, 2])), float32),
)
def test_dtypes(tensor, dtype):
    assert tensor().dtype is dtype


def test_a_variance_in_float16_does_not_overflow():
    assert ops.var(Tensor([0.0, 1000.0], float16)).item() == np.inf  # 250,000 is not a float16
    assert ops.std(Tensor([0.0, 1000.0], float16)).item() == 500.0


FLOATS = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)


@cases(
    (lambda x: ops.cov(x), FLOATS, np.cov(FLOATS).astype(np.float32)),
    (lambda x: ops.cov(x, correction=0), FLOATS, np.cov(FLOATS, ddof=0).astype(np.float32)),
)
def test_values_of_covariances(fn, array, expected):
    result = in_both_modes(fn, Tensor(array))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_functions_with_two_results():
    for result, expected in (
        (ops.std_mean(Tensor(FLOATS), 1), (FLOATS.std(1), FLOATS.mean(1))),
        (ops.var_mean(Tensor(FLOATS), 0, 1, True), (FLOATS.var(0, ddof=1)[None], FLOATS.mean(0)[None])),
    ):
        for actual, wanted in zip(result, expected, strict=True):
            np.testing.assert_allclose(actual.asnumpy(), wanted, rtol=1e-5)


def test_covariances_of_weighted_observations():
    weights, counts = np.array([0.2, 0.5, 0.3], np.float32), np.array([1, 2, 3])
    for options in ({"aweights": weights}, {"fweights": counts}, {"aweights": weights, "fweights": counts}):
        result = ops.cov(Tensor(FLOATS), **{key: Tensor(value) for key, value in options.items()})
        np.testing.assert_allclose(result.asnumpy(), np.cov(FLOATS, **options), rtol=1e-4)
    assert ops.cov(Tensor(FLOATS[0])).item() == pytest.approx(np.cov(FLOATS[0]), rel=1e-5)


SAMPLES = np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32)
REPEATED = np.array([1, 2, 2, 5, 5, 5, 1])
VALUES = [
    (lambda x: ops.median(x)[0], SAMPLES, np.sort(SAMPLES, 1)[:, 1]),
    (lambda x: ops.median(x, 0, True)[0], SAMPLES, np.sort(SAMPLES, 0)[:1]),
    (lambda x: ops.quantile(x, 0.3, 1), SAMPLES, np.quantile(SAMPLES, 0.3, 1)),
    (lambda x: ops.quantile(x, 0.5), SAMPLES, np.quantile(SAMPLES, 0.5)),
    (lambda x: ops.histc(x, 4, -1.0, 1.0), SAMPLES, np.histogram(SAMPLES, 4, (-1, 1))[0]),
]
SMOOTH = [
    lambda x: ops.median(x)[0],
    lambda x: ops.quantile(x, 0.3),
]  # fmt: skip


test_values_of_order = value_test(VALUES, rtol=1e-5, atol=1e-6)


def test_bincount_and_histc():
    assert ops.bincount(Tensor(REPEATED)).tolist() == np.bincount(REPEATED).tolist()
    assert ops.bincount(Tensor(REPEATED), minlength=9).tolist() == np.bincount(REPEATED, minlength=9).tolist()
    assert (
        ops.bincount(Tensor(REPEATED), Tensor(REPEATED * 0.5)).tolist()
        == np.bincount(REPEATED, REPEATED * 0.5).tolist()
    )
    assert ops.histc(Tensor([1.0, 2.0, 3.0]), 2).tolist() == [1.0, 2.0]
    assert ops.histc(Tensor([2.0, 2.0]), 2).tolist() == [0.0, 2.0]


test_gradients = gradient_test(SMOOTH, SAMPLES)


RANDOM = np.random.default_rng(9)
VOLUME = RANDOM.standard_normal((2, 3, 4))


def test_nanmedian():
    rows = VOLUME.copy()
    rows[0, 1, 2] = rows[1, 0, :3] = np.nan
    for axis in (0, 1, 2):
        values, positions = in_both_modes(lambda x, axis=axis: ops.nanmedian(x, axis), Tensor(rows))
        for at in np.ndindex(values.shape):
            row = np.moveaxis(rows, axis, -1)[at]
            known = np.sort(row[~np.isnan(row)])
            assert values[at] == known[(len(known) - 1) // 2] == row[positions[at]]
    assert ops.nanmedian(Tensor(rows), 1, True)[0].shape == (2, 1, 4)


def test_dtypes_of_indices_and_counts():
    assert ops.median(Tensor(SAMPLES))[1].dtype is int64
    assert ops.bincount(Tensor(REPEATED)).dtype is float32


def test_the_gradient_of_covariances():
    check_gradient(lambda x: ops.cov(x), FLOATS)
