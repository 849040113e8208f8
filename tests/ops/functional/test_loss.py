"""Losses of regression and classification against their formulas, in both modes, with gradients."""

import numpy as np
import pytest
from scipy.special import expit, log_softmax

from minigraph import Tensor, int32, ops, uint8
from minigraph.core.errors import UsageError
from tests.ops.functional.checks import check_gradient, in_both_modes
from tests.tables import cases, error_cases, every

GENERATOR = np.random.default_rng(0)
IMAGES = GENERATOR.normal(size=(2, 3, 5, 5))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_class_weights_weight_rows_by_label(reduction):
    logits, labels, weight = Tensor(IMAGES[0, 0]), Tensor([0, 2, 1, 1, 4]), Tensor(np.arange(1.0, IMAGES.shape[3] + 1))
    rows = ops.cross_entropy(logits, labels, reduction="none") * weight[labels]
    reference = {"none": rows, "sum": rows.sum(), "mean": rows.sum() / weight[labels].sum()}[reduction]
    result = ops.cross_entropy(logits, labels, weight, reduction=reduction)
    assert np.allclose(result.asnumpy(), reference.asnumpy(), rtol=1e-5)


def test_mse_loss_reductions():
    # mse loss reductions
    a, b = Tensor([1.0, 3.0]), Tensor([0.0, 1.0])
    assert [ops.mse_loss(a, b, r).tolist() for r in ("none", "mean", "sum")] == [[1.0, 4.0], 2.5, 5.0]
    # the mean of squared integers is a float
    assert ops.mse_loss(Tensor([1, 2], uint8), Tensor([1, 4], uint8)).item() == 2.0


RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(4, 3)).astype(np.float32), RNG.normal(size=(4, 3)).astype(np.float32)
P, B = expit(Y), (Y > 0).astype(np.float32)
DISTANCES = np.abs(X - Y)
LOGS, LABELS = log_softmax(X, 1), np.array([0, 2, 1, 2], np.int32)
CROSS = -(B * np.log(P) + (1 - B) * np.log(1 - P))
ELEMENTWISE = [
    (ops.l1_loss, (X, Y), DISTANCES),
    (ops.smooth_l1_loss, (X, Y), np.where(DISTANCES < 1, DISTANCES**2 / 2, DISTANCES - 0.5)),
    (ops.huber_loss, (X, Y), np.where(DISTANCES <= 1, DISTANCES**2 / 2, DISTANCES - 0.5)),
    (ops.gaussian_nll_loss, (X, Y, P), (np.log(P) + (X - Y) ** 2 / P) / 2),
    (ops.binary_cross_entropy, (P, B), CROSS),
    (ops.binary_cross_entropy, (P, B, P), CROSS * P),
    (ops.binary_cross_entropy_with_logits, (Y, B), CROSS),
    (ops.binary_cross_entropy_with_logits, (Y, B, P, P + 1), -P * (B * (P + 1) * np.log(P) + (1 - B) * np.log(1 - P))),
    (ops.kl_div, (X, P), P * (np.log(P) - X)),
    (ops.kl_div, (X, B), np.where(B > 0, -B * X, 0)),
]  # fmt: skip
REDUCTION_FUNCTIONS = {"none": lambda x: x, "sum": np.sum, "mean": np.mean}


of_elements = pytest.mark.parametrize(
    ("fn", "args", "expected"), ELEMENTWISE, ids=lambda part: getattr(part, "__name__", "")
)


PICKED = -LOGS[np.arange(4), LABELS]
WEIGHT = np.array([0.5, 1.0, 2.0], np.float32)


