"""Metrics: what is counted over the batches of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from minigraph.errors import RuntimeArgument, ShapeError, TypeArgument, UnknownName, did_you_mean
from minigraph.tensor import Tensor


class Metric:
    """The base: ``clear()`` before the first batch, ``update(predictions, labels)`` at each, ``eval()`` at the end.

    ``needs_loss`` says that ``update`` is given the loss of the batch instead. Subclasses define ``measured``, which
    returns the sum over a batch and the number of what was added.
    """

    needs_loss = False

    def __init__(self) -> None:
        self.total, self.count = 0.0, 0

    def clear(self) -> None:
        """Forget all batches."""
        self.total, self.count = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Take one batch: Tensors or arrays."""
        arrays = [x.asnumpy() if isinstance(x, Tensor) else np.asarray(x) for x in inputs]
        total, count = self.measured(*arrays)
        self.total, self.count = self.total + total, self.count + count

    def measured(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The sum over one batch, and the number of its elements; subclasses define it."""
        raise TypeArgument(f"{type(self).__name__}: a Metric defines measured(*arrays)")

    def eval(self) -> float:
        """The mean over all batches; raises ``RuntimeError`` when there was none."""
        if self.count == 0:
            kind = type(self).__name__
            raise RuntimeArgument(f"The '{kind}' can not be calculated, because the number of samples is 0.")
        return self.total / self.count


class Accuracy(Metric):
    """The share of rows whose largest score is that of the label.

    Scores [N, C]; labels are classes [N], or rows of C with a 1 at the class. Raises ``ShapeError`` for others.

    >>> accuracy = Accuracy()
    >>> accuracy.update(Tensor([[0.1, 0.9], [0.8, 0.2]]), Tensor([1, 1]))
    >>> accuracy.eval()
    0.5
    """

    def measured(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The number of rows that are right, and of all."""
        scores, labels = arrays
        if scores.ndim != 2 or labels.shape not in (scores.shape[:1], scores.shape):
            raise ShapeError(
                f"Accuracy: scores must be [N, C] and labels [N] or [N, C], got {list(scores.shape)} and "
                f"{list(labels.shape)}; reshape them"
            )
        classes = labels.argmax(1) if labels.ndim == 2 else labels
        return int((scores.argmax(1) == classes).sum()), len(scores)


class Loss(Metric):
    """The mean loss of the batches, each counting once, as in MindSpore.

    >>> loss = Loss()
    >>> loss.update(Tensor(2.0)), loss.update(Tensor(4.0))
    (None, None)
    >>> loss.eval()
    3.0
    """

    needs_loss = True

    def measured(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The loss of one batch."""
        return float(arrays[0].mean()), 1


class MAE(Metric):
    """The mean over the rows of the sum of absolute differences in a row, as in MindSpore."""

    def measured(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The sum of a batch and its number of rows."""
        return float(np.abs(arrays[0] - arrays[1].reshape(arrays[0].shape)).sum()), len(arrays[0])


class MSE(Metric):
    """The mean over the rows of the sum of squared differences in a row, as in MindSpore."""

    def measured(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The sum of a batch and its number of rows."""
        return float(np.square(arrays[0] - arrays[1].reshape(arrays[0].shape)).sum()), len(arrays[0])


METRICS: dict[str, Callable[[], Metric]] = {
    "accuracy": Accuracy,
    "acc": Accuracy,
    "loss": Loss,
    "mae": MAE,
    "mse": MSE,
}


def metrics_of(wanted: Any) -> dict[str, Metric]:
    """The metrics by name: of a dict of them, or of a set or list of names.

    Raises ``UnknownName`` with the nearest name, ``TypeError`` for other things.

    >>> list(metrics_of(["loss", "accuracy"]))
    ['loss', 'accuracy']
    """
    if wanted is None:
        return {}
    if isinstance(wanted, Mapping):
        wrong = [name for name, metric in wanted.items() if not isinstance(metric, Metric)]
        if wrong:
            raise TypeArgument(f"metrics: '{wrong[0]}' is a {type(wanted[wrong[0]]).__name__}, not a Metric")
        return dict(wanted)
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise TypeArgument(f"metrics: a dict or a set of names, got {type(wanted).__name__}")
    return {name: _metric_named(name) for name in (sorted(wanted) if isinstance(wanted, set) else wanted)}


def _metric_named(name: Any) -> Metric:
    if name not in METRICS:
        raise UnknownName(f"no metric {name!r}{did_you_mean(name, METRICS)}")
    return METRICS[name]()
