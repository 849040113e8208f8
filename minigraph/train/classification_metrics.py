"""Metrics by class (precision, recall, F-measure), and top-k accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ArgValueError, UsageError
from minigraph.nn.arguments import check_positive, check_positive_int
from minigraph.train.metrics import Metric, classes_of


class ClassMetric(Metric):
    """The base class: counts of true positives, predictions and labels per class; inputs as in ``Accuracy``.

    ``eval(average=True)`` is the mean over the classes. Raises ``UsageError`` for an ``eval_type`` other than
    "classification".
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__()
        if eval_type != "classification":
            raise UsageError(f"{type(self).__name__}: eval_type '{eval_type}' is not supported, only 'classification'")

    def measure(self, *arrays: np.ndarray) -> tuple[Any, Any]:
        """Three rows of numbers per class - true positives, predicted, actual - and the number of rows."""
        scores, labels = arrays
        truth, predicted, sizes = classes_of(type(self).__name__, scores, labels), scores.argmax(1), scores.shape[1]
        counts = [np.bincount(x, minlength=sizes)[:sizes] for x in (predicted[predicted == truth], predicted, truth)]
        return np.array(counts, np.float64), len(scores)

    def value_by_class(self, true_positives: np.ndarray, predicted: np.ndarray, actual: np.ndarray) -> np.ndarray:
        """The value of every class; subclasses define it."""
        raise UsageError(f"{type(self).__name__}: define value_by_class(true_positives, predicted, actual)")

    def eval(self, average: bool = False) -> Any:
        """The value of every class, f64[C], or their mean; raises ``RuntimeError`` without any batch."""
        super().eval()
        by_class = self.value_by_class(*self.total)
        return float(by_class.mean()) if average else by_class


class Precision(ClassMetric):
    """The share of true positives among the rows predicted as a class; 0 where there are none.

    >>> from minigraph import Tensor
    >>> precision = Precision()
    >>> precision.update(Tensor([[0.1, 0.9], [0.2, 0.8], [0.8, 0.2]]), Tensor([1, 0, 0]))
    >>> precision.eval()
    array([1. , 0.5])
    """

    def value_by_class(self, true_positives: np.ndarray, predicted: np.ndarray, actual: np.ndarray) -> np.ndarray:
        """true_positives / predicted."""
        return true_positives / np.maximum(predicted, 1)


class Recall(ClassMetric):
    """The share of true positives among the rows of a class; 0 where there are none."""

    def value_by_class(self, true_positives: np.ndarray, predicted: np.ndarray, actual: np.ndarray) -> np.ndarray:
        """true_positives / actual."""
        return true_positives / np.maximum(actual, 1)


class Fbeta(ClassMetric):
    """(1 + beta²) p r / (beta² p + r) of precision p and recall r (van Rijsbergen 1979, chapter 7).

    Raises ``ValueError`` for a beta that is not positive.
    """

    def __init__(self, beta: float) -> None:
        super().__init__()
        self.beta = check_positive("Fbeta", "beta", beta)

    def value_by_class(self, true_positives: np.ndarray, predicted: np.ndarray, actual: np.ndarray) -> np.ndarray:
        """In counts: (1 + beta²) true_positives / (beta² actual + predicted)."""
        square = self.beta**2
        denominator = square * actual + predicted
        return (1 + square) * true_positives / np.where(denominator > 0, denominator, 1)


class F1(Fbeta):
    """``Fbeta`` with beta 1: the harmonic mean of precision and recall."""

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

    def measure(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The number of rows whose label is among the k largest scores, and of all rows."""
        scores, labels = arrays
        classes = classes_of(type(self).__name__, scores, labels)
        if scores.shape[1] < self.k:
            raise ArgValueError(f"{type(self).__name__}: k={self.k} of only {scores.shape[1]} classes")
        largest = np.argsort(-scores, axis=1, kind="stable")[:, : self.k]
        return int((largest == classes[:, None]).any(1).sum()), len(scores)


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """``TopKCategoricalAccuracy`` with k 1."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """``TopKCategoricalAccuracy`` with k 5."""

    def __init__(self) -> None:
        super().__init__(5)
