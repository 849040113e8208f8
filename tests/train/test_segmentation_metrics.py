"""Dice and distances of surfaces: MindSpore's numbers, and errors."""

import numpy as np
import pytest

from minigraph import Tensor, train
from tests.tables import error_cases

FIRST, SECOND = np.zeros((6, 6), np.float32), np.zeros((6, 6), np.float32)
FIRST[1:4, 1:4], SECOND[2:5, 1:5] = 1, 1

# printed by MindSpore 2.10
RECORDED = [
    (train.HausdorffDistance(), 0, 1.0),
    (train.HausdorffDistance(), 1, 1.4142135623730951),
    (train.HausdorffDistance("chessboard", None, True), 1, 1),
    (train.MeanSurfaceDistance(), 0, 0.19230769230769232),
    (train.MeanSurfaceDistance(True, "chessboard"), 1, 0.6625),
    (train.RootMeanSquareDistance(), 0, 0.19230769230769232),
    (train.RootMeanSquareDistance(True, "taxicab"), 1, 0.9013878188659973),
]


@pytest.mark.parametrize(("metric", "label", "expected"), RECORDED)
def test_mindspores_distances(metric, label, expected):
    assert metric(FIRST, SECOND, label) == pytest.approx(expected, rel=1e-12)


def test_dice():
    scores = Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])
    result = train.Dice()(scores, Tensor([[0, 1], [1, 0], [0, 1]]))
    assert result == pytest.approx(0.20467792151485542)  # MindSpore 2.10


def test_percentiles_and_empty_surfaces():
    assert train.HausdorffDistance(percentile=0.0)(FIRST, SECOND, 1) == 0
    assert train.HausdorffDistance()(FIRST, SECOND * 0, 1) == np.inf
    metric = train.HausdorffDistance()
    metric.update(FIRST, SECOND, 1)
    metric.clear()
    with pytest.raises(RuntimeError, match="update has not been called"):
        metric.eval()


test_errors = error_cases(
    (lambda: train.HausdorffDistance("manhattan"), ValueError, "no distance"),
    (lambda: train.HausdorffDistance(percentile=95), TypeError, "percentile"),
    (lambda: train.MeanSurfaceDistance()(FIRST, SECOND[1:], 1), ValueError, "one shape"),
    (lambda: train.MeanSurfaceDistance()(FIRST, SECOND), TypeError, "the number of a class"),
    (lambda: train.Dice()(FIRST, SECOND[1:]), ValueError, "one shape"),
)
