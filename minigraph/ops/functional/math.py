"""Arithmetic, comparison, logic, reductions and matrix products."""

from __future__ import annotations

import builtins
from typing import Any

from minigraph.core.errors import DTypeError, ShapeError, TypeArgument, UsageError, ValueArgument
from minigraph.core.op import Op, apply
from minigraph.core.types import DType, float16, float32, float64, int64
from minigraph.operators import compare, create, elementwise, linalg, nn, reduce, special, views
from minigraph.ops.functional.calls import binary, reducing, spelled, unary

__all__ = [
    "abs", "acos", "add", "all", "amax", "amin", "any", "argmax", "argmin", "asin", "atan", "bitwise_and",
    "bitwise_or", "bitwise_xor", "bmm", "cast", "ceil", "clamp", "clip", "clip_by_value", "cos", "cosh", "div",
    "divide", "eq", "equal", "erf", "exp", "expm1", "floor", "floor_div", "floor_divide", "floor_mod", "ge",
    "greater", "greater_equal", "gt", "isfinite", "isinf", "isnan", "le", "less", "less_equal", "log", "log1p",
    "logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp", "lt", "masked_fill", "matmul", "max",
    "maximum", "mean", "min", "minimum", "mul", "ne", "neg", "not_equal", "outer", "pow", "reciprocal",
    "reduce_mean", "reduce_sum", "remainder", "round", "rsqrt", "select", "sign", "sin", "sinh", "sqrt", "square",
    "std", "sub", "sum", "tan", "tanh", "true_divide", "var", "where",
]  # fmt: skip

# ---- arithmetic ------------------------------------------------------------------------------------

add, sub, mul = binary(elementwise.ADD), binary(elementwise.SUB), binary(elementwise.MUL)
floor_divide, remainder = binary(elementwise.FLOOR_DIV), binary(elementwise.FLOOR_MOD)
floor_div, floor_mod = (spelled(fn, x="input", y="other") for fn in (floor_divide, remainder))
maximum, minimum = binary(elementwise.MAXIMUM), binary(elementwise.MINIMUM)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """input / other; ``rounding_mode`` "floor" rounds the quotient down, "trunc" towards zero."""
    if rounding_mode not in (None, "floor", "trunc"):
        raise UsageError(f"div: rounding_mode is None, 'floor' or 'trunc', got {rounding_mode!r}")
    if rounding_mode == "floor":
        return apply(elementwise.FLOOR_DIV, input, other)
    return apply(elementwise.DIV, input, other) if rounding_mode is None else _towards_zero(input, other)


def _towards_zero(input: Any, other: Any) -> Any:
    below = apply(elementwise.FLOOR_DIV, input, other)
    if not below.dtype.is_float:
        return apply(compare.WHERE, (below < 0) & (below * other != input), below + 1, below)
    quotient = apply(elementwise.DIV, input, other)
    return apply(elementwise.SIGN, quotient) * apply(elementwise.FLOOR, apply(elementwise.ABS, quotient))


divide = div
true_divide = spelled(binary(elementwise.DIV), dividend="input", divisor="other")


def pow(input: Any, exponent: Any) -> Any:
    """Each element of ``input`` to the power ``exponent``."""
    return apply(elementwise.POW, input, exponent)


# ---- functions of one operand ----------------------------------------------------------------------

neg, abs, sign, square = map(unary, (elementwise.NEG, elementwise.ABS, elementwise.SIGN, elementwise.SQUARE))
exp, expm1, log, log1p = map(unary, (elementwise.EXP, elementwise.EXPM1, elementwise.LOG, elementwise.LOG1P))
sqrt = spelled(unary(elementwise.SQRT), x="input")
rsqrt, reciprocal = unary(elementwise.RSQRT), unary(elementwise.RECIPROCAL)
sin, cos, tan, tanh = map(unary, (elementwise.SIN, elementwise.COS, elementwise.TAN, elementwise.TANH))
sinh, cosh, asin = map(unary, (elementwise.SINH, elementwise.COSH, elementwise.ASIN))
acos, atan, erf = map(unary, (elementwise.ACOS, elementwise.ATAN, special.ERF))
floor, ceil = unary(elementwise.FLOOR), unary(elementwise.CEIL)


