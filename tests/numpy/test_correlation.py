"""Covariance, correlation and convolution against numpy."""

import numpy as np

from minigraph import Tensor, errors
from minigraph import numpy as mnp
from tests.numpy.checks import INTEGERS, V, W, X, Y, check, check_each
from tests.ops.functional.checks import check_gradient
from tests.tables import error_cases, every

CASES = [
    ("cov", X), ("corrcoef", X), ("corrcoef", X, Y), ("correlate", V, W[:3]), ("correlate", W[:3], V),
    ("convolve", V, W[:3]), ("convolve", W[:3], V), ("convolve", V, W),
]  # fmt: skip


@every(case=CASES, ids=lambda case: case[0])
def test_values(case):
    name, *args = case
    check(name, *args)


@every(name=["correlate", "convolve"], mode=["full", "same", "valid"])
def test_modes(name, mode):
    check_each(name, (V, W[:3]), (V, W[:2]), (INTEGERS.ravel(), INTEGERS[0]), mode=mode)


@every(
    options=[{}, {"rowvar": False}, {"bias": True}, {"ddof": 0}, {"fweights": np.array([1, 2, 3])}],
    ids=lambda options: "".join(options),
)
def test_covariances(options):
    check_each("cov", (X,), (V[:3], W[:3]), **options)


@every(name=["convolve", "correlate"])
def test_gradients(name):
    check_gradient(getattr(mnp, name), V, W, tolerance=1e-4)


test_errors = error_cases(
    (lambda: mnp.correlate(Tensor(X), Tensor(V)), r"correlate expects vectors, got shapes \[2, 3\] and \[4\]"),
    (lambda: mnp.correlate(Tensor(V), Tensor(V), "some"), "mode must be 'valid', 'same' or 'full', got 'some'"),
    error=errors.MinigraphError,
)
