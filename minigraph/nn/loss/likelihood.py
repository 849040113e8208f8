"""Negative log-likelihoods: of classes, probabilities, counts, normal distributions and unaligned sequences."""

from __future__ import annotations

import math

import numpy as np

from minigraph import ops
from minigraph.capture.trace import is_tracing
from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import ArgValueError, DTypeError, RangeError, ShapeError
from minigraph.core.float_limits import float_limits
from minigraph.core.tensor import Tensor
from minigraph.nn.arguments import check_bool, check_positive_float
from minigraph.nn.loss.loss import LossBase, check_same_shape

MIN_PROBABILITY = 1e-12  # lower bound in logarithms; for float16 its smallest normal number

# ---- classes ---------------------------------------------------------------------------------------


class CrossEntropyLoss(LossBase):
    """The negative log-probability of the labels under softmax(logits).

    Labels are Int32 (or other integer) classes [N, ...] for logits [N, C, ...], or [] for [C]; or probabilities of the
    logits' shape. ``weight`` f32[C] weights the classes, class ``ignore_index`` is ignored, ``label_smoothing`` mixes
    in that share of the uniform distribution (Szegedy et al. 2016). Raises ``TypeError`` for other label dtypes.

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
            raise ArgValueError(
                "For 'CrossEntropyLoss', the 'label_smoothing' must be in range of [0.0, 1.0], "
                f"but got {label_smoothing} with type '{type(label_smoothing).__name__}'."
            )
        self.weight, self.ignore_index, self.label_smoothing = weight, ignore_index, float(label_smoothing)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
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


class SoftmaxCrossEntropyWithLogits(LossBase):
    """``CrossEntropyLoss`` of logits [N, C], unreduced by default.

    Labels are Int32 classes [N] if ``sparse``, else probabilities [N, C], such as one-hot rows. Raises ``TypeError``
    for labels of the other form.

    >>> from minigraph import Tensor
    >>> print(SoftmaxCrossEntropyWithLogits()(Tensor([[0.0, 0.0]]), Tensor([[0.0, 1.0]])))
    [0.6931472]
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = check_bool("SoftmaxCrossEntropyWithLogits", "sparse", sparse)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        if labels.dtype.is_float == self.sparse:
            expected = "class indices" if self.sparse else "probabilities"
            raise DTypeError(
                f"SoftmaxCrossEntropyWithLogits: sparse={self.sparse} needs {expected}, got labels {labels.type}; "
                f"pass sparse={not self.sparse}"
            )
        if not self.sparse:
            check_same_shape("SoftmaxCrossEntropyWithLogits", logits, labels)
        return ops.cross_entropy(logits, labels, reduction=self.reduction)


class NLLLoss(LossBase):
    """The negative log-probability of the label, of logits [N, C, ...] and integer labels [N, ...].

    ``weight`` f32[C] weights the classes, and "mean" divides by the weights of the labels; labels equal to
    ``ignore_index`` are ignored. Raises ``IndexError`` for labels that are not a class.

    >>> import minigraph as ms
    >>> print(NLLLoss()(Tensor([[-1.0, -2.0], [-3.0, -4.0]]), Tensor([0, 1], ms.int32)))
    2.5
    """

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        shape = logits.shape
        if len(shape) < 2 or labels.shape != (shape[0], *shape[2:]):
            raise ShapeError(
                f"NLLLoss: labels of shape {list(labels.shape)} for logits {list(shape)}; pass one label per row"
            )
        classes, flat = shape[1], labels.reshape(-1)
        mask = flat != self.ignore_index
        if not is_tracing():
            self._check_labels(flat.asnumpy(), classes)
        # in a graph a negative label would index from the end; mapped to the class after the last it is out of range
        indices = ops.where(mask, ops.where(flat < 0, classes, flat), 0)
        rows = logits.reshape(shape[0], classes, -1).swapaxes(1, 2).reshape(-1, classes)
        weights = mask.astype(logits.dtype) if self.weight is None else ops.where(mask, self.weight[indices], 0.0)
        losses = -rows[ops.arange(len(rows)), indices] * weights
        if self.reduction == "mean":
            return losses.sum() / weights.sum()
        return losses.sum() if self.reduction == "sum" else losses.reshape(labels.shape)

    def _check_labels(self, labels: np.ndarray, classes: int) -> None:
        """Raises ``IndexError`` that names the first label that is not a class."""
        invalid = labels[(labels != self.ignore_index) & ((labels < 0) | (labels >= classes))]
        if invalid.size:
            raise RangeError(f"NLLLoss: label {invalid[0]} for {classes} classes; labels are 0 to {classes - 1}")