def round(input: Any, *, decimals: int = 0) -> Any:
    """The nearest whole number, halves to even, or the nearest with so many decimals (below 0: tens, hundreds).

    >>> from minigraph import Tensor
    >>> print(round(Tensor([2.5, 1.26]), decimals=1), round(Tensor([14.0, 25.0]), decimals=-1))
    [2.5 1.3] [10. 20.]
    """
    if not isinstance(decimals, int):
        raise TypeArgument(f"round: decimals is a whole number, got {decimals!r}")
    if not decimals:
        return apply(elementwise.ROUND, input)
    if not input.dtype.is_float:
        return input if decimals > 0 else _in(input.dtype, round(cast(input, float64), decimals=decimals))
    unit = 10.0 ** builtins.abs(decimals)
    there, back = (elementwise.MUL, elementwise.DIV) if decimals > 0 else (elementwise.DIV, elementwise.MUL)
    return apply(back, apply(elementwise.ROUND, apply(there, input, unit)), unit)


def cast(input: Any, dtype: DType) -> Any:
    """The same values in another dtype."""
    return apply(elementwise.CAST, input, dtype=dtype)


def clip(input: Any, min: Any = None, max: Any = None) -> Any:
    """Elements limited to [min, max]; the bounds pass the whole gradient.

    ``None`` leaves a side open, both ``None`` is refused.
    """
    _check_bounds("clip", min, max)
    low = input if min is None else apply(compare.WHERE, apply(compare.LESS, input, min), min, input)
    return low if max is None else apply(compare.WHERE, apply(compare.GREATER, low, max), max, low)


clamp = clip


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """The same, but at a bound half of the gradient passes; of several tensors in a tuple or list, for each."""
    if isinstance(x, tuple | list):
        return tuple(clip_by_value(one, clip_value_min, clip_value_max) for one in x)
    _check_bounds("clip_by_value", clip_value_min, clip_value_max)
    low = x if clip_value_min is None else apply(elementwise.MAXIMUM, x, clip_value_min)
    return low if clip_value_max is None else apply(elementwise.MINIMUM, low, clip_value_max)


def _check_bounds(name: str, low: Any, high: Any) -> None:
    if low is None and high is None:
        raise UsageError(f"{name}: give a lower bound, an upper bound, or both")


# ---- comparison and logic --------------------------------------------------------------------------

equal, not_equal = binary(compare.EQUAL), binary(compare.NOT_EQUAL)
less, less_equal = binary(compare.LESS), binary(compare.LESS_EQUAL)
greater, greater_equal = binary(compare.GREATER), binary(compare.GREATER_EQUAL)
eq, ne, lt, le, gt, ge = equal, not_equal, less, less_equal, greater, greater_equal
logical_and, logical_or = binary(compare.LOGICAL_AND), binary(compare.LOGICAL_OR)
bitwise_and, bitwise_or = binary(elementwise.BITWISE_AND), binary(elementwise.BITWISE_OR)
bitwise_xor = binary(elementwise.BITWISE_XOR)
logical_xor, logical_not = binary(compare.LOGICAL_XOR), unary(compare.LOGICAL_NOT)
isnan, isinf, isfinite = unary(compare.ISNAN), unary(compare.ISINF), unary(compare.ISFINITE)


def where(condition: Any, input: Any, other: Any) -> Any:
    """``input`` where the condition holds, else ``other``."""
    return apply(compare.WHERE, condition, input, other)


select = where


def masked_fill(input_x: Any, mask: Any, value: Any) -> Any:
    """``value`` where the mask holds, else ``input_x``, whose dtype the result has.

    Raises ``TypeError`` for a value that is a float where the tensor is none.
    """
    if isinstance(value, float) and not input_x.dtype.is_float:
        raise DTypeError(f"masked_fill: {value} into {input_x.type}; cast the tensor to a float first")
    found = apply(compare.WHERE, mask, value, input_x)
    return found if found.dtype is input_x.dtype else cast(found, input_x.dtype)


# ---- reductions ------------------------------------------------------------------------------------

mean = reduce_mean = spelled(reducing(reduce.MEAN), x="input")
all, any = reducing(reduce.ALL), reducing(reduce.ANY)
logsumexp = spelled(reducing(nn.LOGSUMEXP), dim="axis", keepdim="keep_dims")


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Any:
    """The sum over axes ``dim`` (``None``: all), in ``dtype``; without one integers and bools add up to Int64."""
    if dtype is None:
        return apply(reduce.SUM, input, axis=dim, keepdims=keepdim)
    return _in(dtype, apply(reduce.SUM, cast(input, dtype), axis=dim, keepdims=keepdim))


def reduce_sum(x: Any, axis: Any = None, keep_dims: bool = False) -> Any:
    """The sum over axes (``None``: all) in the dtype of the tensor."""
    return _in(x.dtype, apply(reduce.SUM, x, axis=axis, keepdims=keep_dims))


