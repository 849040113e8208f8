"""Confusion matrices, and the rates computed from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.errors import ArgValueError, ShapeError, did_you_mean
from minigraph.nn.arguments import check_positive_int, check_type
from minigraph.train.metrics import Metric

NORMALIZATIONS = ("no_norm", "target", "prediction", "all")


class ConfusionMatrix(Metric):
    """Counts of rows by label (row) and predicted class (column).

    Predictions are classes [N], scores [N, C], or probabilities [N] of class 1, predicted from ``threshold`` on.
    ``normalize`` divides by the sums of the labels ("target"), of the predictions ("prediction") or by all. Raises
    ``ValueError`` for another normalisation or fewer than one class.

    >>> from minigraph import Tensor
    >>> matrix = ConfusionMatrix(2)
    >>> matrix.update(Tensor([1, 0, 1, 0]), Tensor([1, 0, 0, 1]))
    >>> matrix.eval().tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        super().__init__()
        if normalize not in NORMALIZATIONS:
            expected = f"should be in {list(NORMALIZATIONS)}"
            raise ArgValueError(f"The argument 'normalize' {expected}, but got {normalize!r}.")
        self.num_classes = check_positive_int("ConfusionMatrix", "num_classes", num_classes)
        self.normalize, self.threshold = normalize, check_type("ConfusionMatrix", "threshold", threshold, float)

    def measure(self, *arrays: np.ndarray) -> tuple[Any, Any]:
        """The counts of a batch, and its number of rows."""
        scores, labels = arrays
        if scores.ndim == labels.ndim + 1:
            classes = scores.argmax(1)
        elif scores.shape == labels.shape:
            classes = (scores >= self.threshold).astype(np.int64) if scores.dtype.kind == "f" else scores
        else:
            shapes = f"{list(scores.shape)} and {list(labels.shape)}"
            raise ShapeError(f"ConfusionMatrix: predictions and labels of shapes {shapes}; scores have one axis more")
        pairs = labels.astype(np.int64).reshape(-1) * self.num_classes + classes.astype(np.int64).reshape(-1)
        counts = np.bincount(pairs, minlength=self.num_classes**2)
        return counts.reshape(self.num_classes, self.num_classes).astype(np.float64), len(pairs)

    def eval(self) -> Any:
        """The matrix, f64[C, C]; raises ``RuntimeError`` without any batch."""
        super().eval()
        matrix = self.total
        if self.normalize == "no_norm":
            return matrix
        axes = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        sums = matrix.sum(axis=axes, keepdims=True)
        return np.divide(matrix, sums, out=np.zeros_like(matrix), where=sums != 0)


