"""Losses that are one function: the same numbers as the function, in both modes, with slopes."""

import inspect

import numpy as np
import pytest

from minigraph import Tensor, int32, nn, ops
from minigraph.nn.loss import of_functions as loss_of_functions
from tests.ops.functional.checks import both_ways, check_slope
from tests.tables import every, refusals

RANDOM = np.random.default_rng(14)
X, Y = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((3, 4))
SIGNS, HITS = np.sign(Y), (Y > 0).astype(float)
CLASSES, SEVERAL = Tensor([1, 0, 3], int32), Tensor([[1, -1, 0, 0], [0, 2, -1, 0], [3, 1, 0, -1]], int32)
LOGS = np.log(RANDOM.dirichlet(np.ones(4), (5, 2)))
LENGTHS = (Tensor([[1, 2], [3, 1]], int32), Tensor([5, 4], int32), Tensor([2, 1], int32))

# the loss, the function, and both their operands
LOSSES = {
    "SoftMarginLoss": (nn.SoftMarginLoss, ops.soft_margin_loss, (X, Tensor(SIGNS)), {}),
    "MultiMarginLoss": (nn.MultiMarginLoss, ops.multi_margin_loss, (X, CLASSES), {"p": 2, "margin": 0.5}),
    "MultilabelMarginLoss": (nn.MultilabelMarginLoss, ops.multilabel_margin_loss, (X, SEVERAL), {}),
    "MultiLabelSoftMarginLoss": (nn.MultiLabelSoftMarginLoss, ops.multilabel_soft_margin_loss, (X, Tensor(HITS)), {}),
    "TripletMarginLoss": (
        nn.TripletMarginLoss, ops.triplet_margin_loss, (X, Tensor(Y), Tensor(X + 0.1)), {"swap": True, "margin": 2.0},
    ),
    "GaussianNLLLoss": (nn.GaussianNLLLoss, ops.gaussian_nll_loss, (X, Tensor(Y), Tensor(Y**2 + 1)), {"full": True}),
    "CTCLoss": (nn.CTCLoss, lambda *args, **words: ops.ctc_loss(*args, **words)[0], (LOGS, *LENGTHS), {"blank": 0}),
}  # fmt: skip


def test_every_loss_is_here():
    classes = inspect.getmembers(loss_of_functions, inspect.isclass)
    assert {name for name, one in classes if one.__module__ == loss_of_functions.__name__} == set(LOSSES)


@every(name=LOSSES, reduction=["mean", "sum", "none"])
def test_the_loss_is_the_function(name, reduction):
    kind, function, (first, *others), options = LOSSES[name]
    loss = kind(**options, reduction=reduction)
    found = both_ways(lambda x: loss(x, *others), Tensor(first))
    wanted = function(Tensor(first), *others, **options, reduction=reduction).asnumpy()
    np.testing.assert_array_equal(found, wanted)
    check_slope(lambda x: loss(x, *others), first)


def test_what_a_call_may_change():
    heavy = Tensor([1.0, 2.0, 3.0, 4.0])
    plain, weighted = nn.MultiMarginLoss(reduction="none"), nn.MultiMarginLoss(reduction="none", weight=heavy)
    np.testing.assert_allclose(plain(Tensor(X), CLASSES, heavy).asnumpy(), weighted(Tensor(X), CLASSES).asnumpy())
    near, far = Tensor(X), Tensor(X + 9)
    assert nn.TripletMarginLoss(margin=2.0)(near, near, near).item() == pytest.approx(2.0)
    assert nn.TripletMarginLoss(margin=2.0)(near, near, near, margin=0.5).item() == pytest.approx(0.5)
    assert nn.TripletMarginLoss()(near, near, far).item() == 0
    assert nn.CTCLoss(zero_infinity=True)(Tensor(LOGS[:1]), LENGTHS[0], [1, 1], [2, 2]).item() == 0


test_another_reduction_is_refused = refusals((lambda: nn.SoftMarginLoss("median"), ValueError, "reduction"))
