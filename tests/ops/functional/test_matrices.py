"""Functions of square matrices, and factors, against numpy, in both modes, with gradients."""

import numpy as np

from minigraph import Tensor, int32, ops
from tests.ops.functional.test_linalg import SQUARE, A, B, T, V
from tests.ops.functional.ways import check_slope, slopes, values

CASES = [
    (ops.det, (T,), np.linalg.det(T)),
    (ops.inverse, (T,), np.linalg.inv(T)),
    (ops.inv, (V,), 1 / V),
    (ops.cholesky, (SQUARE,), np.linalg.cholesky(SQUARE)),
    (ops.trace, (A,), np.trace(A)),
]
WITH_OPTIONS = [
    (lambda a, b: ops.matrix_power(a, 3), A @ A @ A),
    (lambda a, b: ops.matrix_power(a, -2), np.linalg.matrix_power(A, -2)),
    (lambda a, b: ops.matrix_power(a, 0), np.eye(3)),
    (lambda a, b: ops.slogdet(a)[1], np.linalg.slogdet(A)[1]),
]


test_values = values(CASES, ids=lambda part: getattr(part, "__name__", ""), rtol=2e-4, atol=1e-5)


test_values_with_options = values(WITH_OPTIONS, A, B, rtol=2e-4, atol=1e-5)


test_slopes = slopes([(fn, args) for fn, args, _ in CASES if fn is not ops.cholesky], tolerance=1e-4)


def test_the_slope_of_a_factor_and_the_dtype_of_a_trace():
    # the trace keeps the dtype
    assert ops.trace(Tensor([[1, 2], [3, 4]], int32)).dtype is int32

    # the slope of a factor
    def factor(x):
        return ops.cholesky((x + x.mT) / 2, upper=True)

    check_slope(factor, SQUARE, tolerance=1e-4)