def _ratio(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """The quotient; NaN where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator != 0)


Rate = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]

# name -> rate of true positives, false positives, true negatives and false negatives (Fawcett 2006)
RATES: dict[str, Rate] = {
    "sensitivity": lambda tp, fp, tn, fn: _ratio(tp, tp + fn),
    "specificity": lambda tp, fp, tn, fn: _ratio(tn, tn + fp),
    "precision": lambda tp, fp, tn, fn: _ratio(tp, tp + fp),
    "negative predictive value": lambda tp, fp, tn, fn: _ratio(tn, tn + fn),
    "miss rate": lambda tp, fp, tn, fn: _ratio(fn, tp + fn),
    "fall out": lambda tp, fp, tn, fn: _ratio(fp, fp + tn),
    "false discovery rate": lambda tp, fp, tn, fn: _ratio(fp, fp + tp),
    "false omission rate": lambda tp, fp, tn, fn: _ratio(fn, fn + tn),
    "prevalence": lambda tp, fp, tn, fn: _ratio(tp + fn, tp + fp + tn + fn),
    "accuracy": lambda tp, fp, tn, fn: _ratio(tp + tn, tp + fp + tn + fn),
    "threat score": lambda tp, fp, tn, fn: _ratio(tp, tp + fn + fp),
    "balanced accuracy": lambda tp, fp, tn, fn: (_ratio(tp, tp + fn) + _ratio(tn, tn + fp)) / 2,
    "f1 score": lambda tp, fp, tn, fn: _ratio(2 * tp, 2 * tp + fn + fp),
    "matthews correlation coefficient": lambda tp, fp, tn, fn: _ratio(
        tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))),
    "fowlkes mallows index": lambda tp, fp, tn, fn: np.sqrt(_ratio(tp, tp + fp) * _ratio(tp, tp + fn)),
    "informedness": lambda tp, fp, tn, fn: _ratio(tp, tp + fn) + _ratio(tn, tn + fp) - 1,
    "markedness": lambda tp, fp, tn, fn: _ratio(tp, tp + fp) + _ratio(tn, tn + fn) - 1,
}  # fmt: skip
SYNONYMS = {
    "recall": "sensitivity", "hit rate": "sensitivity", "true positive rate": "sensitivity", "tpr": "sensitivity",
    "selectivity": "specificity", "true negative rate": "specificity", "tnr": "specificity",
    "positive predictive value": "precision", "ppv": "precision", "npv": "negative predictive value",
    "false negative rate": "miss rate", "fnr": "miss rate", "false positive rate": "fall out", "fpr": "fall out",
    "fdr": "false discovery rate", "for": "false omission rate", "acc": "accuracy",
    "critical success index": "threat score", "ts": "threat score", "csi": "threat score", "ba": "balanced accuracy",
    "f1": "f1 score", "mcc": "matthews correlation coefficient", "fm": "fowlkes mallows index",
    "bookmaker informedness": "informedness", "bm": "informedness", "deltap": "markedness", "mk": "markedness",
}  # fmt: skip
DECREASES = ("mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel", "none")


class ConfusionMatrixMetric(Metric):
    """A rate computed from true and false positives and negatives, for one-hot predictions and labels [N, C, ...].

    ``metric_name`` is a key of ``RATES`` or ``SYNONYMS``. ``skip_channel`` excludes the first class, the background.
    The rate is computed from the counts of all rows and classes; with ``calculation_method``, for every row and class,
    and reduced by ``decrease``: "mean", without undefined rates, or "sum". Raises ``ValueError`` for other names.

    >>> from minigraph import Tensor
    >>> metric = ConfusionMatrixMetric(metric_name="tpr")
    >>> metric.update(Tensor([[[0], [1]], [[1], [0]]]), Tensor([[[0], [1]], [[0], [1]]]))
    >>> metric.eval().tolist()
    [0.5]
    """

    def __init__(
        self, skip_channel: bool = True, metric_name: str = "sensitivity", calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:  # fmt: skip
        super().__init__()
        name = metric_name.replace("_", " ").lower()
        name = SYNONYMS.get(name, name)
        if name not in RATES:
            raise ArgValueError(f"ConfusionMatrixMetric: no rate {metric_name!r}{did_you_mean(name, RATES)}")
        if decrease not in (DECREASES[:2] if calculation_method else DECREASES):
            raise ArgValueError(f"ConfusionMatrixMetric: decrease {decrease!r} gives no number; use 'mean' or 'sum'")
        self.skip_channel, self.calculation_method, self.decrease = skip_channel, calculation_method, decrease
        self.rate = RATES[name]

    def measure(self, *arrays: np.ndarray) -> tuple[Any, Any]:
        """The counts of a batch, or its rate times the number of values, and that number."""
        predicted, labels = (array != 0 for array in arrays)
        if predicted.shape != labels.shape or predicted.ndim < 2:
            shapes = f"{list(predicted.shape)} and {list(labels.shape)}"
            raise ShapeError(f"ConfusionMatrixMetric: predictions and labels must be [N, C, ...], got {shapes}")
        first = 1 if self.skip_channel and predicted.shape[1] > 1 else 0
        p, y = (x.reshape(*x.shape[:2], -1)[:, first:] for x in (predicted, labels))
        counts = [part.sum(-1).astype(np.float64) for part in (p & y, p & ~y, ~p & ~y, ~p & y)]
        if not self.calculation_method:
            return np.array([part.sum() for part in counts]), 1
        rates = self.rate(*counts)
        defined = ~np.isnan(rates)
        if self.decrease == "sum":
            return float(rates[defined].sum()) * defined.sum(), int(defined.sum())
        rows = defined.any(1)
        return float(np.nanmean(rates[rows], 1).sum()), int(rows.sum())

    def eval(self) -> Any:
        """The rate: an array of one number, or with ``calculation_method`` the number; ``RuntimeError`` without any."""
        mean = super().eval()
        return mean if self.calculation_method else self.rate(*self.total.reshape(4, 1))
