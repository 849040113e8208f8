"""Negative log-likelihoods against their formulas in numpy float64, and against the functions of ``ops``."""

import math

import numpy as np
import pytest

from minigraph import Tensor, errors, float16, float32, float64, grad, int32, nn, ops, value_and_grad
from minigraph.nn.loss.loss import REDUCTIONS
from tests.nn.cells import assert_close, tensor
from tests.ops.functional.checks import check_gradient, in_both_modes
from tests.tables import error_cases, every

rng = np.random.default_rng(2)
LOGITS = rng.normal(size=(5, 3)) * 3
SHARES, WEIGHT = rng.uniform(0.05, 0.95, (5, 3)), rng.uniform(0.5, 2, 3)
REDUCTION_FUNCTIONS = {"mean": np.mean, "sum": np.sum, "none": lambda rows: rows}


def assert_loss(loss, logits, labels, expected):
    assert_close(loss(tensor(logits), Tensor(labels) if labels.dtype.kind == "i" else tensor(labels)), expected)


@every(reduction=REDUCTIONS, weight=[None, WEIGHT])
def test_binary_cross_entropy(reduction, weight):
    p, scale = 1 / (1 + np.exp(-LOGITS)), 1 if weight is None else weight
    rows = -(SHARES * np.log(p) + (1 - SHARES) * np.log(1 - p)) * scale
    assert_loss(nn.BCELoss(tensor(weight), reduction), p, SHARES, REDUCTION_FUNCTIONS[reduction](rows))
    assert_loss(nn.BCEWithLogitsLoss(reduction, tensor(weight)), LOGITS, SHARES, REDUCTION_FUNCTIONS[reduction](rows))
    weighted = -(SHARES * np.log(p) * 3 + (1 - SHARES) * np.log(1 - p)) * scale
    loss = nn.BCEWithLogitsLoss(reduction, tensor(weight), tensor([3.0, 3.0, 3.0]))
    assert_loss(loss, LOGITS, SHARES, REDUCTION_FUNCTIONS[reduction](weighted))


def test_large_logits_and_labels_of_zero():
    # large logits neither overflow nor cancel
    x, y, loss = np.array([-100.0, -50.0, 50.0, 1e30]), np.array([0.0, 0.0, 1.0, 0.0]), nn.BCEWithLogitsLoss("none")
    assert_loss(loss, x[:3], y[:3], np.log1p(np.exp(-abs(x[:3]))))
    small = loss(tensor(x), tensor(y)).asnumpy()
    assert (small[1], small[3]) == (pytest.approx(np.exp(-50.0), rel=1e-5), np.float32(1e30))
    # labels of zero have finite gradients
    slopes = grad(nn.KLDivLoss("sum"), (0, 1))(tensor([[-1.0, -2.0]]), tensor([[0.0, 1.0]]))
    assert all(np.isfinite(slope.asnumpy()).all() for slope in slopes)
    assert slopes[0].asnumpy().tolist() == [[0.0, -1.0]]


@pytest.mark.parametrize("dtype", [float16, float32, float64])
def test_certain_mistakes_have_finite_loss_and_gradient(dtype):
    p, y = Tensor([0.0, 1.0], dtype), Tensor([1.0, 0.0], dtype)
    price, slope = value_and_grad(nn.BCELoss(reduction="sum"))(p, y)
    assert price.item() == pytest.approx(2 * (9.7 if dtype is float16 else 27.63), rel=1e-2)
    assert np.isfinite(slope.asnumpy()).all()
    assert nn.BCELoss()(y, y).item() == 0.0


# ---- classes ---------------------------------------------------------------------------------------

LABELS = np.array([0, 2, 1, 0, 2], np.int32)


@every(ignored=[-100, 2], reduction=REDUCTIONS, weight=[None, WEIGHT])
def test_negative_log_likelihood(reduction, weight, ignored):
    row_weights = (np.ones(3) if weight is None else weight)[LABELS] * (ignored != LABELS)
    rows = -LOGITS[np.arange(5), LABELS] * row_weights
    expected = rows.sum() / row_weights.sum() if reduction == "mean" else REDUCTION_FUNCTIONS[reduction](rows)
    assert_loss(nn.NLLLoss(tensor(weight), ignored, reduction), LOGITS, LABELS, expected)


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
    result = nn.NLLLoss(tensor(WEIGHT))(ops.log_softmax(x, 1), labels).item()
    assert result == pytest.approx(nn.CrossEntropyLoss(tensor(WEIGHT))(x, labels).item(), rel=1e-6)


