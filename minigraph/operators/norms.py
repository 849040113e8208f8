"""Normalization: layer norm, batch norm, and the operator ``normalize`` that they share."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array, Attrs, IntOrTuple
from minigraph.core.errors import ShapeError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType
from minigraph.operators.composite import composite
from minigraph.operators.families import axis_label, check_kinds, check_operand, normalize_axes, normalize_axis
from minigraph.operators.reduce import MEAN, Axes, count_of
from minigraph.operators.samples import Samples
from minigraph.operators.work import contiguous_run, traffic

# ---- normalize -------------------------------------------------------------------------------------


def _normalize(x: Array, *, axis: Axes, eps: float) -> Array:
    centered = np.subtract(x, MEAN.forward(x, axis=axis, keepdims=True), order="C")
    variance = MEAN.forward(centered * centered, axis=axis, keepdims=True)
    return np.true_divide(centered, np.sqrt(variance + x.dtype.type(eps)))


def _normalize_of_primitives(x: Tensor, *, axis: Axes, eps: float) -> Tensor:
    centered = x - _mean(x, axis)
    return centered / apply("sqrt", _mean(centered * centered, axis) + eps)


def _mean(x: Tensor, axis: Axes) -> Tensor:
    return apply("mean", x, axis=axis, keepdims=True)


def _normalize_grad(g: Tensor, out: Tensor, x: Tensor, axis: Axes, eps: float) -> Tensor:
    centered = x - _mean(x, axis)
    deviation = apply("sqrt", _mean(centered * centered, axis) + eps)
    return (g - _mean(g, axis) - out * _mean(g * out, axis)) / deviation


def _normalize_types(x: TensorType, *, axis: Axes, eps: float) -> TensorType:
    check_kinds("normalize", "f", x)
    return x


def _normalize_work(out: TensorType, x: TensorType, *, axis: Axes, eps: float) -> Work:
    length = count_of(x.shape, axis)
    rows = (x.size // max(length, 1), length)
    lanes = (("reduce", 2 * x.size), ("simple", 4 * x.size))
    return Work(lanes=lanes, rows=rows, passes=2, run=contiguous_run(x.shape, axis)) + traffic(out, (x,))


def _normalize_attrs(x: Tensor, *, axis: IntOrTuple = -1, eps: float = 1e-5) -> Attrs:
    check_operand("normalize", "f", x)
    return {"axis": normalize_axes("normalize", axis, len(x.shape)), "eps": eps}


NORMALIZE = define(Op(
    "normalize", _normalize, _normalize_types, vjp=(_normalize_grad,), work=_normalize_work,
    expand=_normalize_of_primitives, label=axis_label("normalize"),
    canonical=_normalize_attrs,
    doc="(x - mean) / sqrt(variance + eps), with the mean and the biased variance over axes.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 4)),)),
        Sample((rng.normal(size=(2, 3, 2)),), {"axis": (0, 2), "eps": 0.1}),
    ],
))  # fmt: skip


# ---- layer norm ------------------------------------------------------------------------------------


def _layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, *, axis: int, eps: float) -> Tensor:
    axes = tuple(range(axis, len(x.shape)))
    result = apply("normalize", x, axis=axes, eps=eps) * gamma + beta
    return result if result.dtype is x.dtype else apply("cast", result, dtype=x.dtype)


def _layer_norm_attrs(x: Tensor, gamma: Tensor, beta: Tensor, *, axis: int = -1, eps: float = 1e-5) -> Attrs:
    check_operand("layer_norm", "f", x)
    begin = normalize_axis("layer_norm", axis, len(x.shape))
    for name, t in (("gamma", gamma), ("beta", beta)):
        if t.shape != x.shape[begin:]:
            raise ShapeError(
                f"layer_norm: {name} has shape {list(t.shape)}, the normalised axes of {list(x.shape)} are "
                f"{list(x.shape[begin:])}; give {name} that shape"
            )
    return {"axis": begin, "eps": eps}


LAYER_NORM = composite(
    "layer_norm", _layer_norm, canonical=_layer_norm_attrs, label=axis_label("layer_norm"),
    forward=lambda x, gamma, beta, *, axis, eps: np.add(
        np.multiply(_normalize(x, axis=tuple(range(axis, x.ndim)), eps=eps), gamma), beta
    ).astype(x.dtype, copy=False),
    doc="The axes from `axis` on normalised, times gamma, plus beta, in the dtype of x.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 4)), rng.normal(size=4), rng.normal(size=4))),
        Sample((rng.normal(size=(2, 3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))), {"axis": 1}),
    ],
)  # fmt: skip


# ---- batch norm ------------------------------------------------------------------------------------


def _per_channel(x: Tensor, vector: Tensor) -> Tensor:
    """A vector over axis 1 of ``x``, reshaped to broadcast against ``x``."""
    return apply("reshape", vector, shape=(-1, *(1,) * (len(x.shape) - 2)))


def _batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor, *, eps: float) -> Tensor:
    scale = gamma / apply("sqrt", variance + eps)
    return (x - _per_channel(x, mean)) * _per_channel(x, scale) + _per_channel(x, beta)


def _batch_norm_attrs(x: Tensor, *vectors: Tensor, eps: float = 1e-5) -> Attrs:
    check_operand("batch_norm", "f", x)
    if len(x.shape) < 2 or any(t.shape != x.shape[1:2] for t in vectors):
        shapes = " and ".join(str(list(t.shape)) for t in vectors)
        raise ShapeError(f"batch_norm: {shapes} for x {list(x.shape)}; each must be a vector over axis 1 of x")
    return {"eps": eps}


def _batch_samples(count: int) -> Samples:
    def samples(rng: np.random.Generator) -> list[Sample]:
        vectors = tuple(rng.uniform(0.5, 2, 3) for _ in range(count))
        return [
            Sample((rng.normal(size=(2, 3, 2, 2)), *vectors)),
            Sample((rng.normal(size=(4, 3)), *vectors), {"eps": 0.1}),
        ]

    return samples


BATCH_NORM = composite(
    "batch_norm", _batch_norm, canonical=_batch_norm_attrs, samples=_batch_samples(4),
    doc="(x - mean) / sqrt(variance + eps) * gamma + beta, with statistics per channel (axis 1) as operands.",
)  # fmt: skip


def _batch_norm_train(x: Tensor, gamma: Tensor, beta: Tensor, *, eps: float) -> tuple[Tensor, ...]:
    axes = (0, *range(2, len(x.shape)))
    mean = apply("mean", x, axis=axes)
    centered = x - _per_channel(x, mean)
    variance = apply("mean", centered * centered, axis=axes)
    normal = apply("normalize", x, axis=axes, eps=eps)
    return normal * _per_channel(x, gamma) + _per_channel(x, beta), mean, variance


BATCH_NORM_TRAIN = composite(
    "batch_norm_train", _batch_norm_train, canonical=_batch_norm_attrs, samples=_batch_samples(2),
    doc="Batch norm with the statistics of the batch; also returns mean and biased variance per channel.",
)  # fmt: skip
