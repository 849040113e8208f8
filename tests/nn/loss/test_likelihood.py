"""Losses of probabilities against their formulas in numpy float64."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, float32, float64, grad, int32, nn, ops, value_and_grad
from minigraph.nn.loss.loss import REDUCTIONS
from tests.nn.cells import assert_close, tensor
from tests.tables import every, refusals

rng = np.random.default_rng(2)
LOGITS = rng.normal(size=(5, 3)) * 3
SHARES, WEIGHT = rng.uniform(0.05, 0.95, (5, 3)), rng.uniform(0.5, 2, 3)
REDUCED = {"mean": np.mean, "sum": np.sum, "none": lambda rows: rows}


def assert_loss(loss, logits, labels, wanted):
    assert_close(loss(tensor(logits), Tensor(labels) if labels.dtype.kind == "i" else tensor(labels)), wanted)


@every(reduction=REDUCTIONS, weight=[None, WEIGHT])
def test_binary_cross_entropy(reduction, weight):
    p, scale = 1 / (1 + np.exp(-LOGITS)), 1 if weight is None else weight
    rows = -(SHARES * np.log(p) + (1 - SHARES) * np.log(1 - p)) * scale
    assert_loss(nn.BCELoss(tensor(weight), reduction), p, SHARES, REDUCED[reduction](rows))
    assert_loss(nn.BCEWithLogitsLoss(reduction, tensor(weight)), LOGITS, SHARES, REDUCED[reduction](rows))
    more = -(SHARES * np.log(p) * 3 + (1 - SHARES) * np.log(1 - p)) * scale
    loss = nn.BCEWithLogitsLoss(reduction, tensor(weight), tensor([3.0, 3.0, 3.0]))
    assert_loss(loss, LOGITS, SHARES, REDUCED[reduction](more))


def test_logits_far_out_and_labels_of_zero():
    # logits far out neither overflow nor cancel
    x, y, loss = np.array([-100.0, -50.0, 50.0, 1e30]), np.array([0.0, 0.0, 1.0, 0.0]), nn.BCEWithLogitsLoss("none")
    assert_loss(loss, x[:3], y[:3], np.log1p(np.exp(-abs(x[:3]))))
    small = loss(tensor(x), tensor(y)).asnumpy()
    assert (small[1], small[3]) == (pytest.approx(np.exp(-50.0), rel=1e-5), np.float32(1e30))
    # labels of zero have finite gradients
    slopes = grad(nn.KLDivLoss("sum"), (0, 1))(tensor([[-1.0, -2.0]]), tensor([[0.0, 1.0]]))
    assert all(np.isfinite(slope.asnumpy()).all() for slope in slopes)
    assert slopes[0].asnumpy().tolist() == [[0.0, -1.0]]


@pytest.mark.parametrize("dtype", [float16, float32, float64])
def test_certain_mistakes_cost_a_finite_price_with_a_finite_gradient(dtype):
    p, y = Tensor([0.0, 1.0], dtype), Tensor([1.0, 0.0], dtype)
    price, slope = value_and_grad(nn.BCELoss(reduction="sum"))(p, y)
    assert price.item() == pytest.approx(2 * (9.7 if dtype is float16 else 27.63), rel=1e-2)
    assert np.isfinite(slope.asnumpy()).all()
    assert nn.BCELoss()(y, y).item() == 0.0


# ---- classes ---------------------------------------------------------------------------------------

LABELS = np.array([0, 2, 1, 0, 2], np.int32)


@every(ignored=[-100, 2], reduction=REDUCTIONS, weight=[None, WEIGHT])
def test_negative_log_likelihood(reduction, weight, ignored):
    each = (np.ones(3) if weight is None else weight)[LABELS] * (ignored != LABELS)
    rows = -LOGITS[np.arange(5), LABELS] * each
    wanted = rows.sum() / each.sum() if reduction == "mean" else REDUCED[reduction](rows)
    assert_loss(nn.NLLLoss(tensor(weight), ignored, reduction), LOGITS, LABELS, wanted)


def test_negative_log_likelihood_of_images_and_after_log_softmax():
    # ignored labels need not be classes
    assert_loss(nn.NLLLoss(), LOGITS, np.array([0, -100, 1, -100, -100]), -(LOGITS[0, 0] + LOGITS[2, 1]) / 2)
    # negative log likelihood of images
    logits, labels = rng.normal(size=(2, 3, 4, 5)), rng.integers(0, 3, (2, 4, 5)).astype(np.int32)
    rows = -np.take_along_axis(logits, labels[:, None], 1)[:, 0]
    assert_loss(nn.NLLLoss(reduction="none"), logits, labels, rows)
    assert_loss(nn.NLLLoss(tensor(WEIGHT)), logits, labels, (rows * WEIGHT[labels]).sum() / WEIGHT[labels].sum())
    # after log softmax it is the cross entropy
    x, labels = tensor(LOGITS), Tensor(LABELS)
    found = nn.NLLLoss(tensor(WEIGHT))(ops.log_softmax(x, 1), labels).item()
    assert found == pytest.approx(nn.CrossEntropyLoss(tensor(WEIGHT))(x, labels).item(), rel=1e-6)


test_labels_that_do_not_fit_are_refused = refusals(
    ([0, 1, 2, -1, 0], IndexError, "out of bounds for axis 1 with size 3"),
    ([0, 1, 2, 3, 0], IndexError, "out of bounds for axis 1 with size 3"),
    ([0, 1], errors.ShapeError, r"labels of shape \[2\] for logits \[5, 3\]"),
    by=lambda labels: nn.NLLLoss()(tensor(LOGITS), Tensor(labels, int32)),
)


# ---- divergence ------------------------------------------------------------------------------------


@pytest.mark.parametrize("reduction", [*REDUCTIONS, "batchmean"])
def test_divergence(reduction):
    y = SHARES / SHARES.sum(1, keepdims=True)
    y[0] = [0.0, 1.0, 0.0]
    rows = y * (np.log(np.where(y > 0, y, 1)) - LOGITS)
    wanted = rows.sum() / 5 if reduction == "batchmean" else REDUCED[reduction](rows)
    assert_loss(nn.KLDivLoss(reduction), LOGITS, y, wanted)
