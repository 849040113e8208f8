"""Normalisation of batches, layers, groups and local responses; limits on norms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import creation, norms
from minigraph.operators.families import normalize_axis
from minigraph.ops.functional.arithmetic import abs, square
from minigraph.ops.functional.elementary import rsqrt
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.norms import vector_norm
from minigraph.ops.functional.reduction import mean
from minigraph.ops.functional.shapes import reshape

FORMS = """
method: renorm
function: batch_norm group_norm layer_norm lrn rms_norm
"""
export(globals())


def layer_norm(
    input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Normalises the last axes, of ``normalized_shape``; then times weight, plus bias (default: 1 and 0)."""
    sizes = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    count = len(sizes)
    if input.shape[-count:] != sizes:
        raise ShapeError(f"layer_norm: the last axes of {input.type} are not of shape {list(sizes)}; pass their shape")
    if weight is None and bias is None:
        return apply(norms.NORMALIZE, input, axis=tuple(range(-count, 0)), eps=eps)
    shape = input.shape[-count:]
    gamma = apply(creation.FULL, shape=shape, value=1, dtype=input.dtype) if weight is None else weight
    beta = apply(creation.FULL, shape=shape, value=0, dtype=input.dtype) if bias is None else bias
    return apply(norms.LAYER_NORM, input, gamma, beta, axis=-count, eps=eps)


def batch_norm(
    input_x: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    weight: Tensor,
    bias: Tensor,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalises by the running statistics; when training, by the batch's (``momentum`` has no effect here)."""
    if training:
        return apply(norms.BATCH_NORM_TRAIN, input_x, weight, bias, eps=eps)[0]
    return apply(norms.BATCH_NORM, input_x, weight, bias, running_mean, running_var, eps=eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalises each of ``num_groups`` groups of channels ([N,C,...]) to mean 0, variance 1; then scales and shifts.

    >>> from minigraph import Tensor
    >>> print(group_norm(Tensor([[1.0, 3.0, 5.0, 9.0]]), 2).asnumpy().round(2))
    [[-1.  1. -1.  1.]]
    """
    if input.ndim < 2 or num_groups < 1 or input.shape[1] % num_groups:
        raise ShapeError(f"group_norm: axis 1 must be a multiple of {num_groups} groups, got shape {list(input.shape)}")
    shape = input.shape
    grouped = reshape(input, (shape[0], num_groups, shape[1] // num_groups, *shape[2:]))
    normalized = reshape(apply(norms.NORMALIZE, grouped, axis=tuple(range(2, len(shape) + 1)), eps=eps), shape)
    channels = (-1, *(1,) * (len(shape) - 2))
    normalized = normalized if weight is None else normalized * reshape(weight, channels)
    return normalized if bias is None else normalized + reshape(bias, channels)


def rms_norm(x: Tensor, gamma: Tensor, epsilon: float = 1e-6) -> tuple[Tensor, Tensor]:
    """(gamma x / sqrt(mean(x²) + epsilon) over the last axes, those of gamma; the reciprocal of that root)."""
    axes = tuple(range(-gamma.ndim, 0))
    if tuple(x.shape[x.ndim - gamma.ndim :]) != tuple(gamma.shape):
        raise ShapeError(f"rms_norm: the last axes of x must be {list(gamma.shape)}, got shape {list(x.shape)}")
    scale = rsqrt(mean(square(x), axes, True) + epsilon)
    return x * scale * gamma, scale


def lrn(
    x: Tensor,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Tensor:
    """x / (bias + alpha s)**beta, s the sum of squares of the channels up to ``depth_radius`` away ([N,C,H,W])."""
    if norm_region != "ACROSS_CHANNELS":
        raise UsageError(f"lrn: norm_region must be 'ACROSS_CHANNELS', got {norm_region!r}")
    if x.ndim != 4:
        raise ShapeError(f"lrn: needs images [N,C,H,W], got shape {list(x.shape)}")
    return x / (bias + alpha * sum_over_channels(square(x), depth_radius, depth_radius)) ** beta


def sum_over_channels(x: Tensor, before: int, after: int) -> Tensor:
    """The sums of ``x`` over windows of channels (axis 1), from ``before`` channels earlier to ``after`` later."""
    padded = apply("pad", x, widths=((0, 0), (before, after), *((0, 0),) * (x.ndim - 2)))
    sums: Any = 0
    for offset in range(before + after + 1):
        sums = padded[:, offset : offset + x.shape[1]] + sums
    return sums


def renorm(input: Tensor, p: float, axis: int, maxnorm: float) -> Tensor:
    """Scales slices along an axis whose norm is above ``maxnorm`` down to it.

    >>> from minigraph import Tensor
    >>> print(renorm(Tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0).asnumpy().round(3))
    [[0.6 0.8]
     [0.3 0.4]]
    """
    if p <= 0:
        raise UsageError(f"renorm: p must be positive, got {p}")
    first = normalize_axis("renorm", axis, input.ndim)
    axes = tuple(at for at in range(input.ndim) if at != first)
    exceeds = _norms(input, p, axes) > maxnorm
    lengths = _norms(where(exceeds, input, 1.0), p, axes)  # the norm of zeros has no gradient
    return input * where(exceeds, maxnorm / (lengths + 1e-7), 1.0)


def _norms(x: Tensor, p: float, axes: tuple[int, ...]) -> Tensor:
    return vector_norm(x, p, axes, True) if axes else abs(x)
