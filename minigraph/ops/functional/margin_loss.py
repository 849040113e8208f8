"""Margin losses: ranking, embedding and multi-class hinge losses."""

from __future__ import annotations

from minigraph.core.errors import ShapeError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.operators import elementwise
from minigraph.ops.functional.activation import softplus
from minigraph.ops.functional.arithmetic import maximum, minimum, square
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import gather, gather_elements, where
from minigraph.ops.functional.loss import reduce_loss
from minigraph.ops.functional.norms import vector_norm
from minigraph.ops.functional.reduction import mean, sum

__all__ = [
    "cosine_embedding_loss", "cosine_similarity", "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "soft_margin_loss", "triplet_margin_loss",
]  # fmt: skip


# ---- ranking and embedding -------------------------------------------------------------------------


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:  # fmt: skip
    """max(0, margin - target (input1 - input2)) for targets 1 (the first should be larger) and -1."""
    return reduce_loss("margin_ranking_loss", maximum(margin - target * (input1 - input2), 0), reduction)


def hinge_embedding_loss(inputs: Tensor, targets: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """x where the target is 1, max(0, margin - x) where it is -1."""
    losses = where(targets == 1, inputs, maximum(margin - inputs, 0))
    return reduce_loss("hinge_embedding_loss", losses, reduction)


def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target x)) for targets 1 and -1."""
    return reduce_loss("soft_margin_loss", softplus(-(target * input)), reduction)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along an axis; the product of their norms is at least ``eps``."""
    lengths = maximum(square(vector_norm(x1, 2, dim)) * square(vector_norm(x2, 2, dim)), eps * eps)
    return sum(x1 * x2, dim) / apply(elementwise.SQRT, lengths)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:  # fmt: skip
    """1 - cosine where the target is 1, max(0, cosine - margin) where it is -1."""
    cosine = cosine_similarity(input1, input2, input1.ndim - 1)
    losses = where(target == 1, 1 - cosine, maximum(cosine - margin, 0))
    return reduce_loss("cosine_embedding_loss", losses, reduction)


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), d the norm of order ``p`` along the last axis.

    ``swap`` uses d(positive, negative) where it is less than d(anchor, negative).
    """
    positive_distance = vector_norm(anchor - positive + eps, p, -1)
    negative_distance = vector_norm(anchor - negative + eps, p, -1)
    if swap:
        negative_distance = minimum(negative_distance, vector_norm(positive - negative + eps, p, -1))
    return reduce_loss("triplet_margin_loss", maximum(positive_distance - negative_distance + margin, 0), reduction)


# ---- classes ---------------------------------------------------------------------------------------


def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The mean over classes of max(0, margin - x[target] + x)**p, without the target's own class."""
    if input.ndim != 2 or target.ndim != 1:
        shapes = f"{list(input.shape)} and {list(target.shape)}"
        raise ShapeError(f"multi_margin_loss: needs scores [N,C] and classes [N], got {shapes}")
    targets = gather_elements(input, 1, target.expand_dims(1))
    violations = maximum(margin - targets + input, 0) ** p
    violations = violations if weight is None else violations * gather(weight, target, 0).expand_dims(1)
    is_other = arange(input.shape[1]) != target.expand_dims(1)
    return reduce_loss("multi_margin_loss", sum(where(is_other, violations, 0.0), 1) / input.shape[1], reduction)


def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The sum of max(0, 1 - x[target] + x[other]) over target and other classes, divided by the number of classes.

    The entries of each row of ``target`` up to the first -1 are its target classes.
    """
    if input.shape != target.shape or input.ndim not in (1, 2):
        shapes = f"{list(input.shape)} and {list(target.shape)}"
        raise ShapeError(f"multilabel_margin_loss: needs scores and targets [N,C] or [C], got {shapes}")
    scores, classes = (tensor.expand_dims(0) if tensor.ndim == 1 else tensor for tensor in (input, target))
    label_count = sum(cast(classes < 0, int64).cumsum(1) == 0, 1).expand_dims(1)
    is_listed = arange(classes.shape[1]) < label_count  # [N, C]: the entries before the first -1
    labels = maximum(cast(classes, int64), 0)
    is_target = sum(cast((labels.expand_dims(2) == arange(scores.shape[1])) & is_listed.expand_dims(2), int64), 1) > 0
    violations = maximum(1 - gather_elements(scores, 1, labels).expand_dims(2) + scores.expand_dims(1), 0)
    pairs = is_listed.expand_dims(2) & ~is_target.expand_dims(1)
    losses = sum(where(pairs, violations, 0.0), (1, 2)) / scores.shape[1]
    return reduce_loss("multilabel_margin_loss", losses if input.ndim == 2 else losses[0], reduction)


def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The mean over classes of the binary cross entropy of sigmoid(x) and the target."""
    losses = target * softplus(-input) + (1 - target) * softplus(input)
    losses = losses if weight is None else losses * weight
    return reduce_loss("multilabel_soft_margin_loss", mean(losses, -1), reduction)
