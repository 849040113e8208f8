"""Margin losses: ranking, embedding and multi-class hinge losses."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import ShapeError
from minigraph.core.op import apply
from minigraph.core.types import int64
from minigraph.operators import elementwise
from minigraph.ops.functional.activation import softplus
from minigraph.ops.functional.arithmetic import maximum, minimum, square
from minigraph.ops.functional.creation import arange
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import gather, gather_elements, where
from minigraph.ops.functional.loss import reduced
from minigraph.ops.functional.norms import vector_norm
from minigraph.ops.functional.reduction import mean, sum

__all__ = [
    "cosine_embedding_loss", "cosine_similarity", "hinge_embedding_loss", "margin_ranking_loss", "multi_margin_loss",
    "multilabel_margin_loss", "multilabel_soft_margin_loss", "soft_margin_loss", "triplet_margin_loss",
]  # fmt: skip


# ---- ranking and embedding -------------------------------------------------------------------------


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


# ---- classes ---------------------------------------------------------------------------------------


def multi_margin_loss(
    input: Any, target: Any, p: int = 1, margin: float = 1, weight: Any = None, reduction: str = "mean"
) -> Any:
    """The mean over classes of max(0, margin - x[target] + x)**p, the target's own class left out."""
    if input.ndim != 2 or target.ndim != 1:
        shapes = f"{list(input.shape)} and {list(target.shape)}"
        raise ShapeError(f"multi_margin_loss: needs scores [N,C] and classes [N], got {shapes}")
    own = gather_elements(input, 1, target.expand_dims(1))
    short = maximum(margin - own + input, 0) ** p
    short = short if weight is None else short * gather(weight, target, 0).expand_dims(1)
    others = arange(input.shape[1]) != target.expand_dims(1)
    return reduced("multi_margin_loss", sum(where(others, short, 0.0), 1) / input.shape[1], reduction)


def multilabel_margin_loss(input: Any, target: Any, reduction: str = "mean") -> Any:
    """The sum of max(0, 1 - x[own] + x[other]) over own and other classes, divided by the number of classes.

    The own classes of each case stand in its row of ``target`` up to the first -1.
    """
    if input.shape != target.shape or input.ndim not in (1, 2):
        shapes = f"{list(input.shape)} and {list(target.shape)}"
        raise ShapeError(f"multilabel_margin_loss: needs scores and targets [N,C] or [C], got {shapes}")
    scores, classes = (one.expand_dims(0) if one.ndim == 1 else one for one in (input, target))
    counted = sum(cast(classes < 0, int64).cumsum(1) == 0, 1).expand_dims(1)
    listed = arange(classes.shape[1]) < counted  # [N, C]: which entries are classes
    numbers = maximum(cast(classes, int64), 0)
    own = sum(cast((numbers.expand_dims(2) == arange(scores.shape[1])) & listed.expand_dims(2), int64), 1) > 0
    apart = maximum(1 - gather_elements(scores, 1, numbers).expand_dims(2) + scores.expand_dims(1), 0)
    counts = listed.expand_dims(2) & ~own.expand_dims(1)
    losses = sum(where(counts, apart, 0.0), (1, 2)) / scores.shape[1]
    return reduced("multilabel_margin_loss", losses if input.ndim == 2 else losses[0], reduction)


def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """The mean over classes of the cross entropy of sigmoid(x) and the target, each by itself."""
    each = target * softplus(-input) + (1 - target) * softplus(input)
    each = each if weight is None else each * weight
    return reduced("multilabel_soft_margin_loss", mean(each, -1), reduction)
