"""Receiver operating characteristics, and areas under curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.train.metrics import Metric

Curve = tuple[np.ndarray, np.ndarray, np.ndarray]


class ROC(Metric):
    """(false positive rates, true positive rates, thresholds) of scores [N] and labels, or of scores [N, C] by class.

    ``pos_label`` is the positive label of scores [N], by default 1; the first threshold is 1 above the largest score,
    where both rates are 0.

    >>> roc = ROC(pos_label=1)
    >>> roc.update(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1]))
    >>> roc.eval()[0].tolist()
    [0.0, 0.0, 0.5, 0.5, 1.0]
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self) -> None:
        """Resets the metric."""
        super().clear()
        self.scores: list[np.ndarray] = []
        self.labels: list[np.ndarray] = []

    def update(self, *inputs: ArrayLike) -> None:
        """Accumulates one batch; raises ``ValueError`` unless there is one label per row."""
        scores, labels = map(self._convert_data, inputs)
        if len(scores) != labels.size or (scores.ndim == 2 and scores.shape[1] != (self.class_num or 1)):
            shapes = f"{list(scores.shape)} and {list(labels.shape)}"
            raise ArgValueError(f"ROC: scores and labels of shapes {shapes} for {self.class_num or 1} classes")
        self.scores.append(scores)
        self.labels.append(labels.reshape(-1))
        self.count += 1

    def eval(self) -> Any:
        """The curve, or a list of each of its parts by class; raises ``RuntimeError`` without any batch."""
        if not self.count:
            raise ArgRuntimeError("The 'ROC' can not be calculated: update has not been called.")
        scores, labels = np.concatenate(self.scores), np.concatenate(self.labels)
        if scores.ndim == 1 or scores.shape[1] == 1:
            return _curve(scores.reshape(-1), labels == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(scores[:, k], labels == k) for k in range(scores.shape[1])]
        return tuple(list(part) for part in zip(*curves, strict=True))


def _curve(scores: np.ndarray, positive: np.ndarray) -> Curve:
    order = np.argsort(-scores, kind="stable")
    sorted_scores, hits = scores[order], positive[order]
    last = np.append(np.flatnonzero(np.diff(sorted_scores)), len(scores) - 1)
    true = np.cumsum(hits)[last]
    false = 1 + last - true
    if not true[-1] or not false[-1]:
        raise ArgValueError("ROC: labels have only one of positive and negative; the curve needs both")
    thresholds = np.concatenate([sorted_scores[:1] + 1, sorted_scores[last]]).astype(scores.dtype)
    return np.append(0.0, false / false[-1]), np.append(0.0, true / true[-1]), thresholds


def auc(x: np.ndarray, y: np.ndarray, reorder: bool = False) -> float:
    """The area under a curve, by the trapezoidal rule; ``reorder`` sorts the points by x first.

    Raises ``ValueError`` for fewer than two points, and for an x that neither increases nor decreases.

    >>> auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0]))
    0.75
    """
    x, y = np.asarray(x), np.asarray(y)
    if x.shape != y.shape or x.ndim != 1 or len(x) < 2:
        raise ArgValueError(f"auc: needs as many x as y, at least two, got {list(x.shape)} and {list(y.shape)}")
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if (steps < 0).any() and not (steps <= 0).all():
        raise ArgValueError("auc: x neither increases nor decreases; pass reorder=True")
    return float(abs((steps * (y[1:] + y[:-1]) / 2).sum()))
