"""Losses of distance that large errors do not rule: SmoothL1Loss, HuberLoss."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.nn.arguments import positive
from minigraph.nn.loss.loss import LossBase, check_same_shape


class SmoothL1Loss(LossBase):
    """d² / (2 beta) where the distance d is below ``beta``, else d - beta/2 (Girshick 2015, "Fast R-CNN", eq. 3).

    The reduction is "none" by default, as in MindSpore. Raises ``ValueError`` for a beta that is not positive.

    >>> from minigraph import Tensor
    >>> print(SmoothL1Loss()(Tensor([0.5, 3.0]), Tensor([0.0, 0.0])))
    [0.125 2.5  ]
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = positive("SmoothL1Loss", "beta", beta)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        check_same_shape("SmoothL1Loss", logits, labels)
        distance = (logits - labels).abs()
        near = distance * distance * (0.5 / self.beta)
        return self.get_loss(ops.where(distance < self.beta, near, distance - 0.5 * self.beta))


class HuberLoss(LossBase):
    """d²/2 where the distance d is at most ``delta``, else delta (d - delta/2) (Huber 1964).

    Raises ``ValueError`` for a delta that is not positive.

    >>> from minigraph import Tensor
    >>> print(HuberLoss("sum", 2.0)(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])))
    4.5
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = positive("HuberLoss", "delta", delta)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss of floats of equal shape or such as broadcast: f32[] unless the reduction is "none"."""
        distance = (logits - labels).abs()
        far = self.delta * (distance - 0.5 * self.delta)
        return self.get_loss(ops.where(distance <= self.delta, 0.5 * distance * distance, far))
