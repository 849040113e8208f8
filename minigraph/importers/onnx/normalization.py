"""ONNX's normalisation, softmax and dropout, with our operators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph import ops
from minigraph.core.errors import ModelError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32
from minigraph.importers.onnx.elementwise import cast, number_like, select
from minigraph.importers.onnx.pooling import spatial_axes
from minigraph.importers.onnx.shapes import flatten
from minigraph.importers.operator_table import Converter, Converters, DeferredResult, KnownValue, node_axis
from minigraph.importers.weights import constant
from minigraph.ops.functional.normalization import sum_over_channels

T = Tensor


def per_channel(x: T, v: T) -> T:
    """A vector over axis 1, shaped to broadcast against ``x``."""
    return apply("reshape", v, shape=(-1, *(1,) * (x.ndim - 2)))


def batch_norm(
    x: T, scale: T, bias: T, mean: T, var: T, *, epsilon: float = 1e-5, momentum: float = 0.9, training_mode: int = 0,
) -> tuple[T, ...]:  # fmt: skip
    """Batch normalisation with given statistics, or with the batch's, which are then results as well."""
    if not training_mode:
        return (cast(apply("batch_norm", x, scale, bias, mean, var, eps=epsilon), x.dtype),)
    out, batch_mean, variance = apply("batch_norm_train", x, scale, bias, eps=epsilon)
    return out, mean * momentum + batch_mean * (1 - momentum), var * momentum + variance * (1 - momentum)


def layer_norm(
    x: T, scale: T, bias: T | None = None, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> tuple[T, ...]:
    """Layer normalisation; also the mean and the inverse standard deviation."""
    axis = node_axis(axis, x.ndim)
    axes = tuple(range(axis, x.ndim))
    promoted = cast(x, float32) if stash_type == 1 and x.dtype.itemsize < 4 else x
    if bias is not None and scale.shape == bias.shape == x.shape[axis:]:
        out = apply("layer_norm", x, scale, bias, axis=axis, eps=epsilon)
    else:
        out = cast(apply("normalize", promoted, axis=axes, eps=epsilon), x.dtype) * scale
        out = out if bias is None else out + bias
    mean = DeferredResult(lambda: apply("mean", promoted, axis=axes, keepdims=True))
    deviation = DeferredResult(lambda: _inverse_deviation(promoted, axes, epsilon))
    return out, mean, deviation  # type: ignore[return-value]


def _inverse_deviation(x: T, axes: tuple[int, ...], eps: float) -> T:
    centered = x - apply("mean", x, axis=axes, keepdims=True)
    return 1 / apply("sqrt", apply("mean", centered * centered, axis=axes, keepdims=True) + eps)


def local_response_norm(x: T, size: int, alpha: float, beta: float, bias: float) -> T:
    """Elements divided by a power of the sum of squares over neighbouring channels."""
    channels = x.shape[1]
    size, alpha = (
        min(size, 2 * channels + 1),
        alpha * min(size, 2 * channels + 1) / size,
    )  # a wider window covers no more channels
    before = (size - 1) // 2
    total = sum_over_channels(x * x, before, size - 1 - before)
    return x / apply("pow", total * (alpha / size) + bias, beta)


def lp_norm(x: T, axis: int, p: int) -> T:
    """Elements divided by the p-norm along an axis; zero where that is zero."""
    size = apply("abs", x) if p == 1 else x * x
    total = apply("sum", size, axis=(node_axis(axis, x.ndim),), keepdims=True)
    norm = total if p == 1 else apply("sqrt", total)
    return x / select(norm == 0, number_like(norm, 1), norm)


def softmax_along(name: str, x: T, axis: int, flat: bool) -> T:
    """Softmax or log-softmax along an axis; before opset 13, over all axes from it on, merged."""
    if not flat:
        return apply(name, x, axis=axis)
    return apply("reshape", apply(name, flatten(x, axis), axis=-1), shape=x.shape)


def hardmax(x: T, axis: int, flat: bool) -> T:
    """1 at the first maximum along an axis, 0 elsewhere."""
    if flat:
        return apply("reshape", hardmax(flatten(x, axis), -1, False), shape=x.shape)
    best = apply("argmax", x, axis=node_axis(axis, x.ndim))
    return apply("one_hot", best, depth=x.shape[axis], axis=node_axis(axis, x.ndim), dtype=x.dtype)


def mean_variance(x: T, axes: Sequence[int]) -> T:
    """(x - mean) / (standard deviation + 1e-9) over axes."""
    centered = x - apply("mean", x, axis=tuple(axes), keepdims=True)
    return centered / (apply("sqrt", apply("mean", centered * centered, axis=tuple(axes), keepdims=True)) + 1e-9)


def dropout(x: T, ratio: KnownValue, training: object) -> tuple[T, ...]:
    """The operand itself and a mask of ones: dropout applies in training only, and a file is for inference."""
    if training is not None and bool(training) and (ratio is None or float(ratio) > 0):
        raise ModelError("dropout in training mode is random; export the model for inference")
    return x, constant(np.ones(x.shape, bool))


CONVERTERS: Converters = {
    "BatchNormalization": Converter(batch_norm, untrained="mean var"),
    "InstanceNormalization": lambda x, scale, bias, *, epsilon=1e-5: apply(
        "normalize", x, axis=spatial_axes(x), eps=epsilon) * per_channel(x, scale) + per_channel(x, bias),
    "LayerNormalization": layer_norm,
    "GroupNormalization@21": lambda x, scale, bias, *, epsilon=1e-5, num_groups, stash_type=1: ops.group_norm(
        x, num_groups, scale, bias, epsilon),
    "LRN": lambda x, *, size, alpha=1e-4, beta=0.75, bias=1.0: local_response_norm(x, size, alpha, beta, bias),
    "LpNormalization": lambda x, *, axis=-1, p=2: lp_norm(x, axis, p),
    "MeanVarianceNormalization": lambda x, *, axes=(0, 2, 3): mean_variance(x, axes),
    "Softmax": lambda x, *, axis=1: softmax_along("softmax", x, axis, flat=True),
    "Softmax@13": lambda x, *, axis=-1: softmax_along("softmax", x, axis, flat=False),
    "LogSoftmax": lambda x, *, axis=1: softmax_along("log_softmax", x, axis, flat=True),
    "LogSoftmax@13": lambda x, *, axis=-1: softmax_along("log_softmax", x, axis, flat=False),
    "Hardmax": lambda x, *, axis=1: hardmax(x, axis, flat=True),
    "Hardmax@13": lambda x, *, axis=-1: hardmax(x, axis, flat=False),
    "Dropout": lambda x, *, ratio=0.5: dropout(x, ratio, None),
    "Dropout@12": Converter(lambda x, ratio=None, training_mode=None, *, seed=0: dropout(x, ratio, training_mode),
                            known="ratio training_mode"),
}  # fmt: skip