@every(reduction=REDUCTION_FUNCTIONS)
@of_elements
def test_values(fn, args, expected, reduction):
    result = in_both_modes(lambda *tensors: fn(*tensors, reduction=reduction), *map(Tensor, args))
    np.testing.assert_allclose(result, REDUCTION_FUNCTIONS[reduction](expected), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(("fn", "args"), [(fn, args) for fn, args, _ in ELEMENTWISE])
def test_gradients(fn, args):
    check_gradient(lambda x: fn(x, *(Tensor(arg.astype(np.float64)) for arg in args[1:]), reduction="none"), args[0])


def test_options():
    x, y = Tensor(X), Tensor(Y)
    half = np.where(DISTANCES < 0.5, DISTANCES**2, DISTANCES - 0.25)
    np.testing.assert_allclose(ops.smooth_l1_loss(x, y, 0.5).asnumpy(), half, rtol=1e-5)
    huber = np.where(DISTANCES <= 0.5, DISTANCES**2 / 2, 0.5 * (DISTANCES - 0.25)).sum()
    assert ops.huber_loss(x, y, "sum", 0.5).item() == pytest.approx(huber, rel=1e-5)
    assert ops.kl_div(x, Tensor(P), "batchmean").item() == pytest.approx((P * (np.log(P) - X)).sum() / 4, rel=1e-5)
    exact = ops.gaussian_nll_loss(x, y, Tensor(P), full=True) - ops.gaussian_nll_loss(x, y, Tensor(P))
    assert exact.item() == pytest.approx(np.log(2 * np.pi) / 2, rel=1e-4)


def test_clamped_logarithms_and_labels_of_pixels():
    # certain and wrong costs 100
    assert ops.binary_cross_entropy(Tensor([0.0, 1.0]), Tensor([1.0, 0.0]), reduction="none").tolist() == [100.0, 100.0]
    # labels of pixels
    logs, labels = log_softmax(RNG.normal(size=(2, 3, 4)), 1), RNG.integers(0, 3, (2, 4))
    expected = -np.take_along_axis(logs, labels[:, None], 1)[:, 0]
    result = ops.nll_loss(Tensor(logs), Tensor(labels, int32), reduction="none")
    np.testing.assert_allclose(result.asnumpy(), expected)


@cases(
    ({}, PICKED.mean()),
    ({"reduction": "none"}, PICKED),
    ({"reduction": "sum", "weight": Tensor(WEIGHT)}, (PICKED * WEIGHT[LABELS]).sum()),
    ({"weight": Tensor(WEIGHT)}, (PICKED * WEIGHT[LABELS]).sum() / WEIGHT[LABELS].sum()),
    ({"ignore_index": 2}, PICKED[[0, 2]].mean()),
    ({"label_smoothing": 0.3}, (0.7 * PICKED - 0.1 * LOGS.sum(1)).mean()),
    ({"label_smoothing": 0.3, "weight": Tensor(WEIGHT)},
     (0.7 * PICKED * WEIGHT[LABELS] - 0.1 * (LOGS * WEIGHT).sum(1)).sum() / WEIGHT[LABELS].sum()),
)  # fmt: skip
def test_nll_loss(options, expected):
    result = in_both_modes(lambda x, labels: ops.nll_loss(x, labels, **options), Tensor(LOGS), Tensor(LABELS))
    np.testing.assert_allclose(result, expected, rtol=1e-5)


test_an_unknown_reduction_raises = error_cases(
    (lambda: ops.mse_loss(Tensor(X), Tensor(Y), "max"), UsageError, "mse_loss: reduction is one of none, mean, sum"),
    (lambda: ops.l1_loss(Tensor(X), Tensor(Y), "avg"), UsageError, "l1_loss: reduction is one of none, mean, sum, got"),
)


def test_cross_entropy_of_probabilities_equals_labels():
    logits, labels = Tensor(GENERATOR.normal(size=(4, 3))), Tensor([0, 1, 2, 1])
    hard = ops.one_hot(labels, 3, 1.0, 0.0).astype(logits.dtype)
    for smoothing in (0.0, 0.2):
        expected = ops.cross_entropy(logits, labels, label_smoothing=smoothing).item()
        assert ops.cross_entropy(logits, hard, label_smoothing=smoothing).item() == pytest.approx(expected)
