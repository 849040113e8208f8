"""Arithmetic, comparison, logic, reductions and matrix products."""

from __future__ import annotations

from typing import Any

from minigraph.errors import ShapeError, UsageError
from minigraph.op import apply
from minigraph.ops import compare, elementwise, linalg, nn, reduce, special, views
from minigraph.ops.functional.calls import binary, reducing, unary
from minigraph.types import DType

__all__ = [
    "abs", "acos", "add", "all", "amax", "amin", "any", "argmax", "argmin", "asin", "atan", "bmm", "cast", "ceil",
    "clamp", "clip", "clip_by_value", "cos", "cosh", "div", "divide", "eq", "equal", "erf", "exp", "expm1", "floor",
    "floor_div", "floor_divide", "floor_mod", "ge", "greater", "greater_equal", "gt", "isfinite", "isinf", "isnan",
    "le", "less", "less_equal", "log", "log1p", "logical_and", "logical_not", "logical_or", "logical_xor",
    "logsumexp", "lt", "masked_fill", "matmul", "max", "maximum", "mean", "min", "minimum", "mul", "ne", "neg",
    "not_equal", "outer", "pow", "reciprocal", "reduce_mean", "reduce_sum", "remainder", "round", "rsqrt", "select",
    "sign", "sin", "sinh", "sqrt", "square", "std", "sub", "sum", "tan", "tanh", "true_divide", "var", "where",
]  # fmt: skip

# ---- arithmetic ------------------------------------------------------------------------------------

add, sub, mul = binary(elementwise.ADD), binary(elementwise.SUB), binary(elementwise.MUL)
floor_div, floor_mod = binary(elementwise.FLOOR_DIV), binary(elementwise.FLOOR_MOD)
maximum, minimum = binary(elementwise.MAXIMUM), binary(elementwise.MINIMUM)
floor_divide, remainder = floor_div, floor_mod


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
    """input / other; ``rounding_mode`` "floor" rounds the quotient down, "trunc" towards zero."""
    if rounding_mode not in (None, "floor", "trunc"):
        raise UsageError(f"div: rounding_mode is None, 'floor' or 'trunc', got {rounding_mode!r}")
    if rounding_mode == "floor":
        return apply(elementwise.FLOOR_DIV, input, other)
    quotient = apply(elementwise.DIV, input, other)
    if rounding_mode is None:
        return quotient
    return apply(elementwise.SIGN, quotient) * apply(elementwise.FLOOR, apply(elementwise.ABS, quotient))


true_divide = divide = div


def pow(input: Any, exponent: Any) -> Any:
    """Each element of ``input`` to the power ``exponent``."""
    return apply(elementwise.POW, input, exponent)


# ---- functions of one operand ----------------------------------------------------------------------

neg, abs, sign, square = map(unary, (elementwise.NEG, elementwise.ABS, elementwise.SIGN, elementwise.SQUARE))
exp, expm1, log, log1p = map(unary, (elementwise.EXP, elementwise.EXPM1, elementwise.LOG, elementwise.LOG1P))
sqrt, rsqrt, reciprocal = map(unary, (elementwise.SQRT, elementwise.RSQRT, elementwise.RECIPROCAL))
sin, cos, tan, tanh = map(unary, (elementwise.SIN, elementwise.COS, elementwise.TAN, elementwise.TANH))
sinh, cosh, asin = map(unary, (elementwise.SINH, elementwise.COSH, elementwise.ASIN))
acos, atan, erf = map(unary, (elementwise.ACOS, elementwise.ATAN, special.ERF))
floor, ceil, round = map(unary, (elementwise.FLOOR, elementwise.CEIL, elementwise.ROUND))


def cast(input: Any, dtype: DType) -> Any:
    """The same values in another dtype."""
    return apply(elementwise.CAST, input, dtype=dtype)


def clip(input: Any, min: Any = None, max: Any = None) -> Any:
    """Elements limited to [min, max]; ``None`` leaves that side open, both ``None`` is refused."""
    if min is None and max is None:
        raise UsageError("clip: give min, max, or both")
    low = input if min is None else apply(elementwise.MAXIMUM, input, min)
    return low if max is None else apply(elementwise.MINIMUM, low, max)


