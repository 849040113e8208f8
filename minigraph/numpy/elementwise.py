"""Mathematical functions of elements: ``mnp.exp(x, dtype=None)``, ``mnp.add(x1, x2, dtype=None)``.

Each is the function of ``ops`` of that name; it also accepts numbers and lists, and casts its result to ``dtype``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from minigraph import ops
from minigraph.core.errors import DTypeError
from minigraph.core.types import bool_
from minigraph.numpy.conversion import as_float, as_tensor, cast_to

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


Function = Callable[..., Any]

# ---- unary -----------------------------------------------------------------------------------------


def _of_one(fn: Function, what: str) -> Function:
    def function(x: Any, dtype: Any = None) -> Any:
        return cast_to(fn(as_tensor(x)), dtype)

    function.__doc__ = f"{what} of each element, cast to ``dtype`` when one is given."
    return function


def _of_float(fn: Function, what: str) -> Function:
    return _of_one(lambda x: fn(as_float(x)), what)


abs = absolute = fabs = _of_one(ops.abs, "The size")
sign = _of_float(ops.sign, "The sign (-1, 0 or 1)")
square, sqrt = _of_one(ops.square, "The square"), _of_float(ops.sqrt, "The square root")
cbrt = _of_float(lambda x: ops.sign(x) * ops.abs(x) ** (1 / 3), "The cube root")
reciprocal = _of_one(ops.reciprocal, "1 divided by the value")
exp, exp2 = _of_float(ops.exp, "e to the power"), _of_float(ops.exp2, "2 to the power")
expm1, log1p = _of_float(ops.expm1, "exp(x) - 1"), _of_float(ops.log1p, "log(1 + x)")
log, log2 = _of_float(ops.log, "The natural logarithm"), _of_float(ops.log2, "The logarithm to base 2")
log10 = _of_float(ops.log10, "The logarithm to base 10")
sin, arcsin = _of_float(ops.sin, "The sine"), _of_float(ops.arcsin, "The angle by its sine")
cos, arccos = _of_float(ops.cos, "The cosine"), _of_float(ops.arccos, "The angle by its cosine")
tan, arctan = _of_float(ops.tan, "The tangent"), _of_float(ops.arctan, "The angle by its tangent")
sinh, arcsinh = _of_float(ops.sinh, "The hyperbolic sine"), _of_float(ops.arcsinh, "The inverse hyperbolic sine")
cosh, arccosh = _of_float(ops.cosh, "The hyperbolic cosine"), _of_float(ops.arccosh, "The inverse hyperbolic cosine")
tanh, arctanh = _of_float(ops.tanh, "The hyperbolic tangent"), _of_float(ops.arctanh, "The inverse hyperbolic tangent")
deg2rad = radians = _of_float(lambda x: x * (math.pi / 180), "Radians of the degrees")
rad2deg = _of_float(lambda x: x * (180 / math.pi), "Degrees of the radians")
ceil = _of_float(ops.ceil, "The next whole number upwards")
floor = _of_float(ops.floor, "The next whole number downwards")
rint = _of_float(ops.round, "The nearest whole number")
trunc, fix = _of_float(ops.trunc, "The whole part"), _of_float(ops.trunc, "The next whole number towards 0")
bitwise_not = invert = _of_one(ops.invert, "All bits turned over")
isfinite, isnan = _of_float(ops.isfinite, "Whether it is finite"), _of_float(ops.isnan, "Whether it is NaN")
isinf, isneginf = _of_float(ops.isinf, "Whether it is infinite"), _of_float(ops.isneginf, "Whether it is -inf")
isposinf = _of_float(ops.isposinf, "Whether it is +inf")


def negative(a: Any, dtype: Any = None) -> Any:
    """-a, cast to ``dtype`` when one is given."""
    return cast_to(ops.neg(as_tensor(a)), dtype)


def positive(a: Any, dtype: Any = None) -> Any:
    """The same values, cast to ``dtype`` when one is given."""
    return cast_to(as_tensor(a), dtype)


def logical_not(a: Any, dtype: Any = None) -> Any:
    """Whether each element is 0."""
    return cast_to(ops.logical_not(ops.cast(as_tensor(a), bool_)), dtype)


def signbit(x: Any, dtype: Any = None) -> Any:
    """Whether each element is below 0, or -0."""
    if dtype not in (None, bool_):
        raise DTypeError(f"signbit gives bools, and dtype is {dtype}; cast them afterwards")
    return ops.signbit(as_float(x))


def around(a: Any, decimals: int = 0) -> Any:
    """Each element rounded to so many decimals, a half to the even neighbour; integers stay.

    >>> print(around([1.25, 2.5, -0.04], 1))
    [ 1.2  2.5 -0. ]
    """
    a = as_tensor(a)
    return a.round(decimals) if a.dtype.is_float else a


round = around


def clip(x: Any, xmin: Any, xmax: Any, dtype: Any = None) -> Any:
    """Each element, but not below ``xmin`` and not above ``xmax`` (either may be ``None``), in its own dtype."""
    x = as_tensor(x)
    low, high = (None if end is None else as_tensor(end) for end in (xmin, xmax))
    found = x if low is None else ops.maximum(x, low)
    return cast_to(ops.cast(found if high is None else ops.minimum(found, high), x.dtype), dtype)


# ---- binary ----------------------------------------------------------------------------------------


def _of_two(fn: Function, what: str) -> Function:
    def function(x1: Any, x2: Any, dtype: Any = None) -> Any:
        x1 = x1 if _is_number(x1) and not _is_number(x2) else as_tensor(x1)
        return cast_to(fn(x1, x2 if _is_number(x2) else as_tensor(x2)), dtype)

    function.__doc__ = f"{what}, element by element, cast to ``dtype`` when one is given."
    return function


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _of_bools(fn: Function, what: str) -> Function:
    return _of_two(lambda a, b: fn(ops.cast(as_tensor(a), bool_), ops.cast(as_tensor(b), bool_)), what)


def _of_floats(fn: Function, what: str) -> Function:
    return _of_two(lambda a, b: fn(as_float(a), as_float(b)), what)


def _with_sign(a: Any, b: Any) -> Any:
    a = as_tensor(a)
    return ops.cast(ops.copysign(as_float(a), as_float(b)), a.dtype)


def _step(a: Any, b: Any) -> Any:
    a, b = as_tensor(a), as_tensor(b)
    return ops.where(a == 0, b, ops.cast(a > 0, a.dtype))


add, subtract = _of_two(ops.add, "x1 + x2"), _of_two(ops.subtract, "x1 - x2")
multiply, power = _of_two(ops.mul, "x1 * x2"), _of_two(ops.pow, "x1 to the power x2")
divide = true_divide = _of_two(ops.div, "x1 / x2, a float")
floor_divide = _of_two(ops.floor_divide, "x1 // x2")
mod = remainder = _of_two(ops.floor_mod, "What is left of x1 // x2, with the sign of x2")
fmod = _of_two(ops.fmod, "What is left of the whole part of x1 / x2, with the sign of x1")
float_power = _of_floats(ops.pow, "x1 to the power x2, a float")
maximum, minimum = _of_two(ops.maximum, "The larger one"), _of_two(ops.minimum, "The smaller one")
arctan2, hypot = _of_floats(ops.arctan2, "The angle of (x2, x1)"), _of_floats(ops.hypot, "sqrt(x1**2 + x2**2)")
logaddexp = _of_floats(ops.logaddexp, "log(exp(x1) + exp(x2))")
logaddexp2 = _of_floats(ops.logaddexp2, "log2(2**x1 + 2**x2)")
copysign = _of_two(_with_sign, "The size of x1 with the sign of x2")
heaviside = _of_two(_step, "0 below 0, 1 above, x2 where x1 is 0")
equal, not_equal = _of_two(ops.equal, "x1 == x2"), _of_two(ops.not_equal, "x1 != x2")
less, less_equal = _of_two(ops.less, "x1 < x2"), _of_two(ops.less_equal, "x1 <= x2")
greater, greater_equal = _of_two(ops.greater, "x1 > x2"), _of_two(ops.greater_equal, "x1 >= x2")
logical_and = _of_bools(ops.logical_and, "Whether both are not 0")
logical_or = _of_bools(ops.logical_or, "Whether one or both are not 0")
logical_xor = _of_bools(ops.logical_xor, "Whether exactly one is not 0")
bitwise_and, bitwise_or = _of_two(ops.bitwise_and, "Bits of both"), _of_two(ops.bitwise_or, "Bits of either")
bitwise_xor = _of_two(ops.bitwise_xor, "Bits of exactly one")
gcd, lcm = _of_two(ops.gcd, "The greatest common divisor"), _of_two(ops.lcm, "The least common multiple")


def divmod(x1: Any, x2: Any, dtype: Any = None) -> tuple[Any, Any]:
    """(x1 // x2, what is left), element by element."""
    return floor_divide(x1, x2, dtype), mod(x1, x2, dtype)


def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether elements differ by no more than ``atol + rtol * abs(b)``; NaN is close to NaN by ``equal_nan``."""
    return ops.isclose(as_float(a), as_float(b), rtol, atol, equal_nan)
