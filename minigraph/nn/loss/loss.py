"""Losses: MSELoss, L1Loss, CrossEntropyLoss."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.errors import ShapeError, ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.nn.cell import Cell

REDUCTIONS = ("mean", "sum", "none")


class LossBase(Cell):
    """The base of losses: ``reduction`` is "mean", "sum" or "none"; raises ``ValueError`` for others."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in REDUCTIONS:
            raise ValueArgument(
                f"For '{type(self).__name__}', the 'reduction' must be in {list(REDUCTIONS)}, but got {reduction}."
            )
        self.reduction = reduction

    def get_loss(self, x: Any, weights: Any = 1.0) -> Any:
        """Elements ``x``, weighted, then averaged, added up or left as they are."""
        x = x if isinstance(weights, float) and weights == 1.0 else x * weights
        if self.reduction == "none":
            return x
        return x.mean() if self.reduction == "mean" else x.sum()


class MSELoss(LossBase):
    """Squared differences of logits and labels; shapes broadcast, dtypes are promoted.

    >>> print(MSELoss()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])))
    2.5
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        difference = logits - labels
        return self.get_loss(difference * difference)


class L1Loss(LossBase):
    """Absolute differences of logits and labels; shapes broadcast, dtypes are promoted.

    >>> print(L1Loss("sum")(Tensor([1.0, -2.0]), Tensor([0.0, 0.0])))
    3.0
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        return self.get_loss((logits - labels).abs())


class CrossEntropyLoss(LossBase):
    """Minus the logarithm of the probability that softmax(logits) gives to the labels.

    Labels are Int32 (or other integer) classes [N, ...] for logits [N, C, ...], or [] for [C]; or probabilities of
    the logits' shape.
    ``weight`` f32[C] weighs the classes, class ``ignore_index`` counts for nothing, ``label_smoothing`` mixes
    in that share of the even distribution (Szegedy et al. 2016). Raises ``TypeError`` for other label dtypes.

    >>> import minigraph as ms
    >>> loss = CrossEntropyLoss()(Tensor([[0.0, 0.0]]), Tensor([1], ms.int32))
    >>> print(f"{loss.item():.4f}")
    0.6931
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        if not 0.0 <= label_smoothing <= 1.0:
            raise ValueArgument(
                "For 'CrossEntropyLoss', the 'label_smoothing' must be in range of [0.0, 1.0], "
                f"but got {label_smoothing} with type '{type(label_smoothing).__name__}'."
            )
        self.weight, self.ignore_index, self.label_smoothing = weight, ignore_index, float(label_smoothing)

    def construct(self, logits: Any, labels: Any) -> Any:
        """The loss: f32[] unless the reduction is "none"."""
        if len(logits.shape) == 1:
            loss = self.construct(logits.expand_dims(0), labels.expand_dims(0))
            return loss.squeeze(0) if self.reduction == "none" else loss
        return ops.cross_entropy(
            logits,
            labels,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


def check_same_shape(who: str, logits: Any, labels: Any) -> None:
    """Raise ``ShapeError`` for labels of another shape than the logits, though they might broadcast."""
    if logits.shape != labels.shape:
        raise ShapeError(f"{who}: logits {logits.type} and labels {labels.type} differ in shape; reshape one of them")