test_labels_of_another_shape_raise = error_cases(
    ([0, 1, 2, -1, 0], IndexError, "NLLLoss: label -1 for 3 classes .*; labels are 0 to 2"),
    ([0, 1, 2, 3, 0], IndexError, "NLLLoss: label 3 for 3 classes .*; labels are 0 to 2"),
    ([0, 1], errors.ShapeError, r"labels of shape \[2\] for logits \[5, 3\]"),
    by=lambda labels: nn.NLLLoss()(tensor(LOGITS), Tensor(labels, int32)),
)


# ---- divergence ------------------------------------------------------------------------------------


@pytest.mark.parametrize("reduction", [*REDUCTIONS, "batchmean"])
def test_divergence(reduction):
    y = SHARES / SHARES.sum(1, keepdims=True)
    y[0] = [0.0, 1.0, 0.0]
    rows = y * (np.log(np.where(y > 0, y, 1)) - LOGITS)
    expected = rows.sum() / 5 if reduction == "batchmean" else REDUCTION_FUNCTIONS[reduction](rows)
    assert_loss(nn.KLDivLoss(reduction), LOGITS, y, expected)


# ---- cross entropy ---------------------------------------------------------------------------------

SCORES = rng.normal(size=(4, 3)).astype(np.float32)
TARGETS = rng.normal(size=(4, 3)).astype(np.float32)
CLASSES = np.array([0, 2, 1, 0], np.int32)
WEIGHTS = np.array([1.0, 2.0, 0.5], np.float32)
LOG_SCORES = SCORES - np.log(np.exp(SCORES.astype(np.float64)).sum(1, keepdims=True))


def assert_rows(loss, labels, expected, logits=SCORES):
    assert_close(loss(Tensor(logits), Tensor(labels)), expected)


def test_cross_entropy_of_one_row_without_a_batch():
    logits = Tensor([1.0, 2.0, 3.0])
    expected = nn.CrossEntropyLoss()(logits.expand_dims(0), Tensor([2]))
    assert nn.CrossEntropyLoss()(logits, Tensor(2)).item() == expected.item()
    assert nn.CrossEntropyLoss(reduction="none")(logits, Tensor(2)).shape == ()


@every(labels=[CLASSES, CLASSES.astype(np.int64)], reduction=REDUCTIONS)
def test_cross_entropy_of_classes(reduction, labels):
    assert_rows(
        nn.CrossEntropyLoss(reduction=reduction),
        labels,
        REDUCTION_FUNCTIONS[reduction](-LOG_SCORES[np.arange(4), CLASSES]),
    )


@every(reduction=REDUCTIONS, weight=[None, WEIGHTS])
def test_cross_entropy_of_probabilities(reduction, weight):
    share = abs(TARGETS) / abs(TARGETS).sum(1, keepdims=True)
    rows = -(share * LOG_SCORES * (1 if weight is None else weight)).sum(1)
    assert_rows(nn.CrossEntropyLoss(tensor(weight), reduction=reduction), share, REDUCTION_FUNCTIONS[reduction](rows))


def test_cross_entropy_of_images_and_its_weighted_gradient():
    # cross entropy of images
    logits = rng.normal(size=(2, 3, 4, 5)).astype(np.float32)
    labels = rng.integers(0, 3, (2, 4, 5)).astype(np.int32)
    logs = logits - np.log(np.exp(logits.astype(np.float64)).sum(1, keepdims=True))
    rows = -np.take_along_axis(logs, labels[:, None], 1)[:, 0]
    assert_rows(nn.CrossEntropyLoss(), labels, rows.mean(), logits)
    row_weights = WEIGHTS[labels]
    assert_rows(nn.CrossEntropyLoss(Tensor(WEIGHTS)), labels, (rows * row_weights).sum() / row_weights.sum(), logits)
    # gradient of the weighted loss is that of its formula
    result = grad(nn.CrossEntropyLoss(Tensor(WEIGHTS)))(Tensor(SCORES), Tensor(CLASSES))
    row_weights = WEIGHTS[CLASSES][:, None]
    assert_close(result, (np.exp(LOG_SCORES) - np.eye(3)[CLASSES]) * row_weights / row_weights.sum())


@every(smoothing=[0.0, 0.1], weight=[None, WEIGHTS])
def test_weights_smoothing_and_ignored_rows_together(weight, smoothing):
    labels, scale = np.array([0, -1, 1, 2], np.int32), np.ones(3) if weight is None else weight
    known = labels != -1
    targets = (1 - smoothing) * np.eye(3)[labels[known]] + smoothing / 3
    total = -(targets * scale * LOG_SCORES[known]).sum()
    loss = nn.CrossEntropyLoss(tensor(weight), -1, "mean", smoothing)
    assert_rows(loss, labels, total / scale[labels[known]].sum())


