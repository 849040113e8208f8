"""Precision, recall and F-measure over batches, against counts."""

import numpy as np
import pytest

from minigraph import Tensor, train
from tests.tables import error_cases

rng = np.random.default_rng(4)
SCORES, LABELS = rng.normal(size=(40, 4)), rng.integers(0, 3, 40)  # the last class has no rows
PREDICTED = SCORES.argmax(1)


def evaluate(metric, labels=LABELS):
    for rows in (slice(0, 15), slice(15, 40)):
        metric.update(Tensor(SCORES[rows]), Tensor(labels[rows]))
    return metric.eval()


def counts_of(c):
    """True positives, predicted and actual, for a class."""
    return sum((c == PREDICTED) & (c == LABELS)), sum(c == PREDICTED), sum(c == LABELS)


@pytest.mark.parametrize("labels", [LABELS, np.eye(4)[LABELS]], ids=["classes", "one hot"])
def test_precision_and_recall(labels):
    counts = [counts_of(c) for c in range(4)]
    assert counts[3][2] == 0 < counts[3][1]
    precision, recall = train.Precision(), train.Recall()
    np.testing.assert_allclose(evaluate(precision, labels), [right / predicted for right, predicted, _ in counts])
    np.testing.assert_allclose(evaluate(recall, labels), [right / max(1, actual) for right, _, actual in counts])
    assert precision.eval(average=True) == pytest.approx(precision.eval().mean())
    assert recall.eval(True) == pytest.approx(recall.eval().mean())


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_fbeta(beta):
    p, r = evaluate(train.Precision()), evaluate(train.Recall())
    with np.errstate(invalid="ignore"):
        expected = np.nan_to_num((1 + beta**2) * p * r / (beta**2 * p + r))
    np.testing.assert_allclose(evaluate(train.Fbeta(beta)), expected)
    if beta == 1.0:
        np.testing.assert_allclose(evaluate(train.F1()), expected)


def test_top_k_accuracy():
    for k in (1, 2, 4):
        best = np.argsort(-SCORES, 1)[:, :k]
        expected = np.mean([label in row for label, row in zip(LABELS, best, strict=True)])
        assert evaluate(train.TopKCategoricalAccuracy(k)) == expected
    assert evaluate(train.Top1CategoricalAccuracy()) == evaluate(train.Accuracy())
    five = train.Top5CategoricalAccuracy()
    five.update(np.arange(12.0).reshape(2, 6), np.array([0, 1]))
    assert five.eval() == 0.5


test_invalid_arguments_raise = error_cases(
    (lambda: train.Precision("multilabel"), ValueError, "eval_type 'multilabel' is not supported"),
    (lambda: train.Fbeta(0.0), ValueError, "the 'beta' must be float and must > 0"),
    (lambda: train.TopKCategoricalAccuracy(0), ValueError, "the 'k' must be int and must > 0"),
    (lambda: train.TopKCategoricalAccuracy(5).update(SCORES, LABELS), ValueError, "k=5 of only 4 classes"),
    (lambda: train.Recall().update(SCORES, LABELS[:5]), ValueError, r"got \[40, 4\] and \[5\]"),
    (lambda: train.Recall().eval(), RuntimeError, "'Recall' can not be calculated"),
)