# ---- probabilities ---------------------------------------------------------------------------------


class BCELoss(LossBase):
    """-(y log p + (1 - y) log(1 - p)) of probabilities p and labels y between 0 and 1, times ``weight``.

    Arguments of logarithms are at least 1e-12: a certain but wrong prediction costs 27.6, not infinity.

    >>> print(BCELoss()(Tensor([0.5, 0.5]), Tensor([1.0, 0.0])))
    0.6931472
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        check_same_shape("BCELoss", logits, labels)
        minimum = max(MIN_PROBABILITY, float_limits(logits.dtype.numpy).tiny)
        log_p, log_q = (ops.log(ops.maximum(p, minimum)) for p in (logits, 1.0 - logits))
        return self.get_loss(-(labels * log_p + (1.0 - labels) * log_q), 1.0 if self.weight is None else self.weight)


class BCEWithLogitsLoss(LossBase):
    """``BCELoss`` of p = sigmoid(x), computed from x without overflow or cancellation.

    pos_weight y softplus(-x) + (1 - y) softplus(x), times ``weight``; ``pos_weight`` broadcasts and weights the
    positive labels.

    >>> print(BCEWithLogitsLoss()(Tensor([0.0, 1000.0]), Tensor([1.0, 1.0])))
    0.3465736
    """

    def __init__(self, reduction: str = "mean", weight: Tensor | None = None, pos_weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        check_same_shape("BCEWithLogitsLoss", input, target)
        positive = target if self.pos_weight is None else target * self.pos_weight
        losses = positive * ops.softplus(-input) + (1.0 - target) * ops.softplus(input)
        return self.get_loss(losses, 1.0 if self.weight is None else self.weight)


class KLDivLoss(LossBase):
    """y (log y - x): the divergence of probabilities y from those whose logarithms are x (Kullback & Leibler 1951).

    It is 0 where y is 0. The reduction "batchmean" divides the sum by the size of axis 0, which is the mathematical
    mean; "mean" divides by the number of elements.

    >>> print(KLDivLoss("sum")(Tensor([-1.0, -1.0]), Tensor([1.0, 0.0])))
    1.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("sum" if reduction == "batchmean" else reduction)
        self.by_batch = reduction == "batchmean"

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        check_same_shape("KLDivLoss", logits, labels)
        positive = labels > 0
        logs = ops.log(ops.where(positive, labels, 1.0))
        loss = self.get_loss(ops.where(positive, labels * (logs - logits), 0.0))
        return loss / logits.shape[0] if self.by_batch else loss


# ---- counts, normal distributions and sequences ----------------------------------------------------


class PoissonNLLLoss(LossBase):
    """exp(x) - y x: the negative log-likelihood of counts y with the log of the mean x.

    Without ``log_input`` x is the mean itself: x - y log(x + eps). ``full`` adds Stirling's approximation of log(y!)
    for y above 1. Raises ``ValueError`` for an eps that is not positive.

    >>> from minigraph import Tensor
    >>> print(PoissonNLLLoss()(Tensor([0.0]), Tensor([3.0])))
    1.0
    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input = check_bool("PoissonNLLLoss", "log_input", log_input)
        self.full = check_bool("PoissonNLLLoss", "full", full)
        self.eps = check_positive_float("PoissonNLLLoss", "eps", eps)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of floats of one shape: f32[] unless the reduction is "none"."""
        losses = ops.exp(input) - target * input if self.log_input else input - target * ops.log(input + self.eps)
        if self.full:
            counts = ops.maximum(target, 1.0)
            stirling = counts * ops.log(counts) - counts + 0.5 * ops.log(2.0 * math.pi * counts)
            losses = losses + ops.where(target > 1.0, stirling, 0.0)
        return self.get_loss(losses)


class GaussianNLLLoss(LossBase):
    """The negative log-likelihood of labels under normal distributions with given means and variances."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full, self.eps = full, eps

    def construct(self, logits: Tensor, labels: Tensor, var: Tensor) -> Tensor:
        """The loss: f32[] unless the reduction is "none"."""
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class CTCLoss(LossBase):
    """The connectionist temporal classification loss of unaligned sequences (Graves et al. 2006)."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def construct(
        self, log_probs: Tensor, targets: Tensor, input_lengths: ArrayLike, target_lengths: ArrayLike
    ) -> Tensor:
        """The loss of [T, N, C] and classes [N, S]: f32[] unless the reduction is "none"."""
        options = (self.blank, self.reduction, self.zero_infinity)
        return ops.ctc_loss(log_probs, targets, input_lengths, target_lengths, *options)[0]
