"""Metrics over batches against numpy over all rows at once."""

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, train
from minigraph.train.metrics import METRICS, metrics_of

rng = np.random.default_rng(1)
SCORES, LABELS = rng.normal(size=(10, 3)), rng.integers(0, 3, 10)
BATCHES = [slice(0, 4), slice(4, 8), slice(8, 10)]


def over_batches(metric, outputs, labels):
    for rows in BATCHES:
        metric.update(Tensor(outputs[rows]), Tensor(labels[rows]))
    return metric.eval()


@pytest.mark.parametrize("labels", [LABELS, np.eye(3)[LABELS]], ids=["classes", "one hot"])
def test_accuracy(labels):
    wanted = (SCORES.argmax(1) == LABELS).mean()
    assert 0 < wanted < 1
    assert over_batches(train.Accuracy(), SCORES, labels) == wanted


def test_errors_by_row():
    other = rng.normal(size=(10, 3))
    assert over_batches(train.MAE(), SCORES, other) == pytest.approx(abs(SCORES - other).sum() / 10)
    assert over_batches(train.MSE(), SCORES, other) == pytest.approx(((SCORES - other) ** 2).sum() / 10)
    assert over_batches(train.MSE(), SCORES[:, :1], other[:, 0]) == pytest.approx(
        ((SCORES[:, 0] - other[:, 0]) ** 2).mean()
    )


def test_loss_counts_every_batch_once():
    loss = train.Loss()
    for value in (1.0, 2.0, 6.0):
        loss.update(Tensor(value))
    assert loss.eval() == 3.0


@pytest.mark.parametrize("kind", sorted(set(METRICS.values()), key=lambda kind: kind.__name__))
def test_clear_forgets_and_nothing_has_no_mean(kind):
    metric = kind()
    metric.update(*[np.ones((2, 2))] * (1 if kind.needs_loss else 2))
    metric.eval()
    metric.clear()
    with pytest.raises(
        RuntimeError, match=f"'{kind.__name__}' can not be calculated, because the number of samples is 0"
    ):
        metric.eval()


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ms.errors.ShapeError, match=r"got \[10, 3\] and \[9\]"):
        train.Accuracy().update(SCORES, LABELS[:9])


def test_metrics_by_name_and_by_hand():
    assert list(metrics_of({"loss", "accuracy"})) == ["accuracy", "loss"]
    assert type(metrics_of(["acc"])["acc"]) is train.Accuracy
    mine = train.MSE()
    assert metrics_of({"error": mine}) == {"error": mine}
    assert metrics_of(None) == {}
    with pytest.raises(ms.errors.UnknownName, match="no metric 'acuracy'; did you mean 'accuracy'"):
        metrics_of(["acuracy"])
    for wrong in ("accuracy", 3, {"a": "accuracy"}):
        with pytest.raises(TypeError, match="metrics: "):
            metrics_of(wrong)
