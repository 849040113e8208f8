"""Losses of segmentation: the overlap of masks, and classes weighted by how hard they are."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.errors import ArgTypeError, ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.nn.arguments import check_type
from minigraph.nn.cell import Cell
from minigraph.nn.layer import get_activation
from minigraph.nn.loss.loss import LossBase


class DiceLoss(LossBase):
    """1 - 2 sum(x y) / (sum(x²) + sum(y²) + smooth), for predictions x and masks y (Milletari et al. 2016).

    Raises ``ValueError`` for different shapes.

    >>> print(DiceLoss(smooth=0.0)(Tensor([1.0, 0.0]), Tensor([1.0, 1.0])))
    0.3333333
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = check_type("", "smooth", smooth, float)

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        """The loss: f32[]."""
        if logits.shape != label.shape:
            raise ShapeError(
                f"For 'DiceLoss', the 'logits_shape' should be = label_shape: {label.shape}, but got {logits.shape}."
            )
        return 1 - 2 * (logits * label).sum() / ((logits * logits).sum() + (label * label).sum() + self.smooth)


class MultiClassDiceLoss(LossBase):
    """The mean over classes of ``DiceLoss`` of predictions and masks [N, C, ...], each times its ``weights`` [C, 1].

    ``activation`` is applied to the predictions; class ``ignore_indiex`` (MindSpore's spelling) counts as 0. Raises
    ``TypeError`` for weights that are no Tensor.
    """

    def __init__(
        self, weights: Tensor | None = None, ignore_indiex: int | None = None, activation: str | Cell = "softmax"
    ) -> None:
        super().__init__()
        if weights is not None and not isinstance(weights, Tensor):
            raise ArgTypeError(f"The type of 'weights' should be 'Tensor', but got type '{type(weights).__name__}'.")
        self.binarydiceloss = DiceLoss(smooth=1e-5)
        self.weights, self.ignore_indiex = weights, ignore_indiex
        self.activation: Any = get_activation(activation)
        self.by_class = activation == "softmax"

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        """The loss: f32[], or f32[1] with weights."""
        predicted = ops.softmax(logits, 1) if self.by_class else self.activation(logits)
        total: Any = 0
        for i in range(label.shape[1]):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(predicted[:, i], label[:, i])
                total += loss if self.weights is None else loss * self.weights[i]
        mean: Tensor = total / label.shape[1]
        return mean


class FocalLoss(LossBase):
    """The negative log-probability of the class, times (1 - p)^gamma (Lin et al. 2017, arXiv 1708.02002).

    For logits [N, C, ...] and classes [N, 1, ...], or a mask of the logits' shape; ``weight`` f32[C] weights the
    classes. Raises ``TypeError`` for a weight that is no Tensor, ``ValueError`` for other shapes of labels.

    >>> import minigraph as ms
    >>> print(FocalLoss(gamma=0.0)(Tensor([[0.0, 0.0]]), Tensor([[1]], ms.int32)))
    0.6931472
    """

    def __init__(self, weight: Tensor | None = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        if weight is not None and not isinstance(weight, Tensor):
            raise ArgTypeError(
                f"For 'FocalLoss', the type of 'weight' must be a Tensor, but got {type(weight).__name__}."
            )
        self.weight, self.gamma = weight, check_type("FocalLoss", "gamma", gamma, float)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none", then one number per picture, or per class of masks."""
        count, classes = logits.shape[:2]
        if labels.ndim != logits.ndim or labels.shape[1] not in (1, classes):
            raise ArgValueError(
                f"For 'FocalLoss', labels of shape {labels.shape} do not fit logits {logits.shape}; "
                "pass classes [N, 1, ...] or masks [N, C, ...]"
            )
        logs = ops.log_softmax(logits.reshape(count, classes, -1), 1)
        flat = labels.reshape(count, labels.shape[1], -1)
        weighted = logs if self.weight is None else logs * self.weight.reshape(1, classes, 1)
        if labels.shape[1] == 1:
            logs, weighted = (ops.gather_elements(x, 1, flat).squeeze(1) for x in (logs, weighted))
        losses = -((1 - ops.exp(logs)) ** self.gamma) * weighted
        return self.get_loss((losses if labels.shape[1] == 1 else losses * flat).mean(-1))
