"""Primitives of normalisation."""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import norms
from minigraph.operators.effects import ASSIGN
from minigraph.ops import functional as F
from minigraph.ops.operations.convolution import check_format
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["LRN", "BatchNorm", "L2Normalize", "LayerNorm", "Renorm", "RmsNorm"]


def _layer_norm(
    input_x: Tensor, gamma: Tensor, beta: Tensor, *, begin_norm_axis: int, begin_params_axis: int, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """(normalised over the axes from ``begin_norm_axis``, scaled and shifted; mean; variance)."""
    axes = tuple(range(begin_norm_axis % input_x.ndim, input_x.ndim))
    mean, variance = F.mean(input_x, axes, True), F.var(input_x, axes, 0, True)
    normalized = apply(norms.NORMALIZE, input_x, axis=axes, eps=epsilon)
    return normalized * gamma + beta, mean, variance


def _batch_norm(
    input_x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, *,
    is_training: bool, epsilon: float, momentum: float, data_format: str,
) -> tuple[Tensor, ...]:  # fmt: skip
    """(normalised per channel, mean, variance, and both again); when training by the statistics of the batch.

    Training updates the Parameters ``mean`` and ``variance`` as moving averages with ``momentum``.
    """
    check_format("BatchNorm", data_format)
    if not is_training:
        normalized = apply(norms.BATCH_NORM, input_x, scale, bias, mean, variance, eps=epsilon)
        return normalized, mean, variance, mean, variance
    normalized = apply(norms.BATCH_NORM_TRAIN, input_x, scale, bias, eps=epsilon)[0]
    axes = (0, *range(2, input_x.ndim))
    statistics = F.mean(input_x, axes), F.var(input_x, axes)
    count = input_x.size // input_x.shape[1]
    updates = statistics[0], statistics[1] * (count / max(count - 1, 1))
    for moving, new in zip((mean, variance), updates, strict=True):
        apply(ASSIGN, moving, moving * (1 - momentum) + new * momentum, name=getattr(moving, "name", "statistic"))
    return normalized, *statistics, *statistics


def _l2_normalize(x: Tensor, *, axis: int, epsilon: float) -> Tensor:
    """x / sqrt(max(sum(x²), epsilon)), the sum along an axis."""
    squares = F.sum(F.square(x), axis, True)
    return x / F.sqrt(F.maximum(squares, epsilon))


LayerNorm = primitive("LayerNorm", _layer_norm, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7)
BatchNorm = primitive(
    "BatchNorm", _batch_norm, is_training=False, epsilon=1e-5, momentum=0.1, data_format="NCHW"
)  # fmt: skip
L2Normalize = primitive("L2Normalize", _l2_normalize, axis=0, epsilon=1e-4)
RmsNorm = primitive("RmsNorm", F.rms_norm, epsilon=1e-6)
LRN = primitive(
    "LRN", F.lrn, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"
)  # fmt: skip


def _renorm(x: Tensor, *, p: int, dim: int, maxnorm: float) -> Tensor:
    """The slices along an axis scaled to a norm of at most ``maxnorm``."""
    return F.renorm(x, p, dim, maxnorm)


Renorm = primitive("Renorm", _renorm, p=REQUIRED, dim=REQUIRED, maxnorm=REQUIRED)
