"""Differences, gradients, integrals and interpolation against numpy."""

import numpy as np

from minigraph import Tensor, errors, float32
from minigraph import numpy as mnp
from tests.numpy.checks import CUBE, INTEGERS, V, W, X, assert_same, check, check_each
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

POINTS = np.array([1.0, 2.0, 4.0], np.float32)
HEIGHTS = np.array([3.0, 2.0, 0.0], np.float32)


def test_differences_integrals_and_unwrapped_angles():
    # differences
    check("diff", X)
    check("diff", X, axis=0)
    check("diff", V, 2)
    check("diff", V, prepend=0.0)
    check("diff", V, append=np.array([1.0, 2.0], np.float32))
    check("diff", INTEGERS, 1, 1)
    check_each("ediff1d", (X,), (V, np.array([9.0], np.float32), np.array([7.0, 8.0], np.float32)))
    # integrals
    trapezoid = getattr(np, "trapezoid", None) or np.trapz
    assert_same(mnp.trapz(Tensor(X)), trapezoid(X))
    assert_same(mnp.trapz(Tensor(X), axis=0), trapezoid(X, axis=0))
    assert_same(mnp.trapz(Tensor(V), Tensor(W)), trapezoid(V, W))
    assert_same(mnp.trapz([1, 2, 3], dx=0.5), trapezoid([1, 2, 3], dx=0.5))
    # unwrapped angles
    check_each("unwrap", (np.array([0.0, 0.8, 1.6, 5.5, 6.3, -3.0], np.float32),), (X * 4,))
    check("unwrap", X * 4, axis=0)


def test_gradients_and_interpolation():
    # gradients of sampled values
    check_each("gradient", (V,), (X[:, :2],), (CUBE,))
    check("gradient", CUBE, axis=1)
    check_each("gradient", (CUBE, 2.0), (X, 2.0, 3.0))
    check("gradient", CUBE, axis=(0, -1))
    assert mnp.gradient([1, 2, 4]).dtype is float32
    # interpolation
    positions = np.array([0.0, 1.0, 1.5, 2.0, 3.5, 4.0, 9.0], np.float32)
    check("interp", positions, POINTS, HEIGHTS)
    check("interp", positions, POINTS, HEIGHTS, left=-1.0, right=9.0)
    check("interp", 2.5, POINTS, HEIGHTS)
    check_gradient(lambda x: mnp.interp(x, POINTS.tolist(), HEIGHTS.tolist()), np.array([1.5, 3.0]), tolerance=1e-4)


@every(name=["diff", "ediff1d", "gradient", "trapz", "unwrap"])
def test_gradients(name):
    check_gradient(getattr(mnp, name), V, tolerance=1e-4)


test_errors = error_cases(
    (lambda: mnp.gradient(Tensor(V), edge_order=2), "edge_order must be 1, got 2"),
    (lambda: mnp.gradient(Tensor(X), 1, 2, 3), "expected 2 distances \\(one per axis\\) or one, got 3"),
    (lambda: mnp.gradient([1.0]), "needs at least two values along axis 0, got 1"),
    error=errors.MinigraphError,
)
