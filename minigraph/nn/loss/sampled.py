"""The softmax loss over a sample of the classes, for many classes."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph import ops
from minigraph.core.errors import ArgTypeError, ArgValueError, DTypeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32, int64
from minigraph.nn.loss.loss import LossBase


class SampledSoftmaxLoss(LossBase):
    """Softmax cross-entropy of the true classes and ``num_sampled`` others (Jean et al. 2015, arXiv 1412.2007).

    Scores are products with the rows of ``weights`` plus ``biases``, minus the logarithm of the expected count of the
    class. ``sampled_values`` are (classes [num_sampled], counts [N, num_true] of the true and [num_sampled] of the
    sampled classes); by default ``ops.uniform_candidate_sampler`` draws unique classes at each call, with
    ``remove_accidental_hits`` no true ones if others are left. Raises ``ValueError`` for numbers out of range,
    ``TypeError`` for labels that are not Int32 or Int64.

    >>> loss = SampledSoftmaxLoss(1, 2)
    >>> print(loss(Tensor([[1.0], [2.0]]), Tensor([0.0, 0.0]), Tensor([0]), Tensor([[1.0]])))
    [1.3132616]
    """

    def __init__(
        self, num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: Sequence[Tensor] | None = None,
        remove_accidental_hits: bool = True, seed: int = 0, reduction: str = "none",
    ) -> None:  # fmt: skip
        super().__init__(reduction)
        if not 1 <= num_true <= num_classes:
            raise ArgValueError(
                "For 'SampledSoftmaxLoss', the 'num_true' must be greater than or equal to 1, and smaller than or "
                f"equal to 'num_classes', but got 'num_true': {num_true} and 'num_classes': {num_classes}."
            )
        if num_sampled > num_classes:
            raise ArgValueError(
                "For 'SampledSoftmaxLoss', the 'num_sampled' must be smaller than or equal to 'num_classes', but got "
                f"'num_sampled': {num_sampled} and 'num_classes': {num_classes}."
            )
        if seed < 0:
            raise ArgValueError(f"For 'SampledSoftmaxLoss', the 'seed' must be at least 0, but got {seed}.")
        if sampled_values is not None:
            _check_sampled(sampled_values)
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values, self.seed, self.remove_accidental_hits = sampled_values, seed, remove_accidental_hits

    def construct(self, weights: Tensor, biases: Tensor, labels: Tensor, logits: Tensor) -> Tensor:
        """The loss of features ``logits`` [N, D] and labels [N, num_true]: f32[N] unless it is reduced.

        ``weights`` are [num_classes, D], ``biases`` [num_classes].
        """
        if labels.dtype not in (int32, int64):
            raise DTypeError(f"SampledSoftmaxLoss: 'labels' must be Int32 or Int64, got {labels.type}; cast them")
        labels = labels.reshape(-1, self.num_true)
        sampled, true_count, sampled_count = self.sampled_values or ops.uniform_candidate_sampler(
            labels, self.num_true, self.num_sampled, True, self.num_classes, self.seed, self.remove_accidental_hits
        )
        true_scores = (weights[labels] * logits.expand_dims(1)).sum(-1) + biases[labels] - ops.log(true_count)
        others = ops.matmul(logits, weights[sampled].swapaxes(0, 1)) + biases[sampled] - ops.log(sampled_count)
        logs = ops.log_softmax(ops.concat((true_scores, others), 1), 1)
        return self.get_loss(-logs[:, : self.num_true].mean(1))


def _check_sampled(sampled_values: object) -> None:
    if not isinstance(sampled_values, list | tuple):
        raise ArgTypeError(
            "For 'SampledSoftmaxLoss', the type of 'sampled_values' must be a list or tuple, "
            f"but got {type(sampled_values).__name__}."
        )
    if len(sampled_values) != 3:
        raise ArgValueError(
            "For 'SampledSoftmaxLoss', the length of 'sampled_values' must be equal to 3, "
            f"but got {len(sampled_values)}."
        )
