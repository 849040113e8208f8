"""Mathematical functions of elements: ``mnp.exp(x, dtype=None)``, ``mnp.add(x1, x2, dtype=None)``.

Each is the function of ``ops`` of that name; it also accepts numbers and lists, and casts its result to ``dtype``.
"""

from __future__ import annotations

import math

from minigraph import ops
from minigraph.core.aliases import ArrayLike, DTypeLike, Function, TensorLike
from minigraph.core.errors import DTypeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, int64
from minigraph.numpy.conversion import as_float, as_single_float, as_tensor, cast_to

__all__ = [
    "abs", "absolute", "add", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "around",
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "cbrt", "ceil", "clip", "copysign", "cos", "cosh",
    "deg2rad", "divide", "divmod", "equal", "exp", "exp2", "expm1", "fabs", "fix", "float_power", "floor",
    "floor_divide", "fmod", "gcd", "greater", "greater_equal", "heaviside", "hypot", "invert", "isclose", "isfinite",
    "isinf", "isnan", "isneginf", "isposinf", "lcm", "less", "less_equal", "log", "log1p", "log2", "log10",
    "logaddexp", "logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum", "minimum", "mod",
    "multiply", "negative", "not_equal", "positive", "power", "rad2deg", "radians", "reciprocal", "remainder", "rint",
    "round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh", "true_divide", "trunc",
]  # fmt: skip


# ---- unary -----------------------------------------------------------------------------------------


def _unary(fn: Function, phrase: str) -> Function:
    def function(x: ArrayLike, dtype: DTypeLike = None) -> Tensor:
        return cast_to(fn(as_tensor(x)), dtype)

    function.__doc__ = f"{phrase} of each element, cast to ``dtype`` when one is given."
    return function


def _cube_root(x: Tensor) -> Tensor:
    return ops.sign(x) * ops.abs(x) ** (1 / 3)


def _power_of_two(x: Tensor) -> Tensor:
    return ops.exp2(x) if x.dtype.is_float else ops.pow(2, ops.cast(x, int64) if x.dtype is bool_ else x)


def _fp_unary(fn: Function, phrase: str) -> Function:
    return _unary(lambda x: fn(as_float(x)), phrase)


abs = absolute = fabs = _unary(ops.abs, "The absolute value")
sign = _fp_unary(ops.sign, "The sign (-1, 0 or 1)")
square, sqrt = _unary(ops.square, "The square"), _fp_unary(ops.sqrt, "The square root")
cbrt = _unary(lambda x: _cube_root(as_single_float(x)), "The cube root, at least Float32,")
reciprocal = _unary(ops.reciprocal, "1 divided by the value")
exp = _fp_unary(ops.exp, "e to the power")
exp2 = _unary(lambda x: _power_of_two(x), "2 to the power, an integer for integers and 0 below 0,")
expm1, log1p = _fp_unary(ops.expm1, "exp(x) - 1"), _fp_unary(ops.log1p, "log(1 + x)")
log, log2 = _fp_unary(ops.log, "The natural logarithm"), _fp_unary(ops.log2, "The logarithm to base 2")
log10 = _fp_unary(ops.log10, "The logarithm to base 10")
sin, arcsin = _fp_unary(ops.sin, "The sine"), _fp_unary(ops.arcsin, "The inverse sine")
cos, arccos = _fp_unary(ops.cos, "The cosine"), _fp_unary(ops.arccos, "The inverse cosine")
tan, arctan = _fp_unary(ops.tan, "The tangent"), _fp_unary(ops.arctan, "The inverse tangent")
sinh, arcsinh = _fp_unary(ops.sinh, "The hyperbolic sine"), _fp_unary(ops.arcsinh, "The inverse hyperbolic sine")
cosh, arccosh = _fp_unary(ops.cosh, "The hyperbolic cosine"), _fp_unary(ops.arccosh, "The inverse hyperbolic cosine")
tanh, arctanh = _fp_unary(ops.tanh, "The hyperbolic tangent"), _fp_unary(ops.arctanh, "The inverse hyperbolic tangent")
deg2rad = radians = _fp_unary(lambda x: x * (math.pi / 180), "The angle in radians")
rad2deg = _fp_unary(lambda x: x * (180 / math.pi), "The angle in degrees")
ceil = _fp_unary(ops.ceil, "The least integer above or equal")
floor = _fp_unary(ops.floor, "The greatest integer below or equal")
rint = _fp_unary(ops.round, "The nearest integer")
trunc, fix = _fp_unary(ops.trunc, "The integer part"), _fp_unary(ops.trunc, "The nearest integer towards 0")
bitwise_not = invert = _unary(ops.invert, "The bitwise complement")
isfinite, isnan = _fp_unary(ops.isfinite, "Whether it is finite"), _fp_unary(ops.isnan, "Whether it is NaN")
isinf, isneginf = _fp_unary(ops.isinf, "Whether it is infinite"), _fp_unary(ops.isneginf, "Whether it is -inf")
isposinf = _fp_unary(ops.isposinf, "Whether it is +inf")


