"""Losses that are one function of ``ops``, kept with its configuration."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.nn.loss.loss import LossBase


class SoftMarginLoss(LossBase):
    """log(1 + exp(-label x)), labels 1 and -1."""

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        return ops.soft_margin_loss(logits, labels, self.reduction)


class MultiMarginLoss(LossBase):
    """The mean over classes of max(0, margin - x[target] + x)**p, the target's own class left out."""

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Any = None) -> None:
        super().__init__(reduction)
        self.p, self.margin, self.weight = p, margin, weight

    def construct(self, x: Any, target: Any, weight: Any = None) -> Any:
        """The loss of scores [N, C] and classes [N]: f32[] unless the reduction is "none"."""
        own = self.weight if weight is None else weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, own, self.reduction)


class MultilabelMarginLoss(LossBase):
    """The sum of max(0, 1 - x[own] + x[other]) over own and other classes, divided by the number of classes."""

    def construct(self, x: Any, target: Any) -> Any:
        """The loss of scores and classes up to the first -1: f32[] unless the reduction is "none"."""
        return ops.multilabel_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """The mean over classes of the cross entropy of sigmoid(x) and the target, each by itself."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Any, target: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class TripletMarginLoss(LossBase):
    """max(0, the distance from what is alike - that from what is not + margin) (Balntas et al. 2016)."""

    def __init__(
        self, p: int = 2, swap: bool = False, eps: float = 1e-6, reduction: str = "mean", margin: float = 1.0
    ) -> None:
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = p, swap, eps, margin

    def construct(self, x: Any, positive: Any, negative: Any, margin: float = 1.0) -> Any:
        """The loss, with the margin of the layer unless another than 1 is given: f32[] unless reduction is "none"."""
        wide = self.margin if margin == 1.0 else margin
        return ops.triplet_margin_loss(x, positive, negative, wide, self.p, self.eps, self.swap, self.reduction)


class GaussianNLLLoss(LossBase):
    """The negative log likelihood of labels under normal distributions of given means and variances."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def construct(self, logits: Any, labels: Any, var: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class CTCLoss(LossBase):
    """The loss of sequences against shorter ones that are not aligned with them (Graves et al. 2006)."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def construct(self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any) -> Any:
        """The loss of [T, N, C] and classes [N, S]: f32[] unless the reduction is "none"."""
        ways = (self.blank, self.reduction, self.zero_infinity)
        return ops.ctc_loss(log_probs, targets, input_lengths, target_lengths, *ways)[0]
