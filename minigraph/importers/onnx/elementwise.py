"""ONNX's elementwise operators, reductions and casts, written with our operators."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from minigraph import ops
from minigraph.core.aliases import AttrValue, Function
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int64
from minigraph.importers.onnx.tensors import dtype_of_code
from minigraph.importers.operator_table import Converter, Converters, KnownValue, node_axis
from minigraph.importers.weights import constant

T = Tensor  # short, because the table below has a line for each operator


def unary(name: str) -> Function:
    """A function of one Tensor that is one operator of ours."""
    return lambda x: apply(name, x)


def binary(name: str) -> Function:
    """A function of two Tensors that is one operator of ours; older versions broadcast by the same rule."""
    return lambda a, b: apply(name, a, b)


def fold_operands(name: str) -> Function:
    """A function of any number of Tensors that applies an operator of two to all."""
    return lambda *xs: reduce(lambda a, b: apply(name, a, b), xs)


def number_like(x: T, value: KnownValue) -> T:
    """A constant with the dtype of ``x``."""
    return constant(np.asarray(value, x.dtype.numpy))


def with_first_dtype(fn: Callable[..., T]) -> Function:
    """The function, with its result in the dtype of its first operand."""

    def compute(x: T, *rest: object, **attrs: AttrValue) -> T:
        return cast(fn(x, *rest, **attrs), x.dtype)

    compute.__wrapped__ = fn  # type: ignore[attr-defined] # whose operands and attributes the table reads
    return compute


def cast(x: T, dtype: DType) -> T:
    """The Tensor in another dtype; itself if it has that dtype."""
    return x if x.dtype is dtype else apply("cast", x, dtype=dtype)


def cast_to(x: T, code: int) -> T:
    """The Tensor in the dtype with ONNX's number ``code``."""
    return cast(x, dtype_of_code(code, "Cast"))


def divide(a: T, b: T) -> T:
    """Division; of integers, rounded towards zero."""
    if a.dtype.is_float:
        return a / b
    floor = apply("floor_div", a, b)
    if a.dtype.numpy.kind != "i":
        return floor
    is_below = apply("logical_and", floor < 0, apply("not_equal", floor * b, a))  # below a quotient that is not whole
    return floor + cast(is_below, a.dtype)


def clip(x: T, low: T | float | None, high: T | float | None) -> T:
    """Elements limited to bounds, each of which may be left out."""
    lower = x if low is None else apply("maximum", x, low if isinstance(low, T) else number_like(x, low))
    return lower if high is None else apply("minimum", lower, high if isinstance(high, T) else number_like(x, high))


def select(test: T, a: T, b: T | float) -> T:
    """Elements of ``a`` where ``test`` holds, of ``b`` elsewhere, in the dtype of ``a``."""
    return apply("where", test, a, b if isinstance(b, T) else number_like(a, b))


def axes_tuple(axes: KnownValue, rank: int) -> tuple[int, ...] | None:
    """Axes as a tuple of non-negative indices; ``None`` for all of them. Raises ``AxisError`` for one that is not."""
    return None if axes is None else tuple(node_axis(axis, max(rank, 1)) for axis in np.ravel(axes))


def converter_with_axes_attribute(fn: Callable[..., T]) -> Function:
    """A converter of older versions, with ``axes`` as an attribute, for a function of a Tensor, axes and keepdims."""
    return lambda x, *, axes=None, keepdims=1: fn(x, axes_tuple(axes, x.ndim), bool(keepdims))


def converter_with_axes_operand(fn: Callable[..., T]) -> Converter:
    """A converter with ``axes`` as an operand: without it all axes, or none with ``noop_with_empty_axes``."""

    def compute(x: T, axes: KnownValue = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0) -> T:
        empty = axes is None or not len(axes)
        reduced_axes = (() if noop_with_empty_axes else None) if empty else axes_tuple(axes, x.ndim)
        return fn(x, reduced_axes, bool(keepdims))

    return Converter(compute, known="axes")


def reduce_by(name: str) -> Callable[..., T]:
    """A reduction by one operator of ours, in the dtype of its operand."""

    def compute(x: T, axes: tuple[int, ...] | None, keepdims: bool) -> T:
        if axes == ():
            return x
        return cast(apply(name, x, axis=axes, keepdims=keepdims), x.dtype)

    return compute


def extremum(name: str) -> Callable[..., T]:
    """A reduction to the extremum; of an empty axis, the identity of the operation."""

    def compute(x: T, axes: tuple[int, ...] | None, keepdims: bool) -> T:
        kept_axes = range(x.ndim) if axes == () else () if axes is None else set(range(x.ndim)) - set(axes)
        if 0 not in x.shape or not all(x.shape[axis] for axis in kept_axes):
            as_numbers = x if x.dtype.kind != "b" else cast(x, int64)
            return cast(reduce_by(name)(as_numbers, axes, keepdims), x.dtype)
        shape = [size if axis in kept_axes else 1 for axis, size in enumerate(x.shape) if axis in kept_axes or keepdims]
        limits = (-np.inf, np.inf) if x.dtype.is_float else (False, True) if x.dtype.kind == "b" else _limits(x)
        return constant(np.full(shape, limits[name == "min"], x.dtype.numpy))

    return compute


def _limits(x: T) -> tuple[int, int]:
    info = np.iinfo(x.dtype.numpy)
    return int(info.min), int(info.max)


