"""Margin losses against numpy, and against the functions of ``ops``."""

import numpy as np
import pytest

from minigraph import Tensor, grad, int32, nn, ops
from tests.ops.functional.checks import check_gradient, in_both_modes
from tests.tables import error_cases, every

rng = np.random.default_rng(9)
A, B = rng.normal(size=(2, 4, 3)).astype(np.float32)
SIGNS = np.where(rng.random((4, 3)) > 0.5, 1.0, -1.0).astype(np.float32)


def unreduced_loss(kind, *options, inputs):
    return kind(*options, reduction="none")(*map(Tensor, inputs)).asnumpy()


def test_margins_and_angles():
    # margins
    hinge = np.where(SIGNS > 0, A, np.maximum(0, 0.75 - A))
    np.testing.assert_allclose(unreduced_loss(nn.HingeEmbeddingLoss, 0.75, inputs=(A, SIGNS)), hinge, rtol=1e-6)
    ranking = np.maximum(0, 0.25 - SIGNS * (A - B))
    np.testing.assert_allclose(
        unreduced_loss(nn.MarginRankingLoss, 0.25, inputs=(A, B, SIGNS)), ranking, rtol=1e-5, atol=1e-6
    )
    # angles
    cosine = (A * B).sum(1) / np.linalg.norm(A, axis=1) / np.linalg.norm(B, axis=1)
    expected = np.where(SIGNS[:, 0] > 0, 1 - cosine, np.maximum(0, cosine + 0.5))
    np.testing.assert_allclose(
        unreduced_loss(nn.CosineEmbeddingLoss, -0.5, inputs=(A, B, SIGNS[:, 0])), expected, rtol=1e-5
    )
    nothing = Tensor(np.zeros((1, 3), np.float32))
    assert np.isfinite(grad(lambda x: nn.CosineEmbeddingLoss()(x, nothing, Tensor([1])))(nothing).asnumpy()).all()


test_invalid_arguments_raise = error_cases(
    (
        lambda: nn.CosineEmbeddingLoss()(*map(ops.ones, ((2, 3), 3, 2))),
        ValueError,
        r"and labels f32\[3\] differ in shape",
    ),
)


# ---- functions of ops -------------------------------------------------------------------------------

RANDOM = np.random.default_rng(14)
X, Y = RANDOM.standard_normal((3, 4)), RANDOM.standard_normal((3, 4))
Y_SIGNS, HITS = np.sign(Y), (Y > 0).astype(float)
CLASSES, SEVERAL = Tensor([1, 0, 3], int32), Tensor([[1, -1, 0, 0], [0, 2, -1, 0], [3, 1, 0, -1]], int32)
# the loss, the function, and both their operands
LOSSES = {
    "SoftMarginLoss": (nn.SoftMarginLoss, ops.soft_margin_loss, (X, Tensor(Y_SIGNS)), {}),
    "MultiMarginLoss": (nn.MultiMarginLoss, ops.multi_margin_loss, (X, CLASSES), {"p": 2, "margin": 0.5}),
    "MultilabelMarginLoss": (nn.MultilabelMarginLoss, ops.multilabel_margin_loss, (X, SEVERAL), {}),
    "MultiLabelSoftMarginLoss": (nn.MultiLabelSoftMarginLoss, ops.multilabel_soft_margin_loss, (X, Tensor(HITS)), {}),
    "TripletMarginLoss": (
        nn.TripletMarginLoss, ops.triplet_margin_loss, (X, Tensor(Y), Tensor(X + 0.1)), {"swap": True, "margin": 2.0},
    ),
}  # fmt: skip


@every(name=LOSSES, reduction=["mean", "sum", "none"])
def test_the_loss_is_the_function(name, reduction):
    kind, function, (first, *others), options = LOSSES[name]
    loss = kind(**options, reduction=reduction)
    result = in_both_modes(lambda x: loss(x, *others), Tensor(first))
    expected = function(Tensor(first), *others, **options, reduction=reduction).asnumpy()
    np.testing.assert_array_equal(result, expected)
    check_gradient(lambda x: loss(x, *others), first)


def test_arguments_of_a_call():
    heavy = Tensor([1.0, 2.0, 3.0, 4.0])
    plain, weighted = nn.MultiMarginLoss(reduction="none"), nn.MultiMarginLoss(reduction="none", weight=heavy)
    np.testing.assert_allclose(plain(Tensor(X), CLASSES, heavy).asnumpy(), weighted(Tensor(X), CLASSES).asnumpy())
    near, far = Tensor(X), Tensor(X + 9)
    assert nn.TripletMarginLoss(margin=2.0)(near, near, near).item() == pytest.approx(2.0)
    assert nn.TripletMarginLoss(margin=2.0)(near, near, near, margin=0.5).item() == pytest.approx(0.5)
    assert nn.TripletMarginLoss()(near, near, far).item() == 0


test_an_unknown_reduction_raises = error_cases((lambda: nn.SoftMarginLoss("median"), ValueError, "reduction"))
