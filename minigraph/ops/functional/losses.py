"""Losses as functions: the distance of predictions from targets, reduced to "mean", "sum" or not at all ("none")."""

from __future__ import annotations

import math
from typing import Any

from minigraph.core.op import apply
from minigraph.operators import elementwise
from minigraph.ops.functional.math import abs, cast, log, maximum, minimum, square, sum, where
from minigraph.ops.functional.nn import reduced, softplus
from minigraph.ops.functional.norms import vector_norm
from minigraph.ops.functional.positions import gather_elements

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cosine_similarity",
    "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "nll_loss",
    "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss",
]  # fmt: skip

# ---- distances -------------------------------------------------------------------------------------


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


# ---- likelihoods -----------------------------------------------------------------------------------


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


def kl_div(logits: Any, labels: Any, reduction: str = "mean") -> Any:
    """labels (log(labels) - logits): how far log-probabilities are from probabilities; also "batchmean".

    Where a label is not above 0 the loss is 0.
    """
    known = labels > 0
    losses = where(known, labels * (log(where(known, labels, 1)) - logits), 0)
    if reduction == "batchmean":
        return sum(losses) / logits.shape[0]
    return reduced("kl_div", losses, reduction)


# ---- margins and angles ----------------------------------------------------------------------------


def margin_ranking_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:  # fmt: skip
    """How much ``target`` (1: the first, -1: the second) fails to be the larger by ``margin``."""
    return reduced("margin_ranking_loss", maximum(margin - target * (input1 - input2), 0), reduction)


def hinge_embedding_loss(inputs: Any, targets: Any, margin: float = 1.0, reduction: str = "mean") -> Any:
    """x where the target is 1; what it lacks to ``margin`` where it is -1."""
    losses = where(targets == 1, inputs, maximum(margin - inputs, 0))
    return reduced("hinge_embedding_loss", losses, reduction)


def soft_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """log(1 + exp(-target x)) for targets 1 and -1."""
    return reduced("soft_margin_loss", softplus(-(target * input)), reduction)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along an axis; lengths are held above ``eps``."""
    lengths = maximum(square(vector_norm(x1, 2, dim)) * square(vector_norm(x2, 2, dim)), eps * eps)
    return sum(x1 * x2, dim) / apply(elementwise.SQRT, lengths)


def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean"
) -> Any:  # fmt: skip
    """1 - cosine where the target is 1; what the cosine has above ``margin`` where it is -1."""
    cosine = cosine_similarity(input1, input2, input1.ndim - 1)
    losses = where(target == 1, 1 - cosine, maximum(cosine - margin, 0))
    return reduced("cosine_embedding_loss", losses, reduction)


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """How much nearer the positive is than the negative, short of ``margin``, by the norm of order ``p`` (last axis).

    ``swap`` takes the distance of positive and negative where that is the smaller one.
    """
    near = vector_norm(anchor - positive + eps, p, -1)
    far = vector_norm(anchor - negative + eps, p, -1)
    if swap:
        far = minimum(far, vector_norm(positive - negative + eps, p, -1))
    return reduced("triplet_margin_loss", maximum(near - far + margin, 0), reduction)
