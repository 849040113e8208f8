"""Primitives of loss functions, against numpy or formulas."""

import numpy as np
import pytest

from minigraph import Tensor, grad, ops
from tests.ops.functional.checks import check_gradient, in_both_modes

RANDOM = np.random.default_rng(11)
LOGITS = RANDOM.standard_normal((4, 3))
LABELS = np.array([2, 0, 1, 1], np.int32)


def test_nll_loss():
    weight = np.array([1.0, 2.0, 4.0])
    loss, total = in_both_modes(ops.NLLLoss("sum"), Tensor(LOGITS), Tensor(LABELS), Tensor(weight))
    assert loss == pytest.approx(-(LOGITS[np.arange(4), LABELS] * weight[LABELS]).sum())
    assert total == weight[LABELS].sum()


def test_cross_entropies():
    probabilities = np.exp(LOGITS) / np.exp(LOGITS).sum(1, keepdims=True)
    rows = -np.log(probabilities[np.arange(4), LABELS])
    hot = np.eye(3)[LABELS]
    losses, gradient = in_both_modes(ops.SoftmaxCrossEntropyWithLogits(), Tensor(LOGITS), Tensor(hot))
    np.testing.assert_allclose(losses, rows)
    np.testing.assert_allclose(gradient, probabilities - hot)
    sparse = ops.SparseSoftmaxCrossEntropyWithLogits
    assert in_both_modes(sparse(), Tensor(LOGITS), Tensor(LABELS)) == pytest.approx(rows.mean())
    gradient = in_both_modes(sparse(is_grad=True), Tensor(LOGITS), Tensor(LABELS))
    np.testing.assert_allclose(
        gradient, grad(lambda x: sparse()(x, Tensor(LABELS)))(Tensor(LOGITS)).asnumpy(), rtol=1e-6
    )
    binary = in_both_modes(ops.SigmoidCrossEntropyWithLogits(), Tensor(LOGITS), Tensor(hot))
    np.testing.assert_allclose(binary, np.log1p(np.exp(LOGITS)) - LOGITS * hot)
    check_gradient(ops.SigmoidCrossEntropyWithLogits(), LOGITS, hot)


def test_margins_and_greedy_decoding():
    x, y = Tensor([[0.1, 0.7, 0.2]]), Tensor([1])
    assert ops.MultiMarginLoss()(x, y).item() == ops.multi_margin_loss(x, y).item()
    assert ops.CTCGreedyDecoder()(x.expand_dims(0), Tensor([1]))[1].tolist() == [1]


def test_ctc_of_sparse_labels_is_the_sum_over_alignments():
    scores = Tensor(np.zeros((3, 1, 3)))
    indices, labels, length = Tensor([[0, 0], [0, 1]]), Tensor([0, 0]), Tensor([3])
    counts = {
        (True, False): 1,
        (False, False): 3,
        (True, True): 6,
    }  # of 27 alignments: 0_0; 00_, 0_0, _00; of one label
    for (merge, collapse), count in counts.items():
        loss, _ = ops.CTCLoss(collapse, merge)(scores, indices, labels, length)
        assert loss.tolist() == [pytest.approx(-np.log(count / 27))]
    x = Tensor(RANDOM.standard_normal((4, 2, 3)))
    arguments = (Tensor([[0, 0], [1, 0], [1, 1]]), Tensor([0, 1, 0]), Tensor([4, 3]))
    gradient = ops.CTCLoss()(x, *arguments)[1]
    np.testing.assert_allclose(gradient.asnumpy(), grad(lambda x: ops.CTCLoss()(x, *arguments)[0].sum())(x).asnumpy())
    with pytest.raises(ValueError, match="row 1 has more labels than inputs"):
        ops.CTCLoss()(x, *arguments[:2], Tensor([4, 1]))
    ignored = ops.CTCLoss(ignore_longer_outputs_than_inputs=True)(x, *arguments[:2], Tensor([4, 1]))[0]
    assert ignored[1].item() == 0
