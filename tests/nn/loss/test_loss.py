"""Regression losses against formulas in numpy float64."""

import numpy as np
import pytest

from minigraph import Tensor, errors, grad, nn, ops
from minigraph.nn.loss.loss import REDUCTIONS
from tests.nn.cells import assert_close, tensor
from tests.tables import error_cases, every

rng = np.random.default_rng(2)
REDUCTION_FUNCTIONS = {"mean": np.mean, "sum": np.sum, "none": lambda rows: rows}
LOGITS = rng.normal(size=(4, 3)).astype(np.float32)
TARGET = rng.normal(size=(4, 3)).astype(np.float32)


def assert_loss(loss, labels, expected, logits=LOGITS):
    assert_close(loss(Tensor(logits), Tensor(labels)), expected)


@every(target=[TARGET, TARGET[:, :1], TARGET[0]], reduction=REDUCTIONS)
def test_squared_and_absolute_differences_broadcast(reduction, target):
    difference = LOGITS.astype(np.float64) - target
    assert_loss(nn.MSELoss(reduction), target, REDUCTION_FUNCTIONS[reduction](difference**2))
    assert_loss(nn.L1Loss(reduction), target, REDUCTION_FUNCTIONS[reduction](abs(difference)))


def test_dtypes_are_promoted():
    assert nn.MSELoss()(Tensor([1.5]), Tensor([1])).item() == 0.25


@pytest.mark.parametrize("kind", [nn.MSELoss, nn.L1Loss, nn.CrossEntropyLoss])
def test_an_unknown_reduction_raises(kind):
    with pytest.raises(ValueError, match=f"For '{kind.__name__}', the 'reduction' must be in"):
        kind(reduction="median")


@pytest.mark.parametrize("loss", [nn.BCELoss(), nn.BCEWithLogitsLoss(), nn.KLDivLoss(), nn.SmoothL1Loss()], ids=repr)
def test_labels_that_would_broadcast_raise(loss):
    name = type(loss).__name__
    with pytest.raises(errors.ShapeError, match=rf"^{name}: logits f32\[2,3\] and labels f32\[3\] differ in shape"):
        loss(ops.ones((2, 3)), ops.ones((3,)))


def test_absolute_and_root_mean_square_differences():
    x = np.arange(12, dtype=np.float32).reshape(3, 4) / 4 - 1
    assert nn.MAELoss()(Tensor(x), Tensor(2 * x)).item() == pytest.approx(0.7916667)
    assert nn.MAELoss("none")(Tensor(x), Tensor(2 * x)).tolist() == abs(x).tolist()
    assert nn.RMSELoss()(Tensor(x), Tensor(2 * x)).item() == pytest.approx(0.94096583)


X, Y = rng.normal(size=(2, 20, 3)) * 2
PAIR = tensor(X), tensor(Y)


@every(reduction=REDUCTIONS, threshold=[0.5, 1.0, 2.0])
def test_smooth_and_huber_loss(reduction, threshold):
    d = abs(X - Y)
    near = d < threshold
    assert near.any() and not near.all()
    smooth, huber = (
        np.where(near, d * d / 2 / threshold, d - threshold / 2),
        np.where(near, d * d / 2, threshold * (d - threshold / 2)),
    )
    assert_close(nn.SmoothL1Loss(threshold, reduction)(*PAIR), REDUCTION_FUNCTIONS[reduction](smooth))
    assert_close(nn.HuberLoss(reduction, threshold)(*PAIR), REDUCTION_FUNCTIONS[reduction](huber))


def test_defaults_and_continuous_gradients():
    # no reduction by default, as in MindSpore
    assert nn.SmoothL1Loss()(*PAIR).shape == X.shape
    assert nn.HuberLoss()(*PAIR).shape == ()
    # the gradient is continuous at the threshold
    for loss in (nn.SmoothL1Loss(2.0, "sum"), nn.HuberLoss("sum", 2.0)):
        slopes = [grad(loss)(Tensor([x]), Tensor([0.0])).item() for x in (1.9999, 2.0, 2.0001, 0.0, -5.0)]
        np.testing.assert_allclose(slopes, np.array([1, 1, 1, 0, -1]) * slopes[1], atol=1e-3)


test_refusals_of_thresholds = error_cases(
    (lambda: nn.SmoothL1Loss(0.0), "the 'beta' must be float and must > 0"),
    (lambda: nn.HuberLoss(delta=-1.0), "the 'delta' must be float and must > 0"),
    error=ValueError,
)
