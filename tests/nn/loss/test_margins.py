"""Losses of logits in one operator, margins, angles and counts, against numpy."""

import math

import numpy as np
import pytest

from minigraph import Tensor, grad, nn, ops
from tests.tables import refusals

rng = np.random.default_rng(9)
A, B = rng.normal(size=(2, 4, 3)).astype(np.float32)
SIGNS = np.where(rng.random((4, 3)) > 0.5, 1.0, -1.0).astype(np.float32)
COUNTS = rng.integers(0, 6, (4, 3)).astype(np.float32)


def none(kind, *options, inputs):
    return kind(*options, reduction="none")(*map(Tensor, inputs)).asnumpy()


def test_softmax_cross_entropy_is_the_cross_entropy_of_classes_or_rows():
    classes = np.array([0, 2, 1, 1], np.int32)
    rows = np.eye(3, dtype=np.float32)[classes]
    wanted = -(rows * (A - np.log(np.exp(A).sum(1, keepdims=True)))).sum(1)
    for found in (none(nn.SoftmaxCrossEntropyWithLogits, True, inputs=(A, classes)),
                  none(nn.SoftmaxCrossEntropyWithLogits, inputs=(A, rows))):  # fmt: skip
        np.testing.assert_allclose(found, wanted, rtol=1e-5)
    assert nn.SoftmaxCrossEntropyWithLogits(True)(Tensor(A), Tensor(classes)).shape == (4,)


test_softmax_cross_entropy_refuses_the_other_kind_of_labels = refusals(
    (True, Tensor([[0.5, 0.5, 0.0]]), "needs class numbers, got labels f32.1,3..*; give sparse=False"),
    (False, Tensor([1]), "needs probabilities, got labels i64.1..*; give sparse=True"),
    by=lambda sparse, labels: nn.SoftmaxCrossEntropyWithLogits(sparse)(Tensor([[1.0, 2.0, 3.0]]), labels),
    error=TypeError,
)


def test_angles_differences_and_margins():
    # differences and margins
    # differences
    x = np.arange(12, dtype=np.float32).reshape(3, 4) / 4 - 1
    assert nn.MAELoss()(Tensor(x), Tensor(2 * x)).item() == pytest.approx(0.7916667)
    assert nn.MAELoss("none")(Tensor(x), Tensor(2 * x)).tolist() == abs(x).tolist()
    assert nn.RMSELoss()(Tensor(x), Tensor(2 * x)).item() == pytest.approx(0.94096583)
    # margins
    hinge = np.where(SIGNS > 0, A, np.maximum(0, 0.75 - A))
    np.testing.assert_allclose(none(nn.HingeEmbeddingLoss, 0.75, inputs=(A, SIGNS)), hinge, rtol=1e-6)
    ranking = np.maximum(0, 0.25 - SIGNS * (A - B))
    np.testing.assert_allclose(none(nn.MarginRankingLoss, 0.25, inputs=(A, B, SIGNS)), ranking, rtol=1e-5, atol=1e-6)
    # angles
    cosine = (A * B).sum(1) / np.linalg.norm(A, axis=1) / np.linalg.norm(B, axis=1)
    wanted = np.where(SIGNS[:, 0] > 0, 1 - cosine, np.maximum(0, cosine + 0.5))
    np.testing.assert_allclose(none(nn.CosineEmbeddingLoss, -0.5, inputs=(A, B, SIGNS[:, 0])), wanted, rtol=1e-5)
    nothing = Tensor(np.zeros((1, 3), np.float32))
    assert np.isfinite(grad(lambda x: nn.CosineEmbeddingLoss()(x, nothing, Tensor([1])))(nothing).asnumpy()).all()


@pytest.mark.parametrize("full", [False, True])
def test_counts(full):
    stirling = [[n * math.log(n) - n + 0.5 * math.log(2 * math.pi * n) if n > 1 else 0 for n in row] for row in COUNTS]
    extra = full * np.array(stirling)
    found = none(nn.PoissonNLLLoss, True, full, inputs=(A, COUNTS))
    np.testing.assert_allclose(found, np.exp(A) - COUNTS * A + extra, rtol=1e-5, atol=1e-6)
    found = none(nn.PoissonNLLLoss, False, full, inputs=(np.exp(A), COUNTS))
    np.testing.assert_allclose(found, np.exp(A) - COUNTS * A + extra, rtol=1e-5, atol=1e-5)


test_arguments_that_make_no_sense_are_refused = refusals(
    (lambda: nn.PoissonNLLLoss(eps=0.0), ValueError, "the 'eps' must be float and must > 0"),
    (lambda: nn.SoftmaxCrossEntropyWithLogits(1), TypeError, "the type of 'sparse' should be 'bool'"),
    (
        lambda: nn.CosineEmbeddingLoss()(*map(ops.ones, ((2, 3), 3, 2))),
        ValueError,
        r"and labels f32\[3\] differ in shape",
    ),
)