def negative(a: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """-a, cast to ``dtype`` if given."""
    return cast_to(ops.neg(as_tensor(a)), dtype)


def positive(a: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """The same values, cast to ``dtype`` if given."""
    return cast_to(as_tensor(a), dtype)


def logical_not(a: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """Whether each element is 0."""
    return cast_to(ops.logical_not(ops.cast(as_tensor(a), bool_)), dtype)


def signbit(x: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """Whether the sign bit is set: of negative numbers and -0."""
    if dtype not in (None, bool_):
        raise DTypeError(f"signbit returns bools, got dtype {dtype}; cast the result")
    return ops.signbit(as_float(x))


def around(a: ArrayLike, decimals: int = 0) -> Tensor:
    """Rounds to ``decimals`` places, halves to even; integers are returned unchanged, bools become Int64.

    >>> print(around([1.25, 2.5, -0.04], 1))
    [ 1.2  2.5 -0. ]
    """
    a = as_tensor(a)
    if a.dtype.is_float:
        return a.round(decimals)
    return ops.cast(a, int64) if a.dtype is bool_ and decimals else a


round = around


def clip(x: ArrayLike, xmin: ArrayLike | None, xmax: ArrayLike | None, dtype: DTypeLike = None) -> Tensor:
    """Elements clamped to [``xmin``, ``xmax``] (either may be ``None``), in the dtype of x."""
    x = as_tensor(x)
    low, high = (None if end is None else as_tensor(end) for end in (xmin, xmax))
    clipped = x if low is None else ops.maximum(x, low)
    return cast_to(ops.cast(clipped if high is None else ops.minimum(clipped, high), x.dtype), dtype)


# ---- binary ----------------------------------------------------------------------------------------


def _binary(fn: Function, phrase: str) -> Function:
    """A function of two tensors; a number is a tensor of Int32 or Float32, as in MindSpore."""

    def function(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike = None) -> Tensor:
        return cast_to(fn(as_tensor(x1), as_tensor(x2)), dtype)

    function.__doc__ = f"{phrase}, element by element, cast to ``dtype`` when one is given."
    return function


def _keeping_dtype(fn: Function, phrase: str) -> Function:
    """A function of two tensors, whose result has the dtype of the tensor if the other operand is a number."""

    def function(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike = None) -> Tensor:
        x1 = x1 if _is_number(x1) and not _is_number(x2) else as_tensor(x1)
        return cast_to(fn(x1, x2 if _is_number(x2) else as_tensor(x2)), dtype)

    function.__doc__ = f"{phrase}, element by element, cast to ``dtype`` when one is given."
    return function


def _is_number(value: ArrayLike) -> bool:
    return isinstance(value, bool | int | float)


def _bool_binary(fn: Function, phrase: str) -> Function:
    return _binary(lambda a, b: fn(ops.cast(as_tensor(a), bool_), ops.cast(as_tensor(b), bool_)), phrase)


def _fp_binary(fn: Function, phrase: str) -> Function:
    return _binary(lambda a, b: fn(as_float(a), as_float(b)), phrase)


def _copysign(a: Tensor, b: TensorLike) -> Tensor:
    a = as_tensor(a)
    return ops.cast(ops.copysign(as_float(a), as_float(b)), a.dtype)


def _hypotenuse(a: Tensor, b: Tensor) -> Tensor:
    return ops.hypot(a, b) if a.dtype.is_float or b.dtype.is_float else ops.hypot(as_float(a), as_float(b))


def _heaviside(a: Tensor, b: Tensor) -> Tensor:
    a, b = as_tensor(a), as_tensor(b)
    return ops.where(a == 0, b, ops.cast(a > 0, a.dtype))


add, subtract = _binary(ops.add, "x1 + x2"), _binary(ops.subtract, "x1 - x2")
multiply, power = _binary(ops.mul, "x1 * x2"), _binary(ops.pow, "x1 to the power x2")
divide = true_divide = _binary(ops.div, "x1 / x2, a float")
floor_divide, _quotient = _binary(ops.floor_divide, "x1 // x2"), _keeping_dtype(ops.floor_divide, "x1 // x2")
mod = remainder = _binary(ops.floor_mod, "The remainder of x1 // x2, with the sign of x2")
fmod = _binary(ops.fmod, "The remainder of the truncated quotient, with the sign of x1")
float_power = _binary(lambda a, b: ops.pow(*map(as_single_float, (a, b))), "x1 to the power x2, at least Float32")
maximum, minimum = _keeping_dtype(ops.maximum, "The maximum"), _keeping_dtype(ops.minimum, "The minimum")
arctan2 = _fp_binary(ops.arctan2, "The angle of (x2, x1)")
hypot = _binary(lambda a, b: _hypotenuse(a, b), "sqrt(x1**2 + x2**2)")
logaddexp = _fp_binary(ops.logaddexp, "log(exp(x1) + exp(x2))")
logaddexp2 = _fp_binary(ops.logaddexp2, "log2(2**x1 + 2**x2)")
copysign = _binary(_copysign, "x1 with the sign of x2")
heaviside = _binary(_heaviside, "0 below 0, 1 above, x2 where x1 is 0")
equal, not_equal = _binary(ops.equal, "x1 == x2"), _binary(ops.not_equal, "x1 != x2")
less, less_equal = _binary(ops.less, "x1 < x2"), _binary(ops.less_equal, "x1 <= x2")
greater, greater_equal = _binary(ops.greater, "x1 > x2"), _binary(ops.greater_equal, "x1 >= x2")
logical_and = _bool_binary(ops.logical_and, "Whether both are not 0")
logical_or = _bool_binary(ops.logical_or, "Whether one or both are not 0")
logical_xor = _bool_binary(ops.logical_xor, "Whether exactly one is not 0")
bitwise_and, bitwise_or = _binary(ops.bitwise_and, "The bitwise and"), _binary(ops.bitwise_or, "The bitwise or")
bitwise_xor = _binary(ops.bitwise_xor, "The bitwise exclusive or")
gcd, lcm = _binary(ops.gcd, "The greatest common divisor"), _binary(ops.lcm, "The least common multiple")


def divmod(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike = None) -> tuple[Tensor, Tensor]:
    """(x1 // x2, the remainder), element by element."""
    return _quotient(x1, x2, dtype), mod(x1, x2, dtype)


def isclose(a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether abs(a - b) <= ``atol + rtol * abs(b)``; with ``equal_nan`` NaN is close to NaN."""
    return ops.isclose(as_float(a), as_float(b), rtol, atol, equal_nan)
