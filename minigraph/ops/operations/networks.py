"""Primitives of layers and losses."""

from __future__ import annotations

from typing import Any

from minigraph.core.op import apply
from minigraph.core.types import float32
from minigraph.operators import norms, random
from minigraph.operators.effects import ASSIGN
from minigraph.operators.random import draw
from minigraph.ops.functional import array, losses, nn, normalizing
from minigraph.ops.functional import math as maths
from minigraph.ops.operations.images import check_format
from minigraph.ops.primitive import primitive

__all__ = [
    "LRN",
    "ApplyMomentum",
    "BCEWithLogitsLoss",
    "BatchNorm",
    "BinaryCrossEntropy",
    "Dropout",
    "KLDivLoss",
    "L2Normalize",
    "LayerNorm",
    "NLLLoss",
    "RmsNorm",
    "SigmoidCrossEntropyWithLogits",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftmaxCrossEntropyWithLogits",
    "SparseSoftmaxCrossEntropyWithLogits",
]  # fmt: skip

# ---- normalisation and dropout ---------------------------------------------------------------------


def _layer_norm(
    input_x: Any, gamma: Any, beta: Any, *, begin_norm_axis: int, begin_params_axis: int, epsilon: float
) -> tuple[Any, Any, Any]:
    """(normalised over the axes from ``begin_norm_axis``, scaled and shifted; the mean; the variance)."""
    axes = tuple(range(begin_norm_axis % input_x.ndim, input_x.ndim))
    mean, variance = maths.mean(input_x, axes, True), maths.var(input_x, axes, 0, True)
    normal = apply(norms.NORMALIZE, input_x, axis=axes, eps=epsilon)
    return normal * gamma + beta, mean, variance


def _batch_norm(
    input_x: Any, scale: Any, bias: Any, mean: Any, variance: Any, *,
    is_training: bool, epsilon: float, momentum: float, data_format: str,
) -> tuple[Any, ...]:  # fmt: skip
    """(normalised per channel, mean, variance, and both again); when training by the batch's own.

    Parameters of the mean and the variance then move by ``momentum`` towards those of the batch.
    """
    check_format("BatchNorm", data_format)
    if not is_training:
        found = apply(norms.BATCH_NORM, input_x, scale, bias, mean, variance, eps=epsilon)
        return found, mean, variance, mean, variance
    found = apply(norms.BATCH_NORM_TRAIN, input_x, scale, bias, eps=epsilon)[0]
    others = (0, *range(2, input_x.ndim))
    own = maths.mean(input_x, others), maths.var(input_x, others)
    count = input_x.size // input_x.shape[1]
    news = own[0], own[1] * (count / max(count - 1, 1))
    for kept, new in zip((mean, variance), news, strict=True):
        apply(ASSIGN, kept, kept * (1 - momentum) + new * momentum, name=getattr(kept, "name", "statistic"))
    return found, *own, *own


def _l2_normalize(x: Any, *, axis: Any, epsilon: float) -> Any:
    """x / sqrt(max(the sum of its squares along an axis, epsilon))."""
    squares = maths.sum(maths.square(x), axis, True)
    return x / maths.sqrt(maths.maximum(squares, epsilon))


def _dropout(x: Any, *, keep_prob: float, Seed0: int, Seed1: int) -> tuple[Any, Any]:
    """(elements kept with a probability and divided by it, else 0; which ones were kept, as 1 and 0)."""
    seed = Seed0 * 65537 + Seed1 if Seed0 or Seed1 else None
    mask = maths.cast(draw(random.RANDOM_UNIFORM, x.shape, float32, seed) < keep_prob, x.dtype)
    return x * mask / keep_prob, mask


