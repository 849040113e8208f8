"""SmoothL1Loss and HuberLoss against their formulas in numpy float64."""

import numpy as np

from minigraph import Tensor, grad, nn
from minigraph.nn.loss.loss import REDUCTIONS
from tests.nn.cells import assert_close, tensor
from tests.tables import every, refusals

rng = np.random.default_rng(2)
X, Y = rng.normal(size=(2, 20, 3)) * 2
PAIR = tensor(X), tensor(Y)
REDUCED = {"mean": np.mean, "sum": np.sum, "none": lambda rows: rows}


@every(reduction=REDUCTIONS, bend=[0.5, 1.0, 2.0])
def test_formulas(reduction, bend):
    d = abs(X - Y)
    near = d < bend
    assert near.any() and not near.all()
    smooth, huber = np.where(near, d * d / 2 / bend, d - bend / 2), np.where(near, d * d / 2, bend * (d - bend / 2))
    assert_close(nn.SmoothL1Loss(bend, reduction)(*PAIR), REDUCED[reduction](smooth))
    assert_close(nn.HuberLoss(reduction, bend)(*PAIR), REDUCED[reduction](huber))


def test_defaults_and_what_holds_at_the_bend():
    # no reduction by default as in mindspore
    assert nn.SmoothL1Loss()(*PAIR).shape == X.shape
    assert nn.HuberLoss()(*PAIR).shape == ()
    # at the bend both sides agree
    for loss in (nn.SmoothL1Loss(2.0, "sum"), nn.HuberLoss("sum", 2.0)):
        slopes = [grad(loss)(Tensor([x]), Tensor([0.0])).item() for x in (1.9999, 2.0, 2.0001, 0.0, -5.0)]
        np.testing.assert_allclose(slopes, np.array([1, 1, 1, 0, -1]) * slopes[1], atol=1e-3)


test_refusals = refusals(
    (lambda: nn.SmoothL1Loss(0.0), "the 'beta' must be float and must > 0"),
    (lambda: nn.HuberLoss(delta=-1.0), "the 'delta' must be float and must > 0"),
    error=ValueError,
)