def _in(dtype: DType, x: Any) -> Any:
    return x if x.dtype is dtype else cast(x, dtype)


def _among(input: Any, initial: Any, where: Any, fold: Op) -> Any:
    """What is compared: ``initial`` where ``where`` is not, and elements at least (or at most) as far as it."""
    if where is not None and initial is None:
        raise ValueArgument("initial value must be provided for where masks")
    kept = input if where is None else apply(compare.WHERE, where, input, initial)
    return kept if initial is None else _in(input.dtype, apply(fold, kept, initial))


def amax(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The largest element over axes (``None``: all), NaN if one is NaN.

    ``where`` leaves elements out, ``initial`` counts as one more.
    """
    found = _among(input, initial, where, elementwise.MAXIMUM)
    return apply(reduce.MAX, found, axis=axis, keepdims=keepdims)


def amin(input: Any, axis: Any = None, keepdims: bool = False, *, initial: Any = None, where: Any = None) -> Any:
    """The smallest element over axes (``None``: all), NaN if one is NaN; the rest as in ``amax``."""
    found = _among(input, initial, where, elementwise.MINIMUM)
    return apply(reduce.MIN, found, axis=axis, keepdims=keepdims)


def max(
    input: Any, axis: int | None = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> tuple[Any, Any]:
    """(largest elements, their positions) over one axis; over all, the position is 0. ``amax`` gives values only.

    ``where`` leaves elements out, ``initial`` stands in for all that are smaller.
    """
    input = _among(input, initial, where, elementwise.MAXIMUM)
    if axis is None:
        return apply(reduce.MAX, input, axis=None, keepdims=keepdims), _first()
    return apply(reduce.FIRST_MAX, input, axis=axis, keepdims=keepdims), argmax(input, axis, keepdims)


def min(
    input: Any, axis: int | None = None, keepdims: bool = False, *, initial: Any = None, where: Any = None
) -> tuple[Any, Any]:
    """(smallest elements, their positions) over one axis; the rest as in ``max``."""
    input = _among(input, initial, where, elementwise.MINIMUM)
    if axis is None:
        return apply(reduce.MIN, input, axis=None, keepdims=keepdims), _first()
    return apply(reduce.FIRST_MIN, input, axis=axis, keepdims=keepdims), _in(int64, argmin(input, axis, keepdims))


def _first() -> Any:
    return apply(create.FULL, shape=(), value=0, dtype=int64)


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Positions of the first largest elements along ``dim`` (``None``: in the flattened tensor), Int64."""
    found = apply(reduce.ARGMAX, input, axis=dim)
    return apply(views.EXPAND_DIMS, found, axis=dim) if keepdim and dim is not None else found


def argmin(input: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Positions of the first smallest elements along ``axis`` (``None``: in the flattened tensor), Int32."""
    found = apply(reduce.ARGMIN, input, axis=axis)
    return apply(views.EXPAND_DIMS, found, axis=axis) if keepdims and axis is not None else found


def var(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance over axes: squared deviations from the mean, summed and divided by (count - ddof).

    Float16 is widened meanwhile, and integers are Float32.
    """
    if input.dtype is float16:
        return cast(var(cast(input, float32), axis, ddof, keepdims), float16)
    input = input if input.dtype.is_float else cast(input, float32)
    deviations = input - apply(reduce.MEAN, input, axis=axis, keepdims=True)
    squares = deviations * deviations
    if not ddof:
        return apply(reduce.MEAN, squares, axis=axis, keepdims=keepdims)
    total = apply(reduce.SUM, squares, axis=axis, keepdims=keepdims)
    return total / (input.size // total.size - ddof)


def std(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation over axes: the square root of ``var``."""
    if input.dtype is float16:
        return cast(std(cast(input, float32), axis, ddof, keepdims), float16)
    return apply(elementwise.SQRT, var(input, axis, ddof, keepdims))


# ---- matrix products -------------------------------------------------------------------------------

matmul = binary(linalg.MATMUL)


def bmm(input_x: Any, mat2: Any) -> Any:
    """Products of two batches of matrices, rank 3 each."""
    for operand in (input_x, mat2):
        if operand.ndim != 3:
            raise ShapeError(f"bmm: needs two tensors of rank 3, got {input_x.type} and {mat2.type}; use matmul")
    return apply(linalg.MATMUL, input_x, mat2)


def outer(input: Any, vec2: Any) -> Any:
    """Every element of one tensor times every element of another, as a matrix."""
    return apply(views.RESHAPE, input, shape=(-1, 1)) * apply(views.RESHAPE, vec2, shape=(1, -1))