clamp = clip


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """The same for a tensor, or for each of several in a tuple or list."""
    if isinstance(x, tuple | list):
        return tuple(clip(one, clip_value_min, clip_value_max) for one in x)
    return clip(x, clip_value_min, clip_value_max)


# ---- comparison and logic --------------------------------------------------------------------------

equal, not_equal = binary(compare.EQUAL), binary(compare.NOT_EQUAL)
less, less_equal = binary(compare.LESS), binary(compare.LESS_EQUAL)
greater, greater_equal = binary(compare.GREATER), binary(compare.GREATER_EQUAL)
eq, ne, lt, le, gt, ge = equal, not_equal, less, less_equal, greater, greater_equal
logical_and, logical_or = binary(compare.LOGICAL_AND), binary(compare.LOGICAL_OR)
logical_xor, logical_not = binary(compare.LOGICAL_XOR), unary(compare.LOGICAL_NOT)
isnan, isinf, isfinite = unary(compare.ISNAN), unary(compare.ISINF), unary(compare.ISFINITE)


def where(condition: Any, input: Any, other: Any) -> Any:
    """``input`` where the condition holds, else ``other``."""
    return apply(compare.WHERE, condition, input, other)


select = where


def masked_fill(input_x: Any, mask: Any, value: Any) -> Any:
    """``value`` where the mask holds, else ``input_x``."""
    return apply(compare.WHERE, mask, value, input_x)


# ---- reductions ------------------------------------------------------------------------------------

reduce_sum, mean, reduce_mean = reducing(reduce.SUM), reducing(reduce.MEAN), reducing(reduce.MEAN)
amax, amin = reducing(reduce.MAX), reducing(reduce.MIN)
all, any = reducing(reduce.ALL), reducing(reduce.ANY)
logsumexp = reducing(nn.LOGSUMEXP)


def sum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None) -> Any:
    """The sum over axes ``dim`` (``None``: all); integers and bools add up to Int64."""
    return apply(reduce.SUM, input if dtype is None else cast(input, dtype), axis=dim, keepdims=keepdim)


def max(input: Any, axis: int | None = None, keepdims: bool = False) -> tuple[Any, Any]:
    """(largest elements, their positions) over one axis, or in the flattened tensor; ``amax`` gives values only."""
    return apply(reduce.MAX, input, axis=axis, keepdims=keepdims), argmax(input, axis, keepdims)


def min(input: Any, axis: int | None = None, keepdims: bool = False) -> tuple[Any, Any]:
    """(smallest elements, their positions) over one axis, or in the flattened tensor; ``amin`` gives values only."""
    return apply(reduce.MIN, input, axis=axis, keepdims=keepdims), argmin(input, axis, keepdims)


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Positions of the first largest elements along ``dim`` (``None``: in the flattened tensor), Int64."""
    found = apply(reduce.ARGMAX, input, axis=dim)
    return apply(views.EXPAND_DIMS, found, axis=dim) if keepdim and dim is not None else found


def argmin(input: Any, axis: int | None = None, keepdims: bool = False) -> Any:
    """Positions of the first smallest elements along ``axis`` (``None``: in the flattened tensor), Int64."""
    found = apply(reduce.ARGMIN, input, axis=axis)
    return apply(views.EXPAND_DIMS, found, axis=axis) if keepdims and axis is not None else found


def var(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The variance over axes: squared deviations from the mean, summed and divided by (count - ddof)."""
    deviations = input - apply(reduce.MEAN, input, axis=axis, keepdims=True)
    squares = deviations * deviations
    if not ddof:
        return apply(reduce.MEAN, squares, axis=axis, keepdims=keepdims)
    total = apply(reduce.SUM, squares, axis=axis, keepdims=keepdims)
    return total / (input.size // total.size - ddof)


def std(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """The standard deviation over axes: the square root of ``var``."""
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
    """Every element of one vector times every element of another."""
    return apply(views.EXPAND_DIMS, input, axis=1) * vec2
