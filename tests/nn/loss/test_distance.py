"""SmoothL1Loss and HuberLoss against their formulas in numpy float64."""

import numpy as np

from minigraph import Tensor, grad, nn
from minigraph.nn.loss.loss import REDUCTIONS
from tests.tables import every, refusals

rng = np.random.default_rng(2)
X, Y = rng.normal(size=(2, 20, 3)) * 2
REDUCED = {"mean": np.mean, "sum": np.sum, "none": lambda rows: rows}


def found(loss, x=X, y=Y):
    return loss(Tensor(x.astype(np.float32)), Tensor(y.astype(np.float32))).asnumpy()


@every(reduction=REDUCTIONS, bend=[0.5, 1.0, 2.0])
def test_formulas(reduction, bend):
    d = abs(X - Y)
    assert (d < bend).any()
    assert (d > bend).any()
    smooth, huber = (
        np.where(d < bend, d * d / 2 / bend, d - bend / 2),
        np.where(d < bend, d * d / 2, bend * (d - bend / 2)),
    )
    np.testing.assert_allclose(
        found(nn.SmoothL1Loss(bend, reduction)), REDUCED[reduction](smooth), rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(found(nn.HuberLoss(reduction, bend)), REDUCED[reduction](huber), rtol=1e-5, atol=1e-6)


def test_no_reduction_by_default_as_in_mindspore():
    assert found(nn.SmoothL1Loss()).shape == X.shape
    assert found(nn.HuberLoss()).shape == ()


def test_at_the_bend_both_sides_agree():
    for loss in (nn.SmoothL1Loss(2.0, "sum"), nn.HuberLoss("sum", 2.0)):
        slopes = [grad(loss)(Tensor([x]), Tensor([0.0])).item() for x in (1.9999, 2.0, 2.0001, 0.0, -5.0)]
        np.testing.assert_allclose(slopes, np.array([1, 1, 1, 0, -1]) * slopes[1], atol=1e-3)


test_refusals = refusals(
    (lambda: nn.SmoothL1Loss(0.0), "the 'beta' must be float and must > 0"),
    (lambda: nn.HuberLoss(delta=-1.0), "the 'delta' must be float and must > 0"),
    error=ValueError,
)
