"""ROC curves and areas: MindSpore's numbers, and errors."""

import numpy as np
import pytest

from minigraph import Tensor, train
from tests.tables import error_cases

THREE = Tensor([[0.28, 0.55, 0.15], [0.10, 0.20, 0.05], [0.2, 0.05, 0.3]])

# printed by MindSpore 2.10
RECORDED = [
    (train.ROC(pos_label=1), Tensor([3, 1, 4, 2]), Tensor([0, 1, 2, 3]),
     ([0, 1 / 3, 2 / 3, 1, 1], [0, 0, 0, 0, 1], [5, 4, 3, 2, 1])),
    (train.ROC(pos_label=1), Tensor([0.1, 0.4, 0.35, 0.8]), Tensor([0, 0, 1, 1]),
     ([0, 0, 0.5, 0.5, 1], [0, 0.5, 0.5, 1, 1], [1.8, 0.8, 0.4, 0.35, 0.1])),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "scores", "labels", "expected"), RECORDED)
def test_mindspores_curves(metric, scores, labels, expected):
    for part, values in zip(metric(scores, labels), expected, strict=True):
        np.testing.assert_allclose(part, values, rtol=1e-6)


def test_one_curve_per_class():
    false, true, thresholds = train.ROC(class_num=3)(THREE, Tensor([0, 1, 2]))
    assert [tensor.tolist() for tensor in false] == [[0, 0, 0.5, 1], [0, 0.5, 0.5, 1], [0, 0, 0.5, 1]]
    assert [tensor.tolist() for tensor in true] == [[0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]
    np.testing.assert_allclose(thresholds[1], [1.55, 0.55, 0.2, 0.05], rtol=1e-6)


def test_areas():
    assert train.auc(np.array([0, 0, 0.5, 1.0]), np.array([0, 0.5, 1, 1.0])) == 0.875  # MindSpore 2.10
    assert train.auc(np.array([1.0, 0.5, 0.0]), np.array([1.0, 1, 0])) == 0.75
    assert train.auc(np.array([1.0, 0.0, 0.5]), np.array([1.0, 0, 1]), reorder=True) == 0.75


test_errors = error_cases(
    (lambda: train.auc(np.array([1.0]), np.array([1.0])), ValueError, "at least two"),
    (lambda: train.auc(np.array([0.0, 1.0, 0.5]), np.zeros(3)), ValueError, "reorder=True"),
    (lambda: train.ROC()(Tensor([1.0]), Tensor([1, 0])), ValueError, "for 1 classes"),
    (lambda: train.ROC()(Tensor([1.0, 2.0]), Tensor([1, 1])), ValueError, "only one of positive"),
    (lambda: train.ROC().eval(), RuntimeError, "update has not been called"),
)
