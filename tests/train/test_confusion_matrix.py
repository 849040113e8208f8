"""Confusion matrices and their rates: MindSpore's numbers, and the rates of counts done by hand."""

import numpy as np
import pytest

from minigraph import Tensor, train
from minigraph.train.confusion_matrix import RATES, SYNONYMS
from tests.tables import error_cases

CLASSES, LABELS = Tensor([1, 0, 1, 0]), Tensor([1, 0, 0, 1])
SCORES = Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]])
ONE_HOT = Tensor([[[0], [1]], [[1], [0]]]), Tensor([[[0], [1]], [[0], [1]]])


@pytest.mark.parametrize(
    ("options", "inputs", "expected"),
    [
        (("no_norm", 0.5), (CLASSES, LABELS), [[1, 1], [1, 1]]),
        (("prediction",), (CLASSES, LABELS), [[0.5, 0.5], [0.5, 0.5]]),
        (("target",), (SCORES, Tensor([1, 0, 1])), [[1, 0], [0.5, 0.5]]),
        (("all",), (Tensor([[0.1, 0.8]]), Tensor([[0, 1]])), [[0.5, 0], [0, 0.5]]),
    ],
)
def test_mindspores_matrices(options, inputs, expected):
    assert train.ConfusionMatrix(2, *options)(*inputs).tolist() == expected


def test_mindspores_rates():
    """MindSpore inverts ``skip_channel``: it leaves the background out if it is False."""
    assert train.ConfusionMatrixMetric(True, "tpr")(*ONE_HOT).tolist() == [0.5]
    assert train.ConfusionMatrixMetric(True, "f1 score", False, "sum")(*ONE_HOT)[0] == pytest.approx(0.66666667)
    assert train.ConfusionMatrixMetric(False, "acc", False, "none")(*ONE_HOT).tolist() == [0.5]
    assert train.ConfusionMatrixMetric(False, "acc", True, "sum")(*ONE_HOT) == 2


def test_every_rate_of_known_counts():
    tp, fp, tn, fn = map(np.array, ([8.0], [2.0], [5.0], [1.0]))
    expected = {
        "sensitivity": 8 / 9, "specificity": 5 / 7, "precision": 0.8, "negative predictive value": 5 / 6,
        "miss rate": 1 / 9, "fall out": 2 / 7, "false discovery rate": 0.2, "false omission rate": 1 / 6,
        "prevalence": 9 / 16, "accuracy": 13 / 16, "threat score": 8 / 11, "balanced accuracy": (8 / 9 + 5 / 7) / 2,
        "f1 score": 16 / 19, "matthews correlation coefficient": 38 / (10 * 9 * 7 * 6) ** 0.5,
        "fowlkes mallows index": (0.8 * 8 / 9) ** 0.5, "informedness": 8 / 9 + 5 / 7 - 1, "markedness": 0.8 + 5 / 6 - 1,
    }  # fmt: skip
    assert expected.keys() == RATES.keys() and set(SYNONYMS.values()) <= RATES.keys()
    for name, value in expected.items():
        assert RATES[name](tp, fp, tn, fn)[0] == pytest.approx(value), name


def test_batches_accumulate_and_clear():
    metric = train.ConfusionMatrixMetric(metric_name="recall", calculation_method=True)
    for _ in range(2):
        metric.update(*ONE_HOT)
    assert metric.eval() == 0.5 and metric.count == 4
    metric.clear()
    with pytest.raises(RuntimeError, match="number of samples is 0"):
        metric.eval()


test_errors = error_cases(
    (lambda: train.ConfusionMatrix(2, "rows"), ValueError, "normalize"),
    (lambda: train.ConfusionMatrix(0), ValueError, "num_classes"),
    (lambda: train.ConfusionMatrix(2)(CLASSES, Tensor([[[1]]])), ValueError, "scores have one axis more"),
    (lambda: train.ConfusionMatrixMetric(metric_name="recal"), ValueError, "no rate 'recal'"),
    (lambda: train.ConfusionMatrixMetric(decrease="max"), ValueError, "gives no number"),
    (lambda: train.ConfusionMatrixMetric(True, "acc", True, "none"), ValueError, "gives no number"),
    (lambda: train.ConfusionMatrixMetric()(CLASSES, LABELS), ValueError, r"\[N, C, ...\]"),
)
