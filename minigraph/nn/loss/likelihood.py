"""Losses of probabilities: BCELoss, BCEWithLogitsLoss, NLLLoss, KLDivLoss."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph import ops
from minigraph.core.errors import ShapeError
from minigraph.core.tensor import Tensor
from minigraph.nn.loss.loss import LossBase, check_same_shape

LEAST = 1e-12  # logarithms are taken of no less; of float16 its smallest normal number


class BCELoss(LossBase):
    """-(y log p + (1 - y) log(1 - p)) of probabilities p and labels y between 0 and 1, times ``weight``.

    Logarithms are taken of at least 1e-12, so that certain mistakes cost 27.6 and not infinity.

    >>> print(BCELoss()(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])))
    0.6931472
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        check_same_shape("BCELoss", logits, labels)
        least = max(LEAST, float(np.finfo(logits.dtype.numpy).tiny))
        yes, no = (ops.log(ops.maximum(p, least)) for p in (logits, 1.0 - logits))
        return self.get_loss(-(labels * yes + (1.0 - labels) * no), 1.0 if self.weight is None else self.weight)


class BCEWithLogitsLoss(LossBase):
    """``BCELoss`` of p = sigmoid(x), computed from x without overflow or cancellation.

    pos_weight y softplus(-x) + (1 - y) softplus(x), times ``weight``; ``pos_weight`` broadcasts and counts the
    positive labels that often.

    >>> print(BCEWithLogitsLoss()(Tensor([0.0, 1000.0]), Tensor([1.0, 1.0])))
    0.3465736
    """

    def __init__(self, reduction: str = "mean", weight: Tensor | None = None, pos_weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, input: Any, target: Any) -> Any:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        check_same_shape("BCEWithLogitsLoss", input, target)
        positive = target if self.pos_weight is None else target * self.pos_weight
        losses = positive * ops.softplus(-input) + (1.0 - target) * ops.softplus(input)
        return self.get_loss(losses, 1.0 if self.weight is None else self.weight)


class NLLLoss(LossBase):
    """Minus the log-probability of the label: of logits [N, C, ...] and integer labels [N, ...].

    ``weight`` f32[C] weighs the classes, and "mean" divides by the weights of the labels there are; labels equal
    to ``ignore_index`` count for nothing. Raises ``IndexError`` for labels that are no class.

    >>> import minigraph as ms
    >>> print(NLLLoss()(Tensor([[-1.0, -2.0], [-3.0, -4.0]]), Tensor([0, 1], ms.int32)))
    2.5
    """

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        shape = logits.shape
        if len(shape) < 2 or labels.shape != (shape[0], *shape[2:]):
            raise ShapeError(
                f"NLLLoss: labels of shape {list(labels.shape)} for logits {list(shape)}; give one label per row"
            )
        classes, flat = shape[1], labels.reshape(-1)
        counted = flat != self.ignore_index
        # A negative label would count from the end; as the class after the last it is out of range.
        chosen = ops.where(counted, ops.where(flat < 0, classes, flat), 0)
        rows = logits.reshape(shape[0], classes, -1).swapaxes(1, 2).reshape(-1, classes)
        weights = counted.astype(logits.dtype) if self.weight is None else ops.where(counted, self.weight[chosen], 0.0)
        losses = -rows[ops.arange(len(rows)), chosen] * weights
        if self.reduction == "mean":
            return losses.sum() / weights.sum()
        return losses.sum() if self.reduction == "sum" else losses.reshape(labels.shape)


class KLDivLoss(LossBase):
    """y (log y - x): the divergence of probabilities y from those whose logarithms are x (Kullback & Leibler 1951).

    Where y is 0 it is 0. The reduction "batchmean" adds up and divides by the size of axis 0, which is the
    mathematical mean; "mean" divides by the number of elements.

    >>> print(KLDivLoss("sum")(Tensor([-1.0, -1.0]), Tensor([1.0, 0.0])))
    1.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.by_batch = reduction == "batchmean"

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        check_same_shape("KLDivLoss", logits, labels)
        some = labels > 0
        logs = ops.log(ops.where(some, labels, 1.0))
        loss = self.get_loss(ops.where(some, labels * (logs - logits), 0.0))
        return loss / logits.shape[0] if self.by_batch else loss
