"""Primitives of cumulative reductions, against numpy."""

import numpy as np

from minigraph import Tensor, ops
from tests.ops.functional.checks import check_function
from tests.tables import cases, every

ROWS = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]])


@every(reverse=[False, True], exclusive=[False, True])
@cases(
    (ops.CumSum, np.cumsum, 0.0),
    (ops.CumProd, np.cumprod, 1.0),
)
def test_cumulative_sums_and_products(exclusive, reverse, kind, function, neutral):
    scanned = ROWS[:, ::-1] if reverse else ROWS
    if exclusive:
        scanned = np.concatenate([np.full((2, 1), neutral), scanned[:, :-1]], 1)
    expected = function(scanned, 1)[:, ::-1] if reverse else function(scanned, 1)
    check_function(lambda x: kind(exclusive=exclusive, reverse=reverse)(x, 1), expected, ROWS, rtol=1e-7)


def test_cumulative_extremes_and_logsumexp():
    x = Tensor([1.0, 1.0, 3.0, 2.0])
    assert ops.Cummax(0)(x)[0].tolist() == [1, 1, 3, 3] and ops.Cummin(0)(x)[0].tolist() == [1, 1, 1, 1]
    forwards = ops.CumulativeLogsumexp()(x, Tensor(0)).asnumpy()
    np.testing.assert_allclose(forwards, np.logaddexp.accumulate(x.asnumpy()), rtol=1e-6)
    backwards = ops.CumulativeLogsumexp(True, True)(x, 0).asnumpy()
    np.testing.assert_allclose(backwards[:2], [np.logaddexp.reduce([1, 3, 2]), np.logaddexp(3, 2)], rtol=1e-6)