sum_of = reduce_by("sum")
REDUCTIONS: dict[str, Callable[..., T]] = {
    "ReduceSum": sum_of,
    "ReduceMean": reduce_by("mean"),
    "ReduceMax": extremum("max"),
    "ReduceMin": extremum("min"),
    "ReduceProd": reduce_by("prod"),
    "ReduceL1": lambda x, axes, keep: sum_of(apply("abs", x), axes, keep),
    "ReduceL2": lambda x, axes, keep: apply("sqrt", sum_of(x * x, axes, keep)),
    "ReduceSumSquare": lambda x, axes, keep: sum_of(x * x, axes, keep),
    "ReduceLogSum": lambda x, axes, keep: apply("log", sum_of(x, axes, keep)),
    "ReduceLogSumExp": reduce_by("logsumexp"),
}

# ---- operators of both formats that compute the same: ``load_onnx`` reads them, ``to_onnx`` writes them

FLOAT_OPERATORS = {name: name.lower() for name in (
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor", "Log",
    "Reciprocal", "Round", "Sigmoid", "Sin", "Sinh", "Softplus", "Sqrt", "Tan", "Tanh",
)}  # fmt: skip
UNARY_OPERATORS = {
    "Abs": "abs", "Neg": "neg", "Relu": "relu", "Sign": "sign", "Identity": "identity", "Not": "logical_not",
    "BitwiseNot": "invert", "Det": "det",
}  # fmt: skip
BINARY_OPERATORS = {
    "Add": "add", "Sub": "sub", "Mul": "mul", "Equal": "equal", "Less": "less", "LessOrEqual": "less_equal",
    "Greater": "greater", "GreaterOrEqual": "greater_equal", "And": "logical_and", "Or": "logical_or",
    "Xor": "logical_xor", "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor",
}  # fmt: skip

CONVERTERS: Converters = {
    **{f"Reduce{name[6:]}": converter_with_axes_attribute(fn) for name, fn in REDUCTIONS.items()},
    **{f"{name}@{13 if name == 'ReduceSum' else 18}": converter_with_axes_operand(fn)
       for name, fn in REDUCTIONS.items()},
    **{name: unary(op) for name, op in (FLOAT_OPERATORS | UNARY_OPERATORS).items()},
    **{name: binary(op) for name, op in BINARY_OPERATORS.items()},
    "IsNaN": unary("isnan"), "Div": divide,
    "BitShift": lambda a, b, *, direction: apply(f"bitwise_{direction.lower()}_shift", a, b),
    "Mod": lambda a, b, *, fmod=0: apply("fmod" if fmod else "floor_mod", a, b),
    "Pow": with_first_dtype(lambda x, y: apply("pow", x, y)),
    "Max": fold_operands("maximum"), "Min": fold_operands("minimum"), "Sum": fold_operands("add"),
    "Mean": lambda *xs: fold_operands("add")(*xs) / number_like(xs[0], len(xs)),
    "Where": lambda test, a, b: apply("where", test, a, b),
    "Clip": lambda x, *, min=None, max=None: clip(x, min, max),
    "Clip@11": lambda x, min=None, max=None: clip(x, min, max),
    "Cast": lambda x, *, to, saturate=1, round_mode="up": cast_to(x, to),
    "CastLike": lambda x, y, *, saturate=1, round_mode="up": cast(x, y.dtype),
    "IsInf": lambda x, *, detect_negative=1, detect_positive=1: apply(
        "logical_or", apply("equal", x, number_like(x, np.inf if detect_positive else np.nan)),
        apply("equal", x, number_like(x, -np.inf if detect_negative else np.nan))),
    "Elu": lambda x, *, alpha=1.0: select(x >= 0, x, apply("expm1", apply("minimum", x, number_like(x, 0))) * alpha),
    "Celu": lambda x, *, alpha=1.0: clip(x, 0, None) + clip(apply("expm1", x / alpha) * alpha, None, 0),
    "Selu": lambda x, *, alpha=1.6732632, gamma=1.0507010: select(
        x > 0, x, apply("expm1", apply("where", x > 0, number_like(x, 0), x)) * alpha) * gamma,
    "LeakyRelu": lambda x, *, alpha=0.01: select(x >= 0, x, x * alpha),
    "PRelu": lambda x, slope: select(x >= 0, x, x * slope),
    "ThresholdedRelu": lambda x, *, alpha=1.0: select(x > alpha, x, 0),
    "HardSigmoid": lambda x, *, alpha=0.2, beta=0.5: clip(x * alpha + beta, 0, 1),
    "HardSwish": lambda x: x * clip(x * (1 / 6) + 0.5, 0, 1),
    "Shrink": lambda x, *, bias=0.0, lambd=0.5: select(
        x < -lambd, cast(x + bias, x.dtype), select(x > lambd, cast(x - bias, x.dtype), 0)),
    "Softsign": lambda x: x / (apply("abs", x) + 1),
    "Swish": lambda x, *, alpha=1.0: x * apply("sigmoid", x * alpha),
    "Mish": lambda x: x * apply("tanh", apply("softplus", x)),
    "Gelu": lambda x, *, approximate="none": ops.gelu(x, approximate),
    "BitCast": lambda x, *, to: ops.reshape(constant(x.asnumpy().view(dtype_of_code(to, "BitCast").numpy)), x.shape),
}  # fmt: skip
