"""Further reductions against numpy, in both modes."""

import numpy as np
import pytest

from minigraph import Tensor, float64, int64, ops
from tests.ops.functional.ways import both_ways, check_slope
from tests.tables import cases

X = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
E = np.array([[1.0, np.nan, 3.0], [np.nan, 5.0, 6.0]], np.float32)


@cases(
    (lambda x: ops.prod(x), X, X.prod()),
    (lambda x: ops.prod(x, 1, True), X, X.prod(1, keepdims=True)),
    (lambda x: ops.count_nonzero(x), X - X[0], np.int32(np.count_nonzero(X - X[0]))),
    (lambda x: ops.count_nonzero(x, 1), X - X[0], np.count_nonzero(X - X[0], 1).astype(np.int32)),
    (lambda x: ops.nansum(x), E, np.nansum(E)),
    (lambda x: ops.nansum(x, 0, True), E, np.nansum(E, 0, keepdims=True)),
    (lambda x: ops.nanmean(x), E, np.nanmean(E)),
    (lambda x: ops.nanmean(x, 1), E, np.nanmean(E, 1)),
    (lambda x: ops.trapz(x), X, np.trapezoid(X) if hasattr(np, "trapezoid") else np.trapz(X)),
    (lambda x: ops.trapz(x, dx=2.0, dim=0), X, (X[0] + X[1])),
    (lambda x: ops.cov(x), X, np.cov(X).astype(np.float32)),
    (lambda x: ops.cov(x, correction=0), X, np.cov(X, ddof=0).astype(np.float32)),
    (lambda x: ops.reduce_max(x, 1), X, X.max(1)),
)
def test_values(fn, array, expected):
    found = both_ways(fn, Tensor(array))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_pairs_and_slopes_even_beside_zeros():
    # pairs
    for found, expected in (
        (ops.std_mean(Tensor(X), 1), (X.std(1), X.mean(1))),
        (ops.var_mean(Tensor(X), 0, 1, True), (X.var(0, ddof=1, keepdims=True), X.mean(0, keepdims=True))),
        (ops.aminmax(Tensor(X)), (X.min(0), X.max(0))),
        (ops.aminmax(Tensor(X), axis=1, keepdims=True), (X.min(1, keepdims=True), X.max(1, keepdims=True))),
    ):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-5)
    # slopes even beside zeros
    check_slope(lambda x: ops.prod(x, 1), [[1.0, 0.0, 3.0], [0.0, 0.0, 2.0]])
    check_slope(lambda x: ops.cov(x), X)
    check_slope(lambda x: ops.trapz(x), X)


def test_whole_numbers_weights_and_places():
    # integers and bools multiply to int64 unless told
    assert ops.prod(Tensor([[2, 3]])).dtype is int64
    assert ops.prod(Tensor([True, False])).item() == 0
    assert ops.prod(Tensor([2, 3]), dtype=float64).dtype is float64
    # covariances of weighted observations
    weights, counts = np.array([0.2, 0.5, 0.3], np.float32), np.array([1, 2, 3])
    for how in ({"aweights": weights}, {"fweights": counts}, {"aweights": weights, "fweights": counts}):
        found = ops.cov(Tensor(X), **{key: Tensor(value) for key, value in how.items()})
        np.testing.assert_allclose(found.asnumpy(), np.cov(X, **how), rtol=1e-4)
    assert ops.cov(Tensor(X[0])).item() == pytest.approx(np.cov(X[0]), rel=1e-5)
    # places of the points of an area
    places = np.array([0.0, 1.0, 3.0], np.float32)
    trapezoid = getattr(np, "trapezoid", None) or np.trapz
    np.testing.assert_allclose(ops.trapz(Tensor(X), Tensor(places)).asnumpy(), trapezoid(X, places), rtol=1e-5)
