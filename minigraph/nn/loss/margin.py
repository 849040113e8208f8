"""Margin losses: ranking, embedding and multi-class hinge losses."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import TensorLike
from minigraph.core.tensor import Tensor
from minigraph.nn.loss.loss import LossBase, check_same_shape

MIN_SQUARED_LENGTH = 1e-8  # added to the squared lengths of vectors, so that the cosine is finite


class MarginLoss(LossBase):
    """The base class of losses with a ``margin``."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = float(margin)


class HingeEmbeddingLoss(MarginLoss):
    """A distance x where the label is 1, max(0, margin - x) where it is -1.

    >>> from minigraph import Tensor
    >>> print(HingeEmbeddingLoss(reduction="none")(Tensor([0.25, 0.25]), Tensor([1.0, -1.0])))
    [0.25 0.75]
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(margin, reduction)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        return self.get_loss(ops.where(labels > 0, logits, ops.relu(self.margin - logits)))


class MarginRankingLoss(MarginLoss):
    """max(0, margin - y (a - b)): 0 if the sign of y selects the larger input by at least the margin.

    >>> from minigraph import Tensor
    >>> print(MarginRankingLoss(0.5)(Tensor([1.0]), Tensor([2.0]), Tensor([1.0])))
    1.5
    """

    def construct(self, input1: Tensor, input2: TensorLike, target: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        return self.get_loss(ops.relu(self.margin - target * (input1 - input2)))


class CosineEmbeddingLoss(MarginLoss):
    """1 - cos of the angle between two rows where the label is 1, max(0, cos - margin) where it is -1.

    >>> from minigraph import Tensor
    >>> print(CosineEmbeddingLoss()(Tensor([[1.0, 0.0]]), Tensor([[0.0, 2.0]]), Tensor([1])))
    1.0
    """

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Tensor:
        """The loss of rows [N, D] and labels [N]: f32[] unless the reduction is "none"."""
        check_same_shape("CosineEmbeddingLoss", logits_x1, logits_x2)
        lengths = ops.sqrt((_square(logits_x1) + MIN_SQUARED_LENGTH) * (_square(logits_x2) + MIN_SQUARED_LENGTH))
        cosine = (logits_x1 * logits_x2).sum(1) / lengths
        return self.get_loss(ops.where(labels > 0, 1.0 - cosine, ops.relu(cosine - self.margin)))


def _square(rows: Tensor) -> Tensor:
    return (rows * rows).sum(1)


class TripletMarginLoss(LossBase):
    """max(0, distance to the positive - distance to the negative + margin) (Balntas et al. 2016)."""

    def __init__(
        self, p: int = 2, swap: bool = False, eps: float = 1e-6, reduction: str = "mean", margin: float = 1.0
    ) -> None:
        super().__init__(reduction)
        self.p, self.swap, self.eps, self.margin = p, swap, eps, margin

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0) -> Tensor:
        """The loss, with the margin of the layer unless another than 1 is passed: f32[] unless reduction is "none"."""
        width = self.margin if margin == 1.0 else margin
        return ops.triplet_margin_loss(x, positive, negative, width, self.p, self.eps, self.swap, self.reduction)


class SoftMarginLoss(LossBase):
    """log(1 + exp(-label x)), labels 1 and -1."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        return ops.soft_margin_loss(logits, labels, self.reduction)


class MultiMarginLoss(LossBase):
    """The mean over classes of max(0, margin - x[target] + x)**p, without the target's own class."""

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        self.p, self.margin, self.weight = p, margin, weight

    def construct(self, x: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
        """The loss of scores [N, C] and classes [N]: f32[] unless the reduction is "none"."""
        weights = self.weight if weight is None else weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weights, self.reduction)


class MultilabelMarginLoss(LossBase):
    """The sum of max(0, 1 - x[target] + x[other]) over target and other classes, divided by the number of classes."""

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        """The loss of scores and classes up to the first -1: f32[] unless the reduction is "none"."""
        return ops.multilabel_margin_loss(x, target, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """The mean over classes of the binary cross entropy of sigmoid(x) and the target."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)
