"""Arithmetic on elements: sums, products, quotients, rounding, limits, integers and bits."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.aliases import CallResult, TensorLike
from minigraph.core.errors import ArgTypeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import float64, int64, uint8
from minigraph.operators import comparison, elementary, elementwise
from minigraph.ops.functional.dtypes import as_dtype, cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.operator_functions import binary, rename_arguments, unary
from minigraph.ops.functional.reduction import sum as total

FORMS = """
method mint: addcdiv addcmul div:RealDiv divide lerp:Lerp:LerpScalar mul:Mul neg:Neg negative
method mint numpy: bitwise_and:BitwiseAnd bitwise_or:BitwiseOr bitwise_xor:BitwiseXor floor_divide fmod:Mod
    gcd:Gcd reciprocal:Reciprocal:Inv remainder square:Square
method mint numpy_number: maximum:Maximum minimum:Minimum
method mint numpy_float: ceil:Ceil floor:Floor sign:Sign trunc:Trunc
method: bitwise_left_shift:LeftShift bitwise_right_shift:RightShift copysign fmax:Fmax fmin:Fmin frac
    heaviside:Heaviside positive sgn signbit subtract
method numpy: absolute invert:Invert lcm:Lcm multiply true_divide
mint: clamp clip pow
mint numpy: abs:Abs
numpy: add:Add:TensorAdd
function: accumulate_n:AccumulateNV2 addn:AddN clip_by_value floor_div:FloorDiv floor_mod:FloorMod floordiv floormod
    population_count:PopulationCount pows round:Round:Rint sub:Sub tensor_add tensor_div tensor_floordiv tensor_mod
    tensor_mul tensor_pow tensor_sub truncate_div:TruncateDiv truncate_mod:TruncateMod
"""
export(globals())


# ---- sums, products and quotients ------------------------------------------------------------------


add, sub, mul = binary(elementwise.ADD), binary(elementwise.SUB), binary(elementwise.MUL)
floor_divide, remainder = binary(elementwise.FLOOR_DIV), binary(elementwise.FLOOR_MOD)
floor_div, floor_mod = (rename_arguments(fn, x="input", y="other") for fn in (floor_divide, remainder))


def div(input: TensorLike, other: TensorLike, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; ``rounding_mode`` "floor" rounds the quotient down, "trunc" towards zero."""
    if rounding_mode not in (None, "floor", "trunc"):
        raise UsageError(f"div: rounding_mode is None, 'floor' or 'trunc', got {rounding_mode!r}")
    if rounding_mode == "floor":
        return apply(elementwise.FLOOR_DIV, input, other)
    return apply(elementwise.DIV, input, other) if rounding_mode is None else _truncated_quotient(input, other)


def _truncated_quotient(input: TensorLike, other: TensorLike) -> Tensor:
    floored = apply(elementwise.FLOOR_DIV, input, other)
    if not floored.dtype.is_float:
        return apply(comparison.WHERE, (floored < 0) & (floored * other != input), floored + 1, floored)
    quotient = apply(elementwise.DIV, input, other)
    return apply(elementwise.SIGN, quotient) * apply(elementwise.FLOOR, apply(elementwise.ABS, quotient))


divide = div
true_divide = rename_arguments(binary(elementwise.DIV), dividend="input", divisor="other")


def pow(input: TensorLike, exponent: TensorLike) -> Tensor:
    """Each element of ``input`` to the power ``exponent``."""
    return apply(elementwise.POW, input, exponent)


neg, abs, sign, square = map(unary, (elementwise.NEG, elementwise.ABS, elementwise.SIGN, elementwise.SQUARE))
reciprocal = unary(elementwise.RECIPROCAL)
absolute, negative, multiply, sgn = unary(elementwise.ABS), neg, mul, sign


def subtract(input: TensorLike, other: TensorLike, *, alpha: float = 1) -> Tensor:
    """input - alpha other."""
    return sub(input, other if alpha == 1 else other * alpha)


def positive(input: Tensor) -> Tensor:
    """``input`` itself."""
    return input


def lerp(input: Tensor, end: TensorLike, weight: Tensor) -> Tensor:
    """input + weight (end - input)."""
    return input + weight * (end - input)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: TensorLike = 1) -> Tensor:
    """input + value tensor1 tensor2."""
    return input + tensor1 * tensor2 * value


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: TensorLike = 1) -> Tensor:
    """input + value tensor1 / tensor2."""
    return input + tensor1 / tensor2 * value


def addn(x: Sequence[Tensor]) -> Tensor:
    """The sum of several tensors of one shape."""
    if not isinstance(x, tuple | list) or not x:
        raise UsageError(f"addn: expected a tuple or list of tensors, got {x!r:.40}")
    total = x[0]
    for term in x[1:]:
        total = total + term
    return total


def accumulate_n(x: Sequence[Tensor]) -> Tensor:
    """The sum of several tensors.

    >>> print(accumulate_n((Tensor([1.0]), Tensor([2.0]))))
    [3.]
    """
    total = x[0]
    for term in x[1:]:
        total = add(total, term)
    return total


# ---- MindSpore's names of Python's operators -------------------------------------------------------


tensor_add, tensor_sub, tensor_mul = add, sub, mul
tensor_div = rename_arguments(true_divide, x="dividend", y="divisor")
tensor_pow = pows = pow
tensor_mod = floormod = floor_mod
tensor_floordiv = floordiv = floor_divide

# ---- rounding and remainders -----------------------------------------------------------------------


