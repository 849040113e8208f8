"""Adaptive pooling against windows sliced by numpy, in both modes, with gradients."""

from functools import partial

import numpy as np

from minigraph import Tensor, errors, ops
from tests.ops.functional.checks import check_function, in_both_modes
from tests.ops.functional.test_pooling import INPUTS
from tests.tables import error_cases, every


@every(wanted=[1, 2, 3, 5], rank=INPUTS, kind=["avg", "max"])
def test_pooling_to_a_size(kind, rank, wanted):
    x = INPUTS[rank]
    call = partial(getattr(ops, f"adaptive_{kind}_pool{rank}d"), output_size=wanted)
    cuts = [[(i * n // wanted, -(-(i + 1) * n // wanted)) for i in range(wanted)] for n in x.shape[-rank:]]
    expected = np.zeros((*x.shape[:-rank], *(wanted,) * rank))
    for at in np.ndindex(*(wanted,) * rank):
        cell = x[(..., *(slice(*cut[i]) for cut, i in zip(cuts, at, strict=True)))]
        expected[(..., *at)] = getattr(cell, kind.replace("avg", "mean"))(axis=tuple(range(-rank, 0)))
    check_function(call, expected, x)


def test_positions_of_maxima():
    x = INPUTS[2]
    result, positions = in_both_modes(lambda t: ops.adaptive_max_pool2d(t, (3, 2), True), Tensor(x))
    rows = np.take_along_axis(x.reshape(1, 2, -1), positions.reshape(1, 2, -1), 2)
    np.testing.assert_array_equal(rows.reshape(result.shape), result)
    assert ops.adaptive_avg_pool2d(Tensor(x), (None, 2)).shape == (1, 2, 7, 2)
    assert ops.adaptive_avg_pool2d(Tensor(x[0]), 2).shape == (2, 2, 2)  # an image by itself


X = Tensor(INPUTS[2])


test_errors = error_cases(
    (
        lambda: ops.adaptive_avg_pool2d(X, (1, 2, 3)),
        errors.ArgValueError,
        "output_size must be a positive integer, or one",
    ),
    (lambda: ops.adaptive_avg_pool1d(X, 2), errors.ShapeError, "adaptive_avg_pool1d: needs an input of rank 2 or 3"),
)


def test_positions_of_maxima_in_volumes():
    volume = Tensor(INPUTS[3])
    maxima, at = ops.adaptive_max_pool3d(volume, 2, True)
    flat = INPUTS[3].reshape(*INPUTS[3].shape[:-3], -1)
    values = np.take_along_axis(flat, at.asnumpy().reshape(*flat.shape[:-1], -1), -1).reshape(maxima.shape)
    np.testing.assert_array_equal(values, maxima.asnumpy())


def test_means_of_integers_are_truncated_once():
    # 20 / 8 and -12 / 8; means axis by axis would be truncated to 1 and 0
    for values, expected in (([3] * 7 + [-1], 2), ([-3] * 6 + [3, 3], -1)):
        volume = Tensor(np.array(values).reshape(1, 1, 2, 2, 2))
        assert ops.adaptive_avg_pool3d(volume, 1).asnumpy().tolist() == [[[[[expected]]]]]
