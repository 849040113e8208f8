"""Metrics of segmented images: Dice, and distances of surfaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError, ShapeError, did_you_mean
from minigraph.nn.arguments import check_type
from minigraph.train.metrics import Metric


class Dice(Metric):
    """2 sum(p y) / (sum(p²) + sum(y²)) of batches of predictions p and labels y (Milletari et al. 2016).

    ``smooth`` is added to the divisor; the sum over the batches is divided by the number of rows, as in MindSpore.
    Raises ``ShapeError`` unless both have one shape.

    >>> dice = Dice(smooth=0.0)
    >>> dice.update(np.array([[1.0, 0.0]]), np.array([[1, 1]]))
    >>> round(dice.eval(), 4)
    0.6667
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = check_type("Dice", "smooth", smooth, float)

    def measure(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The coefficient of a batch, and its number of rows."""
        predicted, labels = arrays
        if predicted.shape != labels.shape:
            shapes = f"{list(predicted.shape)} and {list(labels.shape)}"
            raise ShapeError(f"Dice: predictions and labels must have one shape, got {shapes}")
        p, y = predicted.reshape(-1), labels.reshape(-1)
        return float(2 * np.dot(p, y)) / float(np.dot(p, p) + np.dot(y, y) + self.smooth), len(labels)


# ---- distances of surfaces -------------------------------------------------------------------------

DISTANCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "euclidean": lambda gaps: np.sqrt((gaps**2).sum(-1)),
    "chessboard": lambda gaps: gaps.max(-1),
    "taxicab": lambda gaps: gaps.sum(-1),
}
PAIRS_AT_ONCE = 1 << 22  # differences of pixels that are in memory at once


def surface(mask: np.ndarray) -> np.ndarray:
    """The positions [N, axes] of pixels of a mask that have a neighbour outside of it, or are at the border.

    >>> surface(np.array([1, 1, 1], bool)).tolist()
    [[0], [2]]
    """
    padded = np.pad(mask, 1)
    inner = padded.copy()
    for axis in range(mask.ndim):
        for step in (1, -1):
            inner &= np.roll(padded, step, axis)
    return np.argwhere(mask & ~inner[(slice(1, -1),) * mask.ndim])


def surface_distances(first: np.ndarray, second: np.ndarray, metric: str) -> np.ndarray:
    """The distance of every pixel of the first surface to the nearest one of the second; infinite if there is none."""
    if not len(second):
        return np.full(len(first), np.inf)
    rows = max(1, PAIRS_AT_ONCE // (second.size or 1))
    parts = [np.abs(first[i : i + rows, None] - second[None]).astype(np.float64) for i in range(0, len(first), rows)]
    return np.concatenate([DISTANCES[metric](part).min(1) for part in parts] or [np.empty(0)])


class SurfaceMetric(Metric):
    """The base class: ``update(predictions, labels, label_idx)`` takes two images and the class to compare.

    ``symmetric`` uses the distances in both directions. Raises ``ValueError`` for another ``distance_metric``.
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        super().__init__()
        if distance_metric not in DISTANCES:
            hint = did_you_mean(str(distance_metric), DISTANCES)
            raise ArgValueError(f"{type(self).__name__}: no distance {distance_metric!r}{hint}")
        self.symmetric, self.distance_metric = symmetric, distance_metric

    def update(self, *inputs: ArrayLike) -> None:
        """Compares two images; raises ``ShapeError`` if their shapes differ, ``TypeError`` for another label."""
        if len(inputs) != 3 or isinstance(inputs[2], bool) or not isinstance(inputs[2], int | float):
            raise ArgTypeError(f"{type(self).__name__}: update takes (predictions, labels, the number of a class)")
        predicted, labels = (self._convert_data(labels_or_scores) == inputs[2] for labels_or_scores in inputs[:2])
        if predicted.shape != labels.shape or not predicted.size:
            shapes = f"{list(predicted.shape)} and {list(labels.shape)}"
            raise ShapeError(f"{type(self).__name__}: images must have one shape, got {shapes}")
        first, second = surface(predicted), surface(labels)
        pairs = [(first, second), (second, first)]
        self.total = [surface_distances(*pair, self.distance_metric) for pair in pairs[: 1 + self.symmetric]]
        self.count = 1

    def eval(self) -> Any:
        """The value of the last two images; raises ``RuntimeError`` without any."""
        if not self.count:
            raise ArgRuntimeError(f"The '{type(self).__name__}' can not be calculated: update has not been called.")
        return float(self.of_distances(self.total))

    def of_distances(self, distances: list[np.ndarray]) -> float:
        """The value, from the distances in one or both directions; subclasses define it."""
        raise ArgTypeError(f"{type(self).__name__}: define of_distances(distances)")


class HausdorffDistance(SurfaceMetric):
    """The largest distance of a pixel of one surface to the other, or a ``percentile`` of them; ``directed``: one way.

    ``crop`` is for compatibility: it does not change the result.

    >>> metric = HausdorffDistance()
    >>> metric.update(np.array([[1, 1, 0]]), np.array([[1, 1, 1]]), 1)
    >>> metric.eval()
    1.0
    """

    def __init__(
        self, distance_metric: str = "euclidean", percentile: float | None = None, directed: bool = False,
        crop: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(not directed, distance_metric)
        if percentile is not None and not 0 <= check_type("HausdorffDistance", "percentile", percentile, float) <= 100:
            raise ArgValueError(f"The 'percentile' should be between 0.0 and 100.0, but got {percentile}.")
        self.percentile, self.directed, self.crop = percentile, directed, crop

    def of_distances(self, distances: list[np.ndarray]) -> float:
        """The largest distance."""
        values = [np.inf if not len(values) else values.max() if self.percentile is None else np.percentile(
            values, self.percentile) for values in distances]  # fmt: skip
        return max(values)


class MeanSurfaceDistance(SurfaceMetric):
    """The mean distance of the pixels of the predicted surface to the surface of the label; ``symmetric``: of both
    ways.

    >>> metric = MeanSurfaceDistance()
    >>> metric.update(np.array([[1, 1, 0]]), np.array([[1, 1, 1]]), 1)
    >>> metric.eval()
    0.0
    """

    def of_distances(self, distances: list[np.ndarray]) -> float:
        """The mean of the means."""
        return float(np.mean([values.mean() if len(values) else np.inf for values in distances]))


class RootMeanSquareDistance(SurfaceMetric):
    """The root of the mean squared distance, both ways if ``symmetric``; as in MindSpore without the root if not.

    >>> metric = RootMeanSquareDistance(symmetric=True)
    >>> metric.update(np.array([[1, 1, 0]]), np.array([[1, 1, 1]]), 1)
    >>> round(metric.eval(), 4)
    0.4082
    """

    def of_distances(self, distances: list[np.ndarray]) -> float:
        """The value from the mean squares."""
        squares = float(np.mean([(values**2).mean() if len(values) else np.inf for values in distances]))
        return squares**0.5 if self.symmetric else squares
