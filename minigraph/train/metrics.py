"""Metrics: values accumulated over the batches of an evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from typing import Any, Self

import numpy as np

from minigraph.core.aliases import ArrayLike, Function
from minigraph.core.deprecated_names import DeprecatedAttribute, warn_renamed
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ShapeError
from minigraph.core.tensor import Tensor


def rearrange_inputs(func: Function) -> Function:
    """A decorator for ``update`` of a metric: its inputs are those that ``set_indexes`` chose."""

    @wraps(func)
    def update(self: Metric, *inputs: object) -> Any:
        return func(self, *(inputs if self.indexes is None else [inputs[i] for i in self.indexes]))

    return update


class Metric:
    """The base class: ``clear()`` before the first batch, ``update(predictions, labels)`` per batch, ``eval()`` at the
    end.

    If ``needs_loss``, ``update`` receives the loss of the batch instead. Subclasses define ``measure``, which returns
    the sum over a batch and the number of summands; or all three methods. ``set_indexes`` selects from several outputs
    those for ``update``.
    """

    needs_loss = False
    indexes: list[int] | None = None

    def __init__(self) -> None:
        self.total: Any = 0.0
        self.count: Any = 0

    def set_indexes(self, indexes: Sequence[int]) -> Self:
        """Selects the inputs of ``update`` by position; returns the metric."""
        self.indexes = list(indexes)
        return self

    def clear(self) -> None:
        """Resets the metric."""
        self.total, self.count = 0.0, 0

    def update(self, *inputs: ArrayLike) -> None:
        """Accumulates one batch: Tensors or arrays."""
        selected = inputs if self.indexes is None else [inputs[i] for i in self.indexes]
        total, count = self.measure(*map(self._convert_data, selected))
        self.total, self.count = self.total + total, self.count + count

    def __call__(self, *inputs: ArrayLike) -> Any:
        """The metric of one batch alone."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    def _convert_data(self, data: ArrayLike) -> np.ndarray:
        """A Tensor, list or array as an array; subclasses of MindSpore's metrics call it by this name."""
        return data.asnumpy() if isinstance(data, Tensor) else np.asarray(data)

    def measure(self, *arrays: np.ndarray) -> tuple[Any, Any]:
        """The sum over one batch, and the number of its elements; subclasses define it."""
        raise ArgTypeError(f"{type(self).__name__}: a Metric must define measure(*arrays)")

    measured = DeprecatedAttribute("measure")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "measured" in vars(cls):
            cls.measure = cls.measured  # type: ignore[method-assign]
            warn_renamed(f"{cls.__name__}.measured", f"{cls.__name__}.measure")

    def eval(self) -> Any:
        """The mean over all batches; raises ``RuntimeError`` without any batch."""
        if not np.any(self.count):
            kind = type(self).__name__
            raise ArgRuntimeError(
                f"The '{kind}' can not be calculated, because the number of samples is 0, please check whether your "
                "inputs(predicted value, true value) are empty, or has called update method before calling eval method."
            )
        return self.total / self.count


class Accuracy(Metric):
    """The share of rows with the largest score at the label; of "multilabel" rows, those with all labels correct.

    Scores are [N, C]; labels are classes [N] or one-hot rows [N, C]; "multilabel" takes rows of 0 and 1. Raises
    ``ShapeError`` for other shapes, ``TypeError`` for another ``eval_type``.

    >>> accuracy = Accuracy()
    >>> accuracy.update(Tensor([[0.1, 0.9], [0.8, 0.2]]), Tensor([1, 1]))
    >>> accuracy.eval()
    0.5
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            allowed = "{'classification', 'multilabel'}"
            raise ArgTypeError(f"The argument 'eval_type' must be in {allowed}, but got {eval_type}")
        self.eval_type = eval_type

    def measure(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The number of correct rows, and of all rows."""
        scores, labels = arrays
        if self.eval_type == "classification":
            classes = classes_of("Accuracy", scores, labels)
            return int((scores.argmax(1) == classes).sum()), len(scores)
        if scores.shape != labels.shape:
            raise ShapeError(f"Accuracy: predictions {list(scores.shape)} and labels {list(labels.shape)} differ")
        return int((scores == labels).reshape(len(scores), -1).all(1).sum()), len(scores)


class Loss(Metric):
    """The mean loss of the batches, equally weighted, as in MindSpore.

    >>> loss = Loss()
    >>> loss.update(Tensor(2.0)), loss.update(Tensor(4.0))
    (None, None)
    >>> loss.eval()
    3.0
    """

    needs_loss = True

    def measure(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The loss of one batch."""
        return float(arrays[0].mean()), 1


class MAE(Metric):
    """The mean over the rows of the sum of absolute differences in a row, as in MindSpore."""

    def measure(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The sum of a batch and its number of rows."""
        return float(np.abs(arrays[0] - arrays[1].reshape(arrays[0].shape)).sum()), len(arrays[0])


class MSE(Metric):
    """The mean over the rows of the sum of squared differences in a row, as in MindSpore."""

    def measure(self, *arrays: np.ndarray) -> tuple[float, int]:
        """The sum of a batch and its number of rows."""
        return float(np.square(arrays[0] - arrays[1].reshape(arrays[0].shape)).sum()), len(arrays[0])


def classes_of(caller: str, scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The class of each row: labels [N], or one-hot rows [N, C]; raises ``ShapeError`` for other shapes."""
    if scores.ndim != 2 or labels.shape not in (scores.shape[:1], scores.shape):
        raise ShapeError(
            f"{caller}: scores must be [N, C] and labels [N] or [N, C], got {list(scores.shape)} and "
            f"{list(labels.shape)}; reshape them"
        )
    return labels.argmax(1) if labels.ndim == 2 else labels.astype(np.int64)
