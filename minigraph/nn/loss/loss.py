"""The base class of losses, and regression losses."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import TensorLike
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.nn.arguments import check_positive
from minigraph.nn.cell import Cell

REDUCTIONS = ("mean", "sum", "none")


class LossBase(Cell):
    """The base class of losses: ``reduction`` is "mean", "sum" or "none"; raises ``ValueError`` for others."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in REDUCTIONS:
            raise ArgValueError(
                f"For '{type(self).__name__}', the 'reduction' must be in {list(REDUCTIONS)}, but got {reduction}."
            )
        self.reduction = reduction

    def get_loss(self, x: Tensor, weights: TensorLike = 1.0) -> Tensor:
        """Elements ``x``, weighted and reduced."""
        x = x if isinstance(weights, float) and weights == 1.0 else x * weights
        if self.reduction == "none":
            return x
        return x.mean() if self.reduction == "mean" else x.sum()


def check_same_shape(caller: str, logits: Tensor, labels: Tensor) -> None:
    """Raises ``ShapeError`` unless labels have the shape of the logits, even if they could broadcast."""
    if logits.shape != labels.shape:
        raise ShapeError(
            f"{caller}: logits {logits.type} and labels {labels.type} differ in shape; reshape one of them"
        )


class MSELoss(LossBase):
    """Squared differences of logits and labels; shapes broadcast, dtypes are promoted.

    >>> from minigraph import Tensor
    >>> print(MSELoss()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])))
    2.5
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        difference = logits - labels
        return self.get_loss(difference * difference)


class RMSELoss(LossBase):
    """The square root of the mean of squared differences.

    >>> from minigraph import Tensor
    >>> print(RMSELoss()(Tensor([3.0, 5.0]), Tensor([0.0, 0.0])))
    4.1231055
    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        """The loss: f32[]."""
        return ops.sqrt(self.get_loss((logits - label) ** 2))


class L1Loss(LossBase):
    """Absolute differences of logits and labels; shapes broadcast, dtypes are promoted.

    >>> from minigraph import Tensor
    >>> print(L1Loss("sum")(Tensor([1.0, -2.0]), Tensor([0.0, 0.0])))
    3.0
    """

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        return self.get_loss((logits - labels).abs())


class MAELoss(LossBase):
    """An alias of ``L1Loss``: absolute differences.

    >>> from minigraph import Tensor
    >>> print(MAELoss()(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])))
    2.0
    """

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        return self.get_loss((logits - label).abs())


class SmoothL1Loss(LossBase):
    """d² / (2 beta) where the distance d is below ``beta``, else d - beta/2 (Girshick 2015, "Fast R-CNN", eq. 3).

    The reduction is "none" by default, as in MindSpore. Raises ``ValueError`` for a beta that is not positive.

    >>> from minigraph import Tensor
    >>> print(SmoothL1Loss()(Tensor([0.5, 3.0]), Tensor([0.0, 0.0])))
    [0.125 2.5  ]
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = check_positive("SmoothL1Loss", "beta", beta)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss; the operands are floats of one shape: f32[] unless the reduction is "none"."""
        check_same_shape("SmoothL1Loss", logits, labels)
        distance = (logits - labels).abs()
        quadratic = distance * distance * (0.5 / self.beta)
        return self.get_loss(ops.where(distance < self.beta, quadratic, distance - 0.5 * self.beta))


class HuberLoss(LossBase):
    """d²/2 where the distance d is at most ``delta``, else delta (d - delta/2) (Huber 1964).

    Raises ``ValueError`` for a delta that is not positive.

    >>> from minigraph import Tensor
    >>> print(HuberLoss("sum", 2.0)(Tensor([1.0, 3.0]), Tensor([0.0, 0.0])))
    4.5
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = check_positive("HuberLoss", "delta", delta)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss; the operands are floats of broadcastable shapes: f32[] unless the reduction is "none"."""
        distance = (logits - labels).abs()
        linear = self.delta * (distance - 0.5 * self.delta)
        return self.get_loss(ops.where(distance <= self.delta, 0.5 * distance * distance, linear))
