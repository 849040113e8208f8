"""Loss functions for regression and classification, reduced to "mean", "sum" or not at all ("none")."""

from __future__ import annotations

import math

from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32
from minigraph.operators import activation, comparison, elementwise, losses, reduce
from minigraph.ops.functional.activation import softplus
from minigraph.ops.functional.arithmetic import abs, maximum, square
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import log
from minigraph.ops.functional.indexing import gather_elements, where
from minigraph.ops.functional.reduction import sum

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "gaussian_nll_loss", "huber_loss",
    "kl_div", "l1_loss", "mse_loss", "nll_loss", "smooth_l1_loss",
]  # fmt: skip


REDUCTIONS = {"none": lambda x: x, "mean": lambda x: apply(reduce.MEAN, x), "sum": lambda x: apply(reduce.SUM, x)}


def reduce_loss(name: str, losses: Tensor, reduction: str) -> Tensor:
    """Losses unreduced ("none"), their mean or their sum; raises ``UsageError`` for another ``reduction``."""
    if reduction not in REDUCTIONS:
        raise UsageError(f"{name}: reduction is one of {', '.join(REDUCTIONS)}, got {reduction!r}")
    return REDUCTIONS[reduction](losses)


# ---- regression ------------------------------------------------------------------------------------


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The squared error, reduced; integers are converted to Float32."""
    floats = input if input.dtype.is_float else apply(elementwise.CAST, input, dtype=float32)
    return reduce_loss("mse_loss", apply(elementwise.SQUARE, floats - target), reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The absolute error, reduced."""
    return reduce_loss("l1_loss", abs(input - target), reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none") -> Tensor:
    """0.5 d² / beta where d = abs(x - target) is below ``beta``, else d - 0.5 beta."""
    d = abs(input - target)
    return reduce_loss("smooth_l1_loss", where(d < beta, square(d) * (0.5 / beta), d - 0.5 * beta), reduction)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """0.5 d² where d = abs(x - target) <= ``delta``, else delta (d - 0.5 delta) (Huber 1964)."""
    d = abs(input - target)
    losses = where(d <= delta, square(d) * 0.5, (d - 0.5 * delta) * delta)
    return reduce_loss("huber_loss", losses, reduction)


def gaussian_nll_loss(
    x: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative log-likelihood of a normal distribution with mean x and variance max(``var``, ``eps``).

    ``full`` includes the constant term.
    """
    variance = maximum(var, eps)
    losses = (log(variance) + square(x - target) / variance) * 0.5
    return reduce_loss("gaussian_nll_loss", losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


# ---- classification --------------------------------------------------------------------------------


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropy of logits with integer labels, or with probabilities of the logits' shape.

    With class weights [C] each example has the weight of its labelled class.
    """
    if weight is not None:
        return _weighted_loss(input, target, weight, ignore_index, reduction, label_smoothing)
    if target.dtype.kind == "i":
        attrs = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}
        return apply(losses.CROSS_ENTROPY, input, target, **attrs)
    smooth = _smooth_labels(target, input.shape[1], label_smoothing)
    rows = -apply(reduce.SUM, apply(activation.LOG_SOFTMAX, input, axis=1) * smooth, axis=1)
    return reduce_loss("cross_entropy", rows, reduction)


def _smooth_labels(target: Tensor, classes: int, smoothing: float) -> Tensor:
    """Label smoothing: the share ``smoothing`` of probabilities spread evenly over the classes."""
    return target * (1 - smoothing) + smoothing / classes if smoothing else target


def _weighted_loss(
    input: Tensor, target: Tensor, weight: Tensor, ignore_index: int, reduction: str, smoothing: float
) -> Tensor:
    """The cross entropy with class weights; the mean is divided by the weights of the labels."""
    weight, classes, total_weight = weight.reshape(1, -1, *(1,) * (input.ndim - 2)), input.shape[1], None
    if target.dtype.kind == "i":
        mask = (target != ignore_index).expand_dims(1)
        target = apply(losses.ONE_HOT, target, depth=classes, axis=1, dtype=input.dtype)
        total_weight = apply(reduce.SUM, target * mask * weight)
        target = apply(comparison.WHERE, mask, _smooth_labels(target, classes, smoothing), 0.0)
    else:
        target = _smooth_labels(target, classes, smoothing)
    rows = -apply(reduce.SUM, target * weight * apply(activation.LOG_SOFTMAX, input, axis=1), axis=1)
    if total_weight is None or reduction != "mean":
        return reduce_loss("cross_entropy", rows, reduction)
    return apply(reduce.SUM, rows) / total_weight


def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The negative log-probability [N, C, ...] of the labelled class; the mean is weighted by ``weight`` per class.

    Rows labelled ``ignore_index`` are ignored. ``label_smoothing`` is the share spread over all classes.
    """
    mask = cast(target != ignore_index, inputs.dtype)
    labels = where(target == ignore_index, 0, target)
    weights = mask if weight is None else apply("index", weight, labels, key=((1,),)) * mask
    selected = gather_elements(inputs, 1, apply("expand_dims", labels, axis=1))
    losses = -apply("squeeze", selected, axis=1) * weights
    if label_smoothing:
        scale = 1 if weight is None else apply("reshape", weight, shape=(1, -1, *(1,) * (inputs.ndim - 2)))
        logits = inputs if weight is None else inputs * scale
        losses = losses * (1 - label_smoothing) - sum(logits, 1) * mask * (label_smoothing / inputs.shape[1])
    return sum(losses) / sum(weights) if reduction == "mean" else reduce_loss("nll_loss", losses, reduction)


def binary_cross_entropy(
    logits: Tensor, labels: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """-(labels log(p) + (1 - labels) log(1 - p)) of probabilities p, with logarithms clamped at -100."""
    log_p, log_not_p = (maximum(log(p), -100.0) for p in (logits, 1 - logits))
    losses = -(labels * log_p + (1 - labels) * log_not_p)
    return reduce_loss("binary_cross_entropy", losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """``binary_cross_entropy`` of sigmoid(input), without overflow; ``pos_weight`` weights the positive labels."""
    positive = target if pos_weight is None else target * pos_weight
    losses = (1 - target) * input + (1 + positive - target) * softplus(-input)
    return reduce_loss("binary_cross_entropy_with_logits", losses if weight is None else losses * weight, reduction)


def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """labels (log(labels) - logits), the Kullback-Leibler divergence of log-probabilities; also "batchmean".

    The loss is 0 where a label is not positive.
    """
    positive = labels > 0
    losses = where(positive, labels * (log(where(positive, labels, 1)) - logits), 0)
    if reduction == "batchmean":
        return sum(losses) / logits.shape[0]
    return reduce_loss("kl_div", losses, reduction)
