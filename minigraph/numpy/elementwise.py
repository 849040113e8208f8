"""Mathematical functions of elements: ``mnp.exp(x, dtype=None)``, ``mnp.add(x1, x2, dtype=None)``.

Each is the function of ``ops`` of that name; it also accepts numbers and lists, and casts its result to ``dtype``.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import TypeGuard

from minigraph import ops
from minigraph.core import missing_names
from minigraph.core.aliases import ArrayLike, DTypeLike, Function, TensorLike
from minigraph.core.errors import DTypeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import bool_, int64
from minigraph.numpy.conversion import as_float, as_single_float, as_tensor, cast_to
from minigraph.ops import functional
from minigraph.ops.functional.forms import functions_with

# ---- forms -----------------------------------------------------------------------------------------


def _as_tensors(*operands: ArrayLike) -> list[Tensor]:
    return [as_tensor(operand) for operand in operands]


def _as_floats(*operands: ArrayLike) -> list[Tensor]:
    return [as_float(operand) for operand in operands]


def _as_single_floats(*operands: ArrayLike) -> list[Tensor]:
    return [as_single_float(operand) for operand in operands]


def _as_bools(*operands: ArrayLike) -> list[Tensor]:
    return [ops.cast(as_tensor(operand), bool_) for operand in operands]


def _as_tensors_or_numbers(x1: ArrayLike, x2: ArrayLike) -> list[TensorLike]:
    """The operands as tensors; a number beside a tensor stays one, and takes its dtype."""
    first = x1 if _is_number(x1) and not _is_number(x2) else as_tensor(x1)
    return [first, x2 if _is_number(x2) else as_tensor(x2)]


def _is_number(value: ArrayLike) -> TypeGuard[float]:
    return isinstance(value, bool | int | float)


def _form(function: Function, convert: Function = _as_tensors, name: str = "", doc: str = "") -> Function:
    """A function of one or two tensors that converts its operands and the dtype of its result."""

    def of_one(x: ArrayLike, dtype: DTypeLike = None) -> Tensor:
        return cast_to(function(*convert(x)), dtype)

    def of_two(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike = None) -> Tensor:
        return cast_to(function(*convert(x1, x2)), dtype)

    operands = [key for key, each in inspect.signature(function).parameters.items() if each.default is each.empty]
    form, names = (of_one, ["x"]) if len(operands) == 1 else (of_two, ["x1", "x2"])
    renamed = dict(zip([*operands, "x", "y"], [*names[: len(operands)], *names], strict=False))
    first = (doc or function.__doc__ or "").partition("\n")[0].removesuffix(".")
    first = re.sub(r"\w+", lambda word: renamed.get(word[0], word[0]), first)
    form.__name__ = form.__qualname__ = name or function.__name__.strip("_")
    form.__doc__ = f"{first}. Element by element; cast to ``dtype`` when one is given."
    return form


CONVERSIONS: dict[str, Function] = {
    "numpy": _as_tensors, "numpy_float": _as_floats, "numpy_bool": _as_bools, "numpy_number": _as_tensors_or_numbers,
}  # fmt: skip
TABLE: dict[str, Function] = {
    name: _form(getattr(ops, name), convert, name)
    for form, convert in CONVERSIONS.items()
    for name in functions_with(form, functional)
}
globals().update(TABLE)
numpy_getattr: Callable[[str], Function] = missing_names.numpy_getattr  # for type checkers: they miss those of TABLE


# ---- unary -----------------------------------------------------------------------------------------


def _cbrt(x: Tensor) -> Tensor:
    """The cube root, at least Float32."""
    return ops.sign(x) * ops.abs(x) ** (1 / 3)


def _exp2(x: Tensor) -> Tensor:
    """2 to the power x, an integer for integers and 0 below 0."""
    return ops.exp2(x) if x.dtype.is_float else ops.pow(2, ops.cast(x, int64) if x.dtype is bool_ else x)


cbrt, exp2 = _form(_cbrt, _as_single_floats), _form(_exp2)
fabs, bitwise_not = TABLE["abs"], TABLE["invert"]
deg2rad = radians = _form(lambda x: x * (math.pi / 180), _as_floats, "deg2rad", "The angle in radians")
rad2deg = _form(lambda x: x * (180 / math.pi), _as_floats, "rad2deg", "The angle in degrees")
rint, fix = _form(ops.round, _as_floats, "rint", "The nearest integer, halves to even"), TABLE["trunc"]


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


def _copysign(a: Tensor, b: Tensor) -> Tensor:
    """abs(a) with the sign of b, in the dtype of a."""
    return ops.cast(ops.copysign(as_float(a), as_float(b)), a.dtype)


def _hypot(a: Tensor, b: Tensor) -> Tensor:
    """sqrt(a**2 + b**2)."""
    return ops.hypot(a, b) if a.dtype.is_float or b.dtype.is_float else ops.hypot(as_float(a), as_float(b))


def _heaviside(a: Tensor, b: Tensor) -> Tensor:
    """0 below 0, 1 above, b where a is 0."""
    return ops.where(a == 0, b, ops.cast(a > 0, a.dtype))


copysign, hypot, heaviside = _form(_copysign), _form(_hypot), _form(_heaviside)
subtract, power, mod = _form(ops.sub, name="subtract"), _form(ops.pow, name="power"), _form(ops.floor_mod, name="mod")
divide = TABLE["true_divide"]
float_power = _form(ops.pow, _as_single_floats, "float_power", "x to the power y, at least Float32")
_quotient = _form(ops.floor_divide, _as_tensors_or_numbers)


def divmod(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike = None) -> tuple[Tensor, Tensor]:
    """(x1 // x2, the remainder), element by element."""
    return _quotient(x1, x2, dtype), mod(x1, x2, dtype)


def isclose(a: ArrayLike, b: ArrayLike, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether abs(a - b) <= ``atol + rtol * abs(b)``; with ``equal_nan`` NaN is close to NaN."""
    return ops.isclose(as_float(a), as_float(b), rtol, atol, equal_nan)


__all__ = [  # noqa: PLE0604 - strings
    "around", "bitwise_not", "cbrt", "clip", "copysign", "deg2rad", "divide", "divmod", "exp2", "fabs", "fix",
    "float_power", "heaviside", "hypot", "isclose", "logical_not", "mod", "negative", "positive", "power", "rad2deg",
    "radians", "rint", "round", "signbit", "subtract", *TABLE,
]  # fmt: skip
