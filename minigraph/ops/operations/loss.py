"""Primitives of loss functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.autodiff.grad import grad
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.ops import functional as F
from minigraph.ops.functional.ctc import alignment_losses
from minigraph.ops.primitive import primitive

__all__ = [
    "BCEWithLogitsLoss", "BinaryCrossEntropy", "CTCGreedyDecoder", "CTCLoss", "CTCLossV2", "KLDivLoss",
    "MultiMarginLoss", "NLLLoss", "SigmoidCrossEntropyWithLogits", "SmoothL1Loss", "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
]  # fmt: skip


def _softmax_cross_entropy(logits: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """(the cross entropy of logits [N,C] with probabilities, per row; its gradient with respect to the logits)."""
    rows = -F.sum(F.log_softmax(logits, 1) * labels, 1)
    return rows, F.softmax(logits, 1) - labels


def _sparse_softmax_cross_entropy(logits: Tensor, labels: Tensor, *, is_grad: bool) -> Tensor:
    """The mean cross entropy of logits [N,C] with classes [N], or with ``is_grad`` its gradient."""
    if not is_grad:
        return F.cross_entropy(logits, labels)
    hot = F.one_hot(labels, logits.shape[1], 1.0, 0.0)
    return F.cast((F.softmax(logits, 1) - hot) / logits.shape[0], logits.dtype)


def _sigmoid_cross_entropy(logits: Tensor, label: Tensor) -> Tensor:
    """The cross entropy of sigmoid(logits) and the labels, element by element."""
    return F.maximum(logits, 0) - logits * label + F.log1p(F.exp(-F.abs(logits)))


def _nll_loss(
    logits: Tensor, labels: Tensor, weight: Tensor, *, reduction: str, ignore_index: int
) -> tuple[Tensor, Tensor]:
    """(the negative log-likelihood of classes, the sum of the weights of the labels)."""
    weights = F.where(labels == ignore_index, 0.0, F.gather(weight, F.maximum(labels, 0), 0))
    return F.nll_loss(logits, labels, weight, ignore_index, reduction), F.sum(weights)


SoftmaxCrossEntropyWithLogits = primitive("SoftmaxCrossEntropyWithLogits", _softmax_cross_entropy)
SparseSoftmaxCrossEntropyWithLogits = primitive(
    "SparseSoftmaxCrossEntropyWithLogits", _sparse_softmax_cross_entropy, is_grad=False
)  # fmt: skip
SigmoidCrossEntropyWithLogits = primitive("SigmoidCrossEntropyWithLogits", _sigmoid_cross_entropy)
NLLLoss = primitive("NLLLoss", _nll_loss, reduction="mean", ignore_index=-100)
SmoothL1Loss = primitive("SmoothL1Loss", F.smooth_l1_loss, beta=1.0, reduction="none")
SoftMarginLoss = primitive("SoftMarginLoss", F.soft_margin_loss, reduction="mean")
KLDivLoss = primitive("KLDivLoss", F.kl_div, reduction="mean")
BinaryCrossEntropy = primitive("BinaryCrossEntropy", F.binary_cross_entropy, reduction="mean")
BCEWithLogitsLoss = primitive("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, reduction="mean")


def _multi_margin_loss(
    x: Tensor, target: Tensor, weight: Tensor | None = None, *, p: int, margin: float, reduction: str
) -> Tensor:
    """The hinge loss of scores [N,C] and classes [N]."""
    return F.multi_margin_loss(x, target, p, margin, weight, reduction)


MultiMarginLoss = primitive("MultiMarginLoss", _multi_margin_loss, p=1, margin=1.0, reduction="mean")
CTCGreedyDecoder = primitive("CTCGreedyDecoder", F.ctc_greedy_decoder, merge_repeated=True)


def _ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, *, blank: int, reduction: str,
    zero_infinity: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(the CTC loss of each sequence, the logarithms of the forward variables)."""
    inputs, labels = (
        sizes if isinstance(sizes, Tensor) else Tensor(sizes) for sizes in (input_lengths, target_lengths)
    )
    return F.ctc_loss(log_probs, targets, inputs, labels, blank, reduction, zero_infinity)


CTCLossV2 = primitive("CTCLossV2", _ctc_loss, blank=0, reduction="none", zero_infinity=False)


def _sparse_ctc_loss(
    x: Tensor, labels_indices: Tensor, labels_values: Tensor, sequence_length: Tensor, *,
    preprocess_collapse_repeated: bool, ctc_merge_repeated: bool, ignore_longer_outputs_than_inputs: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(the CTC loss of each sequence of logits [T,N,C] and sparse labels, its gradient).

    The last class is the blank. Longer labels than inputs are an error unless they are ignored, with the loss 0.
    """
    rows: list[list[int]] = [[] for _ in range(x.shape[1])]
    for (row, _), label in zip(labels_indices.tolist(), labels_values.tolist(), strict=True):
        if not (preprocess_collapse_repeated and rows[row][-1:] == [label]):
            rows[row].append(label)
    sizes = np.array([len(row) for row in rows])
    is_longer = sizes > sequence_length.asnumpy()
    if is_longer.any() and not ignore_longer_outputs_than_inputs:
        remedy = "set ignore_longer_outputs_than_inputs=True"
        raise ArgValueError(f"CTCLoss: row {is_longer.argmax()} has more labels than inputs; {remedy}")
    targets = np.zeros((len(rows), max(sizes.max(initial=0), 1)), np.int64)
    for row, labels in zip(targets, rows, strict=True):
        row[: len(labels)] = labels

    def losses_of(logits: Tensor) -> Tensor:
        arguments = (Tensor(targets), F.cast(sequence_length, int64), Tensor(sizes), x.shape[2] - 1, ctc_merge_repeated)
        losses = alignment_losses(F.log_softmax(logits, 2), *arguments)[0]
        return F.where(Tensor(is_longer), 0.0, losses)

    return losses_of(x), F.stop_gradient(grad(lambda logits: losses_of(logits).sum())(F.stop_gradient(x)))


CTCLoss = primitive(
    "CTCLoss", _sparse_ctc_loss,
    preprocess_collapse_repeated=False, ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False,
)  # fmt: skip