test_labels_and_smoothing_are_checked = error_cases(
    ([0, 1, 3, 2], {}, errors.RangeError, "label 3 for 3 classes"),
    ([0, 1], {}, errors.ShapeError, r"labels of shape \[2\] for logits \[4, 3\]"),
    ([0, 1, 2, 2], {"label_smoothing": 1.5}, ValueError, "'label_smoothing' must be in range"),
    by=lambda labels, options: nn.CrossEntropyLoss(**options)(Tensor(SCORES), Tensor(labels, int32)),
)


def unreduced_loss(kind, *options, inputs):
    return kind(*options, reduction="none")(*map(Tensor, inputs)).asnumpy()


def test_softmax_cross_entropy_is_the_cross_entropy_of_classes_or_rows():
    classes = np.array([0, 2, 1, 1], np.int32)
    rows = np.eye(3, dtype=np.float32)[classes]
    expected = -(rows * (SCORES - np.log(np.exp(SCORES).sum(1, keepdims=True)))).sum(1)
    for result in (unreduced_loss(nn.SoftmaxCrossEntropyWithLogits, True, inputs=(SCORES, classes)),
                  unreduced_loss(nn.SoftmaxCrossEntropyWithLogits, inputs=(SCORES, rows))):  # fmt: skip
        np.testing.assert_allclose(result, expected, rtol=1e-5)
    assert nn.SoftmaxCrossEntropyWithLogits(True)(Tensor(SCORES), Tensor(classes)).shape == (4,)


test_softmax_cross_entropy_rejects_labels_of_the_other_form = error_cases(
    (True, Tensor([[0.5, 0.5, 0.0]]), "needs class indices, got labels f32.1,3..*; pass sparse=False"),
    (False, Tensor([1]), "needs probabilities, got labels i64.1..*; pass sparse=True"),
    by=lambda sparse, labels: nn.SoftmaxCrossEntropyWithLogits(sparse)(Tensor([[1.0, 2.0, 3.0]]), labels),
    error=TypeError,
)


# ---- counts, normal distributions and sequences ----------------------------------------------------

COUNTS = rng.integers(0, 6, (4, 3)).astype(np.float32)


@pytest.mark.parametrize("full", [False, True])
def test_counts(full):
    stirling = [[n * math.log(n) - n + 0.5 * math.log(2 * math.pi * n) if n > 1 else 0 for n in row] for row in COUNTS]
    extra = full * np.array(stirling)
    result = unreduced_loss(nn.PoissonNLLLoss, True, full, inputs=(SCORES, COUNTS))
    np.testing.assert_allclose(result, np.exp(SCORES) - COUNTS * SCORES + extra, rtol=1e-5, atol=1e-6)
    result = unreduced_loss(nn.PoissonNLLLoss, False, full, inputs=(np.exp(SCORES), COUNTS))
    np.testing.assert_allclose(result, np.exp(SCORES) - COUNTS * SCORES + extra, rtol=1e-5, atol=1e-5)


RANDOM = np.random.default_rng(14)
X, Y = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((3, 4))
LOGS = np.log(RANDOM.dirichlet(np.ones(4), (5, 2)))
LENGTHS = (Tensor([[1, 2], [3, 1]], int32), Tensor([5, 4], int32), Tensor([2, 1], int32))
# the loss, the function, and both their operands
LOSSES = {
    "GaussianNLLLoss": (nn.GaussianNLLLoss, ops.gaussian_nll_loss, (X, Tensor(Y), Tensor(Y**2 + 1)), {"full": True}),
    "CTCLoss": (nn.CTCLoss, lambda *args, **words: ops.ctc_loss(*args, **words)[0], (LOGS, *LENGTHS), {"blank": 0}),
}  # fmt: skip


@every(name=LOSSES, reduction=["mean", "sum", "none"])
def test_the_loss_is_the_function(name, reduction):
    kind, function, (first, *others), options = LOSSES[name]
    loss = kind(**options, reduction=reduction)
    result = in_both_modes(lambda x: loss(x, *others), Tensor(first))
    expected = function(Tensor(first), *others, **options, reduction=reduction).asnumpy()
    np.testing.assert_array_equal(result, expected)
    check_gradient(lambda x: loss(x, *others), first)


def test_infinite_losses_of_sequences_may_be_zero():
    assert nn.CTCLoss(zero_infinity=True)(Tensor(LOGS[:1]), LENGTHS[0], [1, 1], [2, 2]).item() == 0


test_invalid_arguments_raise = error_cases(
    (lambda: nn.PoissonNLLLoss(eps=0.0), ValueError, "the 'eps' must be float and must > 0"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(1), TypeError, "the type of 'sparse' should be 'bool'"),
)
