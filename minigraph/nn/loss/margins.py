"""Further losses: of logits as one operator has them, of margins, angles and counts."""

from __future__ import annotations

import math
from typing import Any

from minigraph import ops
from minigraph.core.errors import DTypeError
from minigraph.nn.arguments import flag, positive_float
from minigraph.nn.loss.loss import LossBase, check_same_shape

LEAST_LENGTH = 1e-8  # of a vector, squared and of two multiplied, where an angle is asked for


class SoftmaxCrossEntropyWithLogits(LossBase):
    """``CrossEntropyLoss`` of logits [N, C] without averaging by default.

    Labels are Int32 classes [N] when ``sparse``, else probabilities [N, C], such as one-hot rows. Raises
    ``TypeError`` for labels of the other kind.

    >>> from minigraph import Tensor
    >>> print(SoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([[0.0, 1.0]])))
    [0.6931472]
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = flag("SoftmaxCrossEntropyWithLogits", "sparse", sparse)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        if labels.dtype.is_float == self.sparse:
            wanted = "class numbers" if self.sparse else "probabilities"
            raise DTypeError(
                f"SoftmaxCrossEntropyWithLogits: sparse={self.sparse} needs {wanted}, got labels {labels.type}; "
                f"give sparse={not self.sparse}"
            )
        if not self.sparse:
            check_same_shape("SoftmaxCrossEntropyWithLogits", logits, labels)
        return ops.cross_entropy(logits, labels, reduction=self.reduction)


class MarginLoss(LossBase):
    """The base of losses with a ``margin``."""

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

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        return self.get_loss(ops.where(labels > 0, logits, ops.relu(self.margin - logits)))


class MAELoss(LossBase):
    """``L1Loss`` under its other name: absolute differences.

    >>> from minigraph import Tensor
    >>> print(MAELoss()(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])))
    2.0
    """

    def construct(self, logits: Any, label: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        return self.get_loss((logits - label).abs())


class RMSELoss(LossBase):
    """The square root of the mean of squared differences.

    >>> from minigraph import Tensor
    >>> print(RMSELoss()(Tensor([3.0, 5.0]), Tensor([0.0, 0.0])))
    4.1231055
    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Any, label: Any) -> Any:
        """The loss: f32[]."""
        return ops.sqrt(self.get_loss((logits - label) ** 2))


class MarginRankingLoss(MarginLoss):
    """max(0, margin - y (a - b)): nothing where the label y says by its sign which is larger, by the margin at least.

    >>> from minigraph import Tensor
    >>> print(MarginRankingLoss(0.5)(Tensor([1.0]), Tensor([2.0]), Tensor([1.0])))
    1.5
    """

    def construct(self, input1: Any, input2: Any, target: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        return self.get_loss(ops.relu(self.margin - target * (input1 - input2)))


class CosineEmbeddingLoss(MarginLoss):
    """1 - cos of the angle between two rows where the label is 1, max(0, cos - margin) where it is -1.

    >>> from minigraph import Tensor
    >>> print(CosineEmbeddingLoss()(Tensor([[1.0, 0.0]]), Tensor([[0.0, 2.0]]), Tensor([1])))
    1.0
    """

    def construct(self, logits_x1: Any, logits_x2: Any, labels: Any) -> Any:
        """The loss of rows [N, D] and labels [N]: f32[] unless the reduction is "none"."""
        check_same_shape("CosineEmbeddingLoss", logits_x1, logits_x2)
        lengths = ops.sqrt((_square(logits_x1) + LEAST_LENGTH) * (_square(logits_x2) + LEAST_LENGTH))
        cosine = (logits_x1 * logits_x2).sum(1) / lengths
        return self.get_loss(ops.where(labels > 0, 1.0 - cosine, ops.relu(cosine - self.margin)))


class PoissonNLLLoss(LossBase):
    """exp(x) - y x: the negative log-likelihood of counts y whose mean has the logarithm x.

    Without ``log_input`` x is the mean itself, x - y log(x + eps). ``full`` adds Stirling's approximation of
    log(y!) for y above 1. Raises ``ValueError`` for an eps that is not positive.

    >>> from minigraph import Tensor
    >>> print(PoissonNLLLoss()(Tensor([0.0]), Tensor([3.0])))
    1.0
    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input = flag("PoissonNLLLoss", "log_input", log_input)
        self.full = flag("PoissonNLLLoss", "full", full)
        self.eps = positive_float("PoissonNLLLoss", "eps", eps)

    def construct(self, input: Any, target: Any) -> Any:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        losses = ops.exp(input) - target * input if self.log_input else input - target * ops.log(input + self.eps)
        if self.full:
            many = ops.maximum(target, 1.0)
            stirling = many * ops.log(many) - many + 0.5 * ops.log(2.0 * math.pi * many)
            losses = losses + ops.where(target > 1.0, stirling, 0.0)
        return self.get_loss(losses)


def _square(rows: Any) -> Any:
    return (rows * rows).sum(1)
