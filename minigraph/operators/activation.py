"""Activations and the softmax family."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue, Function
from minigraph.core.errors import UsageError
from minigraph.core.op import VJP, Op, Sample, apply, define, op_named
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType
from minigraph.operators.families import (
    axis_label,
    check_kinds,
    check_operand,
    elementwise,
    normalize_axis,
    reduced_shape,
    reduction,
)
from minigraph.operators.reduce import Axes, keep_dims
from minigraph.operators.samples import EDGES
from minigraph.operators.work import contiguous_run, reduction_work, traffic

ROOT_HALF, ROOT_2_PI = math.sqrt(0.5), math.sqrt(2 / math.pi)
GELU_CUBIC = 0.044715  # in the tanh approximation of GELU: Hendrycks and Gimpel, arXiv 1606.08415

# ---- activations -----------------------------------------------------------------------------------


def _relu(x: Array, out: Array | None = None) -> Array:
    kind = x.dtype.type
    if x.dtype.kind != "f":
        return np.maximum(x, kind(0), out=out, order="C")
    return x.clip(kind(0), kind(np.inf), out, order="C")


RELU = elementwise(
    "relu", _relu, kinds="bif",
    vjp=(lambda g, out, x: apply("where", out > 0, g, 0),),
    doc="The maximum of x and 0; its derivative at 0 is 0.",
)  # fmt: skip


def _sigmoid(x: Array, out: Array | None = None) -> Array:
    one = x.dtype.type(1)
    power = np.exp(np.negative(x, casting="no", order="C", out=out), casting="no", out=out)
    return np.true_divide(one, np.add(one, power, out=out), out=out)


SIGMOID = elementwise(
    "sigmoid", _sigmoid, kinds="f", lanes=("simple", "special", "simple", "special"),
    vjp=(lambda g, out, x: g * (out * (1 - out)),), doc="1 / (1 + exp(-x)).",
    expand=lambda x: 1 / (1 + apply("exp", -x)),
)  # fmt: skip


def _normal_cdf(x: Tensor) -> Tensor:
    """The cumulative distribution function of the standard normal distribution, on tensors."""
    return 0.5 * (1 + apply("erf", x * ROOT_HALF))


def _gelu(x: Array, *, approximate: str) -> Array:
    kind = x.dtype.type
    if approximate == "tanh":
        inner = kind(ROOT_2_PI) * (x + kind(GELU_CUBIC) * (x * x * x))
        return kind(0.5) * x * (kind(1) + np.tanh(inner))
    return x * (kind(0.5) * (kind(1) + op_named("erf").forward(x * kind(ROOT_HALF))))


def _gelu_of_primitives(x: Tensor, *, approximate: str) -> Tensor:
    if approximate == "tanh":
        return 0.5 * x * (1 + apply("tanh", ROOT_2_PI * (x + GELU_CUBIC * (x * x * x))))
    return x * _normal_cdf(x)


def _gelu_grad(g: Tensor, out: Tensor, x: Tensor, approximate: str) -> Tensor:
    if approximate == "tanh":
        t = apply("tanh", ROOT_2_PI * (x + GELU_CUBIC * (x * x * x)))
        slope = ROOT_2_PI * (1 + 3 * GELU_CUBIC * (x * x))
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope)
    return g * (_normal_cdf(x) + x * apply("exp", -0.5 * (x * x)) * (1 / math.sqrt(2 * math.pi)))


def _gelu_attrs(x: Tensor, *, approximate: str = "none") -> Attrs:
    check_operand("gelu", "f", x)
    if approximate not in ("none", "tanh"):
        raise UsageError(f"gelu: approximate is 'none' or 'tanh', got {approximate!r}")
    return {"approximate": approximate}


def _gelu_infer(x: TensorType, *, approximate: str) -> TensorType:
    check_kinds("gelu", "f", x)
    return x


# The vendor's library (Gelu after v200) computes x / (1 + exp(-1.596 (x + 0.044715 x^3))).
GELU = elementwise(
    "gelu", _gelu, infer=_gelu_infer, into=False, lanes=(*("simple",) * 6, "special", "special"),
    vjp=(_gelu_grad,), canonical=_gelu_attrs, expand=_gelu_of_primitives, label=lambda attrs: "gelu",
    doc="x times the normal distribution function of x; `approximate=\"tanh\"` approximates it by a tanh.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 3)),)),
        Sample((rng.normal(size=(2, 3)),), {"approximate": "tanh"}),
        Sample((EDGES.astype(np.float32),), smooth=False),
        Sample((np.array(0.5),)),
    ],
)  # fmt: skip


def _silu(x: Array, out: Array | None = None) -> Array:
    return np.multiply(x, _sigmoid(x), out=out, order="C")


SILU = elementwise(
    "silu", _silu, kinds="f", lanes=("simple", "special", "simple", "special", "simple"),
    vjp=(lambda g, out, x: _silu_grad(g, x),), doc="x times sigmoid(x), also called swish.",
    expand=lambda x: x * apply("sigmoid", x),
)  # fmt: skip


def _silu_grad(g: Tensor, x: Tensor) -> Tensor:
    s = apply("sigmoid", x)
    return g * (s * (1 + x * (1 - s)))


def _softplus(x: Array, out: Array | None = None) -> Array:
    return np.logaddexp(x, x.dtype.type(0), out=out, casting="no", order="C")


SOFTPLUS = elementwise(
    "softplus", _softplus, kinds="f", lanes=("special", "simple", "special"),
    vjp=(lambda g, out, x: g * apply("sigmoid", x),), doc="log(1 + exp(x)), without overflow.",
)  # fmt: skip


# ---- softmax ---------------------------------------------------------------------------------------


def _softmax_work(*lanes: str) -> Function:
    """Work of one lane of each class per element; a long row is read for its maximum, for the sum, for the results."""

    def work(out: TensorType, x: TensorType, *ins: TensorType, axis: int, **attrs: AttrValue) -> Work:
        counts = {lane: lanes.count(lane) * x.size for lane in lanes}
        rows = (x.size // max(x.shape[axis], 1), x.shape[axis])
        run = contiguous_run(x.shape, axis)  # passes: Milakov and Gimelshein, arXiv 1805.02867, algorithm 2
        return Work(lanes=tuple(sorted(counts.items())), rows=rows, passes=3, run=run) + traffic(out, (x, *ins))

    return work


def _rowwise(name: str, forward: Function, vjp: VJP, work: Function, doc: str, **fields: Any) -> Op:
    def infer(x: TensorType, *, axis: int) -> TensorType:
        check_kinds(name, "f", x)
        normalize_axis(name, axis, len(x.shape))
        return x

    def canonical(x: Tensor, *, axis: object = -1) -> Attrs:
        check_operand(name, "f", x)
        return {"axis": normalize_axis(name, axis, len(x.shape))}

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [
            Sample((rng.normal(size=(2, 3)),)),
            Sample((rng.normal(size=(2, 3, 2)),), {"axis": 1}),
            Sample((np.array([[1e4, -1e4], [np.inf, 0.0], [np.nan, 0.0]], np.float32),), smooth=False),
        ]

    return define(
        Op(name, forward, infer, vjp=(vjp,), into=True, work=work, canonical=canonical,
           doc=doc, label=axis_label(name), samples=samples, **fields)
    )  # fmt: skip


def subtract_max(x: Array, axis: int, out: Array | None = None) -> Array:
    """x minus its maximum along an axis, so that exp cannot overflow; C order."""
    largest = np.maximum.reduce(x, axis=axis, keepdims=True, initial=-np.inf)
    return np.asarray(np.subtract(x, np.asarray(largest), out=out, order="C"))


def _softmax(x: Array, *, axis: int, out: Array | None = None) -> Array:
    powers = subtract_max(x, axis, out)
    np.exp(powers, powers)
    return np.true_divide(powers, np.add.reduce(powers, axis=axis, keepdims=True), powers)


def _softmax_of_primitives(x: Tensor, *, axis: int) -> Tensor:
    powers = apply("exp", x - apply("max", x, axis=axis, keepdims=True))
    return powers / apply("sum", powers, axis=axis, keepdims=True)


def _sum(x: Tensor, axis: int) -> Tensor:
    return apply("sum", x, axis=axis, keepdims=True)


SOFTMAX = _rowwise(
    "softmax", _softmax, lambda g, out, x, axis: out * (g - _sum(g * out, axis)),
    _softmax_work("reduce", "simple", "special", "reduce", "special"),
    "exp(x) divided by its sum along one axis.", expand=_softmax_of_primitives,
)  # fmt: skip


def _log_softmax(x: Array, *, axis: int, out: Array | None = None) -> Array:
    centered = subtract_max(x, axis, out)
    return np.subtract(centered, np.log(np.add.reduce(np.exp(centered), axis=axis, keepdims=True)), centered)


def _log_softmax_of_primitives(x: Tensor, *, axis: int) -> Tensor:
    centered = x - apply("max", x, axis=axis, keepdims=True)
    return centered - apply("log", _sum(apply("exp", centered), axis))


LOG_SOFTMAX = _rowwise(
    "log_softmax", _log_softmax, lambda g, out, x, axis: g - apply("exp", out) * _sum(g, axis),
    _softmax_work("reduce", "simple", "special", "reduce", "simple"),
    "The logarithm of softmax, computed without overflow.", expand=_log_softmax_of_primitives,
)  # fmt: skip


def _logsumexp(x: Array, *, axis: Axes, keepdims: bool) -> Array:
    largest = np.maximum.reduce(x, axis, keepdims=True, initial=-np.inf)
    largest = np.where(np.isfinite(largest), largest, largest.dtype.type(0))
    total = np.add.reduce(np.exp(np.subtract(x, largest, order="C")), axis, keepdims=True)
    result = np.log(total) + largest
    return result if keepdims else result.reshape(reduced_shape(x.shape, axis, keepdims=False))


def _logsumexp_work(out: TensorType, x: TensorType, **attrs: AttrValue) -> Work:
    """As of softmax, without the pass over the results."""
    lanes = ("reduce", 2 * x.size), ("simple", x.size), ("special", x.size)
    return replace(reduction_work(out, x, **attrs), lanes=lanes, passes=2)


LOGSUMEXP = reduction(
    "logsumexp", _logsumexp, kinds="f", vjp=lambda g, out, x, axis, keepdims: _logsumexp_grad(g, out, x, axis),
    work=_logsumexp_work,
    doc="log(sum(exp(x))) over axes, without overflow.",
)  # fmt: skip


def _logsumexp_grad(g: Tensor, out: Tensor, x: Tensor, axis: Axes) -> Tensor:
    return keep_dims(g, x, axis) * apply("exp", x - keep_dims(out, x, axis))