floor, ceil = unary(elementwise.FLOOR), unary(elementwise.CEIL)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Rounds to ``decimals`` places (negative: tens, hundreds, ...), halves to even.

    >>> from minigraph import Tensor
    >>> print(round(Tensor([2.5, 1.26]), decimals=1), round(Tensor([14.0, 25.0]), decimals=-1))
    [2.5 1.3] [10. 20.]
    """
    if not isinstance(decimals, int):
        raise ArgTypeError(f"round: decimals must be an integer, got {decimals!r}")
    if not decimals:
        return apply(elementwise.ROUND, input)
    if not input.dtype.is_float:
        return input if decimals > 0 else as_dtype(input.dtype, round(cast(input, float64), decimals=decimals))
    unit = 10.0 ** builtins.abs(decimals)
    scale, unscale = (elementwise.MUL, elementwise.DIV) if decimals > 0 else (elementwise.DIV, elementwise.MUL)
    return apply(unscale, apply(elementwise.ROUND, apply(scale, input, unit)), unit)


def trunc(input: Tensor) -> Tensor:
    """x rounded towards zero; integers are returned unchanged."""
    return apply(elementary.TRUNC, input) if input.dtype.is_float else input


def frac(x: Tensor) -> Tensor:
    """The fractional part x - trunc(x), with the sign of x.

    >>> from minigraph import Tensor
    >>> print(frac(Tensor([1.75, -1.75])))
    [ 0.75 -0.75]
    """
    return x - trunc(x)


def truncate_div(x: Tensor, y: Any) -> Tensor:
    """The quotient rounded towards zero; an integer for integers."""
    if x.dtype.is_float or getattr(y, "dtype", x.dtype).is_float:
        return trunc(x / y)
    magnitude = apply(elementwise.FLOOR_DIV, apply(elementwise.ABS, x), builtins.abs(y))
    return magnitude * sign(x) * (sign(y) if hasattr(y, "dtype") else (y > 0) - (y < 0))


def truncate_mod(x: Tensor, y: TensorLike) -> Tensor:
    """The remainder of a division rounded towards zero, with the sign of x."""
    return fmod(x, y)


fmod = binary(elementary.FMOD)

# ---- limits and signs ------------------------------------------------------------------------------


maximum, minimum = binary(elementwise.MAXIMUM), binary(elementwise.MINIMUM)


def clip(input: Tensor, min: TensorLike | None = None, max: TensorLike | None = None) -> Tensor:
    """Elements limited to [min, max]; at a bound the whole gradient passes.

    ``None`` means no bound on that side; at least one bound is needed.
    """
    _check_bounds("clip", min, max)
    low = input if min is None else apply(comparison.WHERE, apply(comparison.LESS, input, min), min, input)
    return low if max is None else apply(comparison.WHERE, apply(comparison.GREATER, low, max), max, low)


clamp = clip


def clip_by_value(
    x: Tensor | Sequence[Tensor], clip_value_min: TensorLike | None = None, clip_value_max: TensorLike | None = None
) -> CallResult:
    """``clip``, except that half of the gradient passes at a bound; a tuple or list is clipped tensor by tensor."""
    if isinstance(x, tuple | list):
        return tuple(clip_by_value(tensor, clip_value_min, clip_value_max) for tensor in x)
    _check_bounds("clip_by_value", clip_value_min, clip_value_max)
    low = x if clip_value_min is None else apply(elementwise.MAXIMUM, x, clip_value_min)
    return low if clip_value_max is None else apply(elementwise.MINIMUM, low, clip_value_max)


def _check_bounds(name: str, low: TensorLike | None, high: TensorLike | None) -> None:
    if low is None and high is None:
        raise UsageError(f"{name}: give a lower bound, an upper bound, or both")


def fmax(input: Tensor, other: TensorLike) -> Tensor:
    """The larger of two elements; where one is NaN, the other."""
    return _ignore_nan(maximum(input, other), input, other)


def fmin(input: Tensor, other: TensorLike) -> Tensor:
    """The smaller of two elements; where one is NaN, the other."""
    return _ignore_nan(minimum(input, other), input, other)


def _ignore_nan(extreme: Tensor, input: Tensor, other: TensorLike) -> Tensor:
    without_first = where(apply(comparison.ISNAN, input), other, extreme)
    return where(apply(comparison.ISNAN, other), input, without_first)


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above, ``values`` at 0."""
    return where(input == 0, values, cast(input > 0, input.dtype))


copysign = rename_arguments(binary(elementary.COPYSIGN), x="input")
signbit = unary(elementary.SIGNBIT)

# ---- integers and bits -----------------------------------------------------------------------------


gcd, lcm = binary(elementary.GCD), binary(elementary.LCM)
bitwise_and, bitwise_or = binary(elementwise.BITWISE_AND), binary(elementwise.BITWISE_OR)
bitwise_xor = binary(elementwise.BITWISE_XOR)
bitwise_left_shift = binary(elementary.BITWISE_LEFT_SHIFT)
bitwise_right_shift = binary(elementary.BITWISE_RIGHT_SHIFT)
invert = rename_arguments(unary(elementary.INVERT), x="input")


def population_count(input_x: Tensor) -> Tensor:
    """The number of bits of each integer that are 1, UInt8."""
    bits = input_x.dtype.numpy.itemsize * 8
    shifts = Tensor(np.arange(bits), input_x.dtype)
    ones = apply("bitwise_and", apply("bitwise_right_shift", input_x.expand_dims(-1), shifts), 1)
    return cast(total(cast(ones != 0, int64), -1), uint8)
