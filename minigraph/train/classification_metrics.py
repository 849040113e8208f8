"""Metrics class by class: precision, recall and what is made of both; and whether the label is among the best."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import UsageError, ValueArgument
from minigraph.nn.arguments import check_positive, check_positive_int
from minigraph.train.metrics import Metric, classes_of


class ByClass(Metric):
    """The base: counts per class how often it was right, predicted, and there; scores and labels as in ``Accuracy``.

    ``eval(average=True)`` is the mean over the classes. Raises ``UsageError`` for another ``eval_type`` than
    "classification".
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__()
        if eval_type != "classification":
            raise UsageError(f"{type(self).__name__}: eval_type '{eval_type}' is not supported, only 'classification'")

    def measured(self, *arrays: np.ndarray) -> tuple[Any, Any]:
        """Three rows of numbers per class - right, predicted, there - and how many rows were seen."""
        scores, labels = arrays
        truth, said, sizes = classes_of(type(self).__name__, scores, labels), scores.argmax(1), scores.shape[1]
        counts = [np.bincount(x, minlength=sizes)[:sizes] for x in (said[said == truth], said, truth)]
        return np.array(counts, np.float64), len(scores)

    def share(self, right: np.ndarray, predicted: np.ndarray, there: np.ndarray) -> np.ndarray:
        """The value of every class; subclasses define it."""
        raise UsageError(f"{type(self).__name__}: a ByClass defines share(right, predicted, there)")

    def eval(self, average: bool = False) -> Any:
        """The value of every class, f64[C], or their mean; raises ``RuntimeError`` when there was no batch."""
        super().eval()
        by_class = self.share(*self.total)
        return float(by_class.mean()) if average else by_class


class Precision(ByClass):
    """Of the rows that were given a class, the share that has it; 0 where there are none.

    >>> from minigraph import Tensor
    >>> precision = Precision()
    >>> precision.update(Tensor([[0.1, 0.9], [0.2, 0.8], [0.8, 0.2]]), Tensor([1, 0, 0]))
    >>> precision.eval()
    array([1. , 0.5])
    """

    def share(self, right: np.ndarray, predicted: np.ndarray, there: np.ndarray) -> np.ndarray:
        """right / predicted."""
        return right / np.maximum(predicted, 1)


class Recall(ByClass):
    """Of the rows that have a class, the share that was given it; 0 where there are none."""

    def share(self, right: np.ndarray, predicted: np.ndarray, there: np.ndarray) -> np.ndarray:
        """right / there."""
        return right / np.maximum(there, 1)


class Fbeta(ByClass):
    """(1 + beta²) p r / (beta² p + r) of precision p and recall r (van Rijsbergen 1979, chapter 7).

    Raises ``ValueError`` for a beta that is not positive.
    """

    def __init__(self, beta: float) -> None:
        super().__init__()
        self.beta = check_positive("Fbeta", "beta", beta)

    def share(self, right: np.ndarray, predicted: np.ndarray, there: np.ndarray) -> np.ndarray:
        """In numbers: (1 + beta²) right / (beta² there + predicted)."""
        square = self.beta**2
        below = square * there + predicted
        return (1 + square) * right / np.where(below > 0, below, 1)


class F1(Fbeta):
    """``Fbeta`` with a beta of 1: the harmonic mean of precision and recall."""

    def __init__(self) -> None:
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """The share of rows whose label is among the ``k`` largest scores.

    Raises ``ValueError`` for k below 1 or, at ``update``, above the number of classes.

    >>> from minigraph import Tensor
    >>> metric = TopKCategoricalAccuracy(2)
    >>> metric.update(Tensor([[0.2, 0.5, 0.3], [0.1, 0.7, 0.2]]), Tensor([2, 0]))
    >>> metric.eval()
    0.5
    """

    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = check_positive_int(type(self).__name__, "k", k)

    def measured(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The number of rows whose label is among the best, and of all."""
        scores, labels = arrays
        classes = classes_of(type(self).__name__, scores, labels)
        if scores.shape[1] < self.k:
            raise ValueArgument(f"{type(self).__name__}: k={self.k} of only {scores.shape[1]} classes")
        best = np.argsort(-scores, axis=1, kind="stable")[:, : self.k]
        return int((best == classes[:, None]).any(1).sum()), len(scores)


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """``TopKCategoricalAccuracy`` with a k of 1."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """``TopKCategoricalAccuracy`` with a k of 5."""

    def __init__(self) -> None:
        super().__init__(5)