LayerNorm = primitive("LayerNorm", _layer_norm, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7)
BatchNorm = primitive(
    "BatchNorm", _batch_norm, is_training=False, epsilon=1e-5, momentum=0.1, data_format="NCHW"
)  # fmt: skip
L2Normalize = primitive("L2Normalize", _l2_normalize, axis=0, epsilon=1e-4)
RmsNorm = primitive("RmsNorm", normalizing.rms_norm, epsilon=1e-6)
LRN = primitive(
    "LRN", normalizing.lrn, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"
)  # fmt: skip
Dropout = primitive("Dropout", _dropout, keep_prob=0.5, Seed0=0, Seed1=0)

# ---- losses and steps ------------------------------------------------------------------------------


def _softmax_cross_entropy(logits: Any, labels: Any) -> tuple[Any, Any]:
    """(the cross entropy of logits [N,C] with probabilities, per row; its gradient by the logits)."""
    rows = -maths.sum(nn.log_softmax(logits, 1) * labels, 1)
    return rows, nn.softmax(logits, 1) - labels


def _sparse_softmax_cross_entropy(logits: Any, labels: Any, *, is_grad: bool) -> Any:
    """The mean cross entropy of logits [N,C] with classes [N], or with ``is_grad`` its gradient by the logits."""
    if not is_grad:
        return nn.cross_entropy(logits, labels)
    hot = array.one_hot(labels, logits.shape[1], 1.0, 0.0)
    return (nn.softmax(logits, 1) - hot) / logits.shape[0]


def _sigmoid_cross_entropy(logits: Any, label: Any) -> Any:
    """The cross entropy of sigmoid(logits) and the labels, element by element."""
    return maths.maximum(logits, 0) - logits * label + maths.log1p(maths.exp(-maths.abs(logits)))


def _nll_loss(logits: Any, labels: Any, weight: Any, *, reduction: str, ignore_index: int) -> tuple[Any, Any]:
    """(the negative log likelihood of classes, the sum of the weights of those that count)."""
    counted = maths.where(labels == ignore_index, 0.0, array.gather(weight, maths.maximum(labels, 0), 0))
    return losses.nll_loss(logits, labels, weight, ignore_index, reduction), maths.sum(counted)


def _apply_momentum(
    variable: Any, accumulation: Any, learning_rate: Any, gradient: Any, momentum: Any, *,
    use_nesterov: bool, use_locking: bool, gradient_scale: float,
) -> Any:  # fmt: skip
    """One step of SGD with momentum, in place: the accumulation times momentum plus the gradient; the variable."""
    speed = accumulation * momentum + gradient * gradient_scale
    apply(ASSIGN, accumulation, speed, name=accumulation.name)
    step = gradient * gradient_scale + speed * momentum if use_nesterov else speed
    return apply(ASSIGN, variable, variable - step * learning_rate, name=variable.name)


SoftmaxCrossEntropyWithLogits = primitive("SoftmaxCrossEntropyWithLogits", _softmax_cross_entropy)
SparseSoftmaxCrossEntropyWithLogits = primitive(
    "SparseSoftmaxCrossEntropyWithLogits", _sparse_softmax_cross_entropy, is_grad=False
)  # fmt: skip
SigmoidCrossEntropyWithLogits = primitive("SigmoidCrossEntropyWithLogits", _sigmoid_cross_entropy)
NLLLoss = primitive("NLLLoss", _nll_loss, reduction="mean", ignore_index=-100)
SmoothL1Loss = primitive("SmoothL1Loss", losses.smooth_l1_loss, beta=1.0, reduction="none")
SoftMarginLoss = primitive("SoftMarginLoss", losses.soft_margin_loss, reduction="mean")
KLDivLoss = primitive("KLDivLoss", losses.kl_div, reduction="mean")
BinaryCrossEntropy = primitive("BinaryCrossEntropy", losses.binary_cross_entropy, reduction="mean")
BCEWithLogitsLoss = primitive("BCEWithLogitsLoss", losses.binary_cross_entropy_with_logits, reduction="mean")
ApplyMomentum = primitive(
    "ApplyMomentum", _apply_momentum, use_nesterov=False, use_locking=False, gradient_scale=1.0
)  # fmt: skip
