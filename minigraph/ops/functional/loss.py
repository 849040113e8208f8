"""Loss functions for regression and classification, reduced to "mean", "sum" or not at all ("none")."""

from __future__ import annotations

import math
from typing import Any

from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.core.types import float32
from minigraph.operators import compare, elementwise, losses, nn, reduce
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


REDUCE = {"none": lambda x: x, "mean": lambda x: apply(reduce.MEAN, x), "sum": lambda x: apply(reduce.SUM, x)}


def reduced(name: str, losses: Any, reduction: str) -> Any:
    """Losses as they are ("none"), their mean or their sum; raises ``UsageError`` for another word."""
    if reduction not in REDUCE:
        raise UsageError(f"{name}: reduction is one of {', '.join(REDUCE)}, got {reduction!r}")
    return REDUCE[reduction](losses)


# ---- regression ------------------------------------------------------------------------------------


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The squared difference, reduced; of integers as Float32."""
    floats = input if input.dtype.is_float else apply(elementwise.CAST, input, dtype=float32)
    return reduced("mse_loss", apply(elementwise.SQUARE, floats - target), reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The size of the difference."""
    return reduced("l1_loss", abs(input - target), reduction)


def smooth_l1_loss(input: Any, target: Any, beta: float = 1.0, reduction: str = "none") -> Any:
    """Half the squared difference over ``beta`` where it is smaller than that, else its size less half of ``beta``."""
    apart = abs(input - target)
    return reduced("smooth_l1_loss", where(apart < beta, square(apart) * (0.5 / beta), apart - 0.5 * beta), reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Any:
    """``delta`` times the smooth L1 loss (Huber 1964)."""
    apart = abs(input - target)
    losses = where(apart <= delta, square(apart) * 0.5, (apart - 0.5 * delta) * delta)
    return reduced("huber_loss", losses, reduction)


def gaussian_nll_loss(
    x: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """Minus the logarithm of a normal density of mean x and variance ``var``, at least ``eps``; ``full``: exactly."""
    width = maximum(var, eps)
    losses = (log(width) + square(x - target) / width) * 0.5
    return reduced("gaussian_nll_loss", losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


# ---- classification --------------------------------------------------------------------------------


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """The cross entropy of logits with integer labels, or with probabilities of the logits' shape.

    With class weights [C] each case counts as much as the class of its label.
    """
    if weight is not None:
        return _weighted(input, target, weight, ignore_index, reduction, label_smoothing)
    if target.dtype.kind == "i":
        attrs = {"ignore_index": ignore_index, "reduction": reduction, "label_smoothing": label_smoothing}
        return apply(losses.CROSS_ENTROPY, input, target, **attrs)
    smooth = _smoothed(target, input.shape[1], label_smoothing)
    rows = -apply(reduce.SUM, apply(nn.LOG_SOFTMAX, input, axis=1) * smooth, axis=1)
    return reduced("cross_entropy", rows, reduction)


def _smoothed(target: Any, classes: int, share: float) -> Any:
    """Probabilities with a share of the even distribution mixed in."""
    return target * (1 - share) + share / classes if share else target


def _weighted(input: Any, target: Any, weight: Any, ignore_index: int, reduction: str, smoothing: float) -> Any:
    """The cross entropy with class weights; its mean is divided by the weights of the labels."""
    weight, classes, counted = weight.reshape(1, -1, *(1,) * (input.ndim - 2)), input.shape[1], None
    if target.dtype.kind == "i":
        known = (target != ignore_index).expand_dims(1)
        target = apply(losses.ONE_HOT, target, depth=classes, axis=1, dtype=input.dtype)
        counted = apply(reduce.SUM, target * known * weight)
        target = apply(compare.WHERE, known, _smoothed(target, classes, smoothing), 0.0)
    else:
        target = _smoothed(target, classes, smoothing)
    rows = -apply(reduce.SUM, target * weight * apply(nn.LOG_SOFTMAX, input, axis=1), axis=1)
    if counted is None or reduction != "mean":
        return reduced("cross_entropy", rows, reduction)
    return apply(reduce.SUM, rows) / counted


def nll_loss(
    inputs: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Minus the log-probability [N, C, ...] of the labelled class; the mean is weighted by ``weight``, one per class.

    Rows labelled ``ignore_index`` count for nothing. ``label_smoothing`` shares that much among all classes.
    """
    kept = cast(target != ignore_index, inputs.dtype)
    labels = where(target == ignore_index, 0, target)
    by_class = kept if weight is None else apply("index", weight, labels, key=((1,),)) * kept
    picked = gather_elements(inputs, 1, apply("expand_dims", labels, axis=1))
    losses = -apply("squeeze", picked, axis=1) * by_class
    if label_smoothing:
        spread = (
            inputs if weight is None else inputs * apply("reshape", weight, shape=(1, -1, *(1,) * (inputs.ndim - 2)))
        )
        losses = losses * (1 - label_smoothing) - sum(spread, 1) * kept * (label_smoothing / inputs.shape[1])
    return sum(losses) / sum(by_class) if reduction == "mean" else reduced("nll_loss", losses, reduction)


def binary_cross_entropy(logits: Any, labels: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """Minus the logarithm of probabilities ``logits`` of what ``labels`` say, logarithms held above -100."""
    yes, no = (maximum(log(p), -100.0) for p in (logits, 1 - logits))
    losses = -(labels * yes + (1 - labels) * no)
    return reduced("binary_cross_entropy", losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    """The same of sigmoid(x), without overflow; ``pos_weight`` weighs the positive ones."""
    positive = target if pos_weight is None else target * pos_weight
    losses = (1 - target) * input + (1 + positive - target) * softplus(-input)
    return reduced("binary_cross_entropy_with_logits", losses if weight is None else losses * weight, reduction)


def kl_div(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    """labels (log(labels) - logits): how far log-probabilities are from probabilities; also "batchmean".

    Where a label is not above 0 the loss is 0.
    """
    known = labels > 0
    losses = where(known, labels * (log(where(known, labels, 1)) - logits), 0)
    if reduction == "batchmean":
        return sum(losses) / logits.shape[0]
    return reduced("kl_div", losses, reduction)
