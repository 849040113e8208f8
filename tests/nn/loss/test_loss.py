"""Losses against formulas in numpy float64."""

import numpy as np
import pytest

from minigraph import Tensor, errors, grad, int32, nn, ops
from minigraph.nn.loss.loss import REDUCTIONS
from tests.nn.cells import assert_close, tensor
from tests.tables import every, refusals

rng = np.random.default_rng(2)
REDUCED = {"mean": np.mean, "sum": np.sum, "none": lambda rows: rows}
LOGITS = rng.normal(size=(4, 3)).astype(np.float32)
TARGET = rng.normal(size=(4, 3)).astype(np.float32)
LABELS = np.array([0, 2, 1, 0], np.int32)
WEIGHT = np.array([1.0, 2.0, 0.5], np.float32)
LOGS = LOGITS - np.log(np.exp(LOGITS.astype(np.float64)).sum(1, keepdims=True))


def assert_loss(loss, labels, wanted, logits=LOGITS):
    assert_close(loss(Tensor(logits), Tensor(labels)), wanted)


@every(target=[TARGET, TARGET[:, :1], TARGET[0]], reduction=REDUCTIONS)
def test_squared_and_absolute_differences_broadcast(reduction, target):
    difference = LOGITS.astype(np.float64) - target
    assert_loss(nn.MSELoss(reduction), target, REDUCED[reduction](difference**2))
    assert_loss(nn.L1Loss(reduction), target, REDUCED[reduction](abs(difference)))


def test_cross_entropy_of_one_row_and_promoted_dtypes():
    # dtypes are promoted
    assert nn.MSELoss()(Tensor([1.5]), Tensor([1])).item() == 0.25
    # cross entropy of one row without a batch
    logits = Tensor([1.0, 2.0, 3.0])
    one = nn.CrossEntropyLoss()(logits.expand_dims(0), Tensor([2]))
    assert nn.CrossEntropyLoss()(logits, Tensor(2)).item() == one.item()
    assert nn.CrossEntropyLoss(reduction="none")(logits, Tensor(2)).shape == ()


@every(labels=[LABELS, LABELS.astype(np.int64)], reduction=REDUCTIONS)
def test_cross_entropy_of_classes(reduction, labels):
    assert_loss(nn.CrossEntropyLoss(reduction=reduction), labels, REDUCED[reduction](-LOGS[np.arange(4), LABELS]))


@every(reduction=REDUCTIONS, weight=[None, WEIGHT])
def test_cross_entropy_of_probabilities(reduction, weight):
    share = abs(TARGET) / abs(TARGET).sum(1, keepdims=True)
    rows = -(share * LOGS * (1 if weight is None else weight)).sum(1)
    assert_loss(nn.CrossEntropyLoss(tensor(weight), reduction=reduction), share, REDUCED[reduction](rows))


def test_cross_entropy_of_images_and_its_weighted_gradient():
    # cross entropy of images
    logits = rng.normal(size=(2, 3, 4, 5)).astype(np.float32)
    labels = rng.integers(0, 3, (2, 4, 5)).astype(np.int32)
    logs = logits - np.log(np.exp(logits.astype(np.float64)).sum(1, keepdims=True))
    rows = -np.take_along_axis(logs, labels[:, None], 1)[:, 0]
    assert_loss(nn.CrossEntropyLoss(), labels, rows.mean(), logits)
    each = WEIGHT[labels]
    assert_loss(nn.CrossEntropyLoss(Tensor(WEIGHT)), labels, (rows * each).sum() / each.sum(), logits)
    # gradient of the weighted loss is that of its formula
    found = grad(nn.CrossEntropyLoss(Tensor(WEIGHT)))(Tensor(LOGITS), Tensor(LABELS))
    each = WEIGHT[LABELS][:, None]
    assert_close(found, (np.exp(LOGS) - np.eye(3)[LABELS]) * each / each.sum())


@every(smoothing=[0.0, 0.1], weight=[None, WEIGHT])
def test_weights_smoothing_and_ignored_rows_together(weight, smoothing):
    labels, scale = np.array([0, -1, 1, 2], np.int32), np.ones(3) if weight is None else weight
    known = labels != -1
    targets = (1 - smoothing) * np.eye(3)[labels[known]] + smoothing / 3
    total = -(targets * scale * LOGS[known]).sum()
    loss = nn.CrossEntropyLoss(tensor(weight), -1, "mean", smoothing)
    assert_loss(loss, labels, total / scale[labels[known]].sum())


@pytest.mark.parametrize("kind", [nn.MSELoss, nn.L1Loss, nn.CrossEntropyLoss])
def test_another_reduction_is_refused(kind):
    with pytest.raises(ValueError, match=f"For '{kind.__name__}', the 'reduction' must be in"):
        kind(reduction="median")


test_labels_and_smoothing_are_checked = refusals(
    ([0, 1, 3, 2], {}, errors.RangeError, "label 3 for 3 classes"),
    ([0, 1], {}, errors.ShapeError, r"labels of shape \[2\] for logits \[4, 3\]"),
    ([0, 1, 2, 2], {"label_smoothing": 1.5}, ValueError, "'label_smoothing' must be in range"),
    by=lambda labels, options: nn.CrossEntropyLoss(**options)(Tensor(LOGITS), Tensor(labels, int32)),
)


@pytest.mark.parametrize("loss", [nn.BCELoss(), nn.BCEWithLogitsLoss(), nn.KLDivLoss(), nn.SmoothL1Loss()], ids=repr)
def test_labels_that_would_broadcast_are_refused(loss):
    name = type(loss).__name__
    with pytest.raises(errors.ShapeError, match=rf"^{name}: logits f32\[2,3\] and labels f32\[3\] differ in shape"):
        loss(ops.ones((2, 3)), ops.ones((3,)))
