"""Metrics, updated batch by batch, against numpy on all rows at once."""

import numpy as np
import pytest

from minigraph import Tensor, errors, train
from minigraph.train.metric_registry import METRICS
from tests.tables import error_cases

rng = np.random.default_rng(1)
SCORES, LABELS = rng.normal(size=(10, 3)), rng.integers(0, 3, 10)
BATCHES = [slice(0, 4), slice(4, 8), slice(8, 10)]


def eval_over_batches(metric, outputs, labels):
    """The metric after one update for each batch of rows."""
    for rows in BATCHES:
        metric.update(Tensor(outputs[rows]), Tensor(labels[rows]))
    return metric.eval()


@pytest.mark.parametrize("labels", [LABELS, np.eye(3)[LABELS]], ids=["classes", "one hot"])
def test_accuracy(labels):
    expected = (SCORES.argmax(1) == LABELS).mean()
    assert 0 < expected < 1
    assert eval_over_batches(train.Accuracy(), SCORES, labels) == expected


def test_errors_by_row_and_losses_by_batch():
    # errors by row
    other = rng.normal(size=(10, 3))
    squares = (SCORES - other) ** 2
    assert eval_over_batches(train.MAE(), SCORES, other) == pytest.approx(abs(SCORES - other).sum() / 10)
    assert eval_over_batches(train.MSE(), SCORES, other) == pytest.approx(squares.sum() / 10)
    assert eval_over_batches(train.MSE(), SCORES[:, :1], other[:, 0]) == pytest.approx(squares[:, 0].mean())
    # loss counts every batch once
    loss = train.Loss()
    for value in (1.0, 2.0, 6.0):
        loss.update(Tensor(value))
    assert loss.eval() == 3.0
    # a metric may look at some inputs only
    mae = train.MAE().set_indexes([0, 2])
    mae.update(Tensor([[1.0]]), "ignored", Tensor([[3.0]]))
    assert mae.eval() == 2.0


# constructor arguments of classes that require some, and inputs of those that do not take two matrices
ARGUMENTS = {train.TopKCategoricalAccuracy: (2,), train.ConfusionMatrix: (2,)}
CLASSES, VOLUME = np.array([0, 1, 1, 0]), (np.array([[0, 1], [1, 1]]), np.array([[0, 1], [0, 1]]), 1)
INPUTS = {
    train.BleuScore: ([["a", "b", "c", "d", "e"]], [[["a", "b", "c", "d", "f"]]]),
    train.ConfusionMatrix: (CLASSES, CLASSES), train.Perplexity: (np.full((4, 2), 0.5), CLASSES),
    train.ROC: (np.linspace(0, 1, 4), CLASSES), train.HausdorffDistance: VOLUME, train.MeanSurfaceDistance: VOLUME,
    train.RootMeanSquareDistance: VOLUME, train.OcclusionSensitivity: (lambda x: x, np.eye(1), 0),
}  # fmt: skip
METRIC_CLASSES = sorted(
    {metric_class for metric_class in METRICS.values() if isinstance(metric_class, type)},
    key=lambda metric_class: metric_class.__name__,
)


@pytest.mark.parametrize("metric_class", METRIC_CLASSES)
def test_clear_resets_and_eval_without_batches_raises(metric_class):
    metric = metric_class(*ARGUMENTS.get(metric_class, ()))
    metric.update(*INPUTS.get(metric_class, [np.eye(6)] * (1 if getattr(metric_class, "needs_loss", False) else 2)))
    metric.eval()
    metric.clear()
    with pytest.raises(RuntimeError, match=f"{metric_class.__name__}.* can ?not be"):
        metric.eval()


def test_multilabel_accuracy():
    predicted = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 1]])
    accuracy = train.Accuracy("multilabel")
    accuracy.update(predicted, np.array([[0, 1, 1], [1, 1, 1], [1, 1, 1]]))
    assert accuracy.eval() == pytest.approx(2 / 3)
    with pytest.raises(errors.ShapeError, match=r"predictions \[3, 3\] and labels \[3\] differ"):
        accuracy.update(predicted, np.ones(3))


def test_a_user_defined_metric():
    class Largest(train.Metric):
        def clear(self):
            self.largest = -np.inf

        def update(self, *inputs):
            self.largest = max(self.largest, self._convert_data(inputs[0]).max())

        def eval(self):
            return self.largest

    largest = Largest()
    largest.clear()
    assert eval_over_batches(largest, SCORES, LABELS) == SCORES.max()


test_errors = error_cases(
    (lambda: train.Accuracy().update(SCORES, LABELS[:9]), errors.ShapeError, r"got \[10, 3\] and \[9\]"),
    (lambda: train.Accuracy("both"), TypeError, "'eval_type' must be in .*, but got both"),
    (lambda: train.Metric().update(SCORES, LABELS), TypeError, "a Metric must define measure"),
)
