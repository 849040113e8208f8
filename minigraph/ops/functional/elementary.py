"""Elementary and special functions: exponentials, logarithms, roots, trigonometry, the error function."""

from __future__ import annotations

import math
from typing import Any

from minigraph.core.aliases import TensorLike
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import complex64, complex128, float64
from minigraph.operators import comparison, elementary, elementwise, special
from minigraph.ops.functional.arithmetic import clip, div, maximum
from minigraph.ops.functional.comparison import equal
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.operator_functions import binary, rename_arguments, unary

FORMS = """
method mint: acos:ACos acosh:Acosh asin:Asin asinh:Asinh atan:Atan atan2:Atan2 atanh:Atanh erf:Erf erfc:Erfc
    erfinv:Erfinv float_power rsqrt:Rsqrt sinc:Sinc xlogy:Xlogy
method mint numpy_float: arccos arccosh arcsinh arctan arctan2 arctanh cos:Cos cosh:Cosh expm1:Expm1 log1p:Log1p log2
    log10 logaddexp logaddexp2 sin:Sin sinh:Sinh tan:Tan
method: deg2rad hypot:Hypot ldexp logit rad2deg xdivy:Xdivy
method numpy_float: arcsin
mint: exp2
mint numpy_float: exp:Exp log:Log sqrt:Sqrt tanh:Tanh
function: tensor_exp tensor_expm1
"""
export(globals())


# ---- exponentials, logarithms and roots ------------------------------------------------------------


exp, expm1, log, log1p = map(unary, (elementwise.EXP, elementwise.EXPM1, elementwise.LOG, elementwise.LOG1P))
sqrt = rename_arguments(unary(elementwise.SQRT), x="input")
rsqrt = unary(elementwise.RSQRT)
log2, log10, exp2 = unary(elementary.LOG2), unary(elementary.LOG10), unary(elementary.EXP2)
tensor_exp, tensor_expm1 = exp, expm1


def logaddexp(input: Tensor, other: TensorLike) -> Tensor:
    """log(exp(x) + exp(y)), without overflow."""
    ratio = apply(elementwise.EXP, -apply(elementwise.ABS, input - other))
    return maximum(input, other) + apply(elementwise.LOG1P, ratio)


def logaddexp2(input: Tensor, other: TensorLike) -> Tensor:
    """log2(2^x + 2^y), without overflow."""
    ratio = exp2(-apply(elementwise.ABS, input - other))
    return maximum(input, other) + apply(elementwise.LOG1P, ratio) / math.log(2)


def xlogy(input: Tensor, other: TensorLike) -> Tensor:
    """x log(y), and 0 where x is 0 unless y is NaN."""
    is_infinite = apply(comparison.EQUAL, other, math.inf)
    infinite = apply(comparison.LOGICAL_OR, apply(comparison.LESS_EQUAL, other, 0), is_infinite)
    zero = apply(comparison.LOGICAL_AND, apply(comparison.EQUAL, input, 0), infinite)
    return where(zero, 0.0, input * apply(elementwise.LOG, where(zero, 1.0, other)))


def xdivy(x: Tensor, y: TensorLike) -> Tensor:
    """x / y, and 0 where x is 0."""
    zero = equal(x, 0)
    return where(zero, 0.0, div(x, where(zero, 1.0, y) if isinstance(y, Tensor) else y))


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(p / (1 - p)), with p clamped to [``eps``, 1 - ``eps``] if ``eps`` is given."""
    p = input if eps is None else clip(input, eps, 1 - eps)
    return apply(elementwise.LOG, p / (1 - p))


def ldexp(x: Tensor, other: TensorLike) -> Tensor:
    """x 2^other; integers are converted to Float32."""
    power = apply(elementary.EXP2, other)
    return x * (cast(power, x.dtype) if x.dtype.is_float else power)


def float_power(input: Tensor, exponent: TensorLike) -> Tensor:
    """Powers computed in Float64, or in Complex128 for complex numbers."""
    tensors = [x for x in (input, exponent) if isinstance(x, Tensor)]
    dtype = complex128 if any(x.dtype in (complex64, complex128) for x in tensors) else float64
    base, power = (cast(x, dtype) if isinstance(x, Tensor) else x for x in (input, exponent))
    return apply(elementwise.POW, base, power)


# ---- trigonometric and hyperbolic functions --------------------------------------------------------


sin, cos, tan, tanh = map(unary, (elementwise.SIN, elementwise.COS, elementwise.TAN, elementwise.TANH))
sinh, cosh, asin = map(unary, (elementwise.SINH, elementwise.COSH, elementwise.ASIN))
acos, atan = unary(elementwise.ACOS), unary(elementwise.ATAN)
asinh, acosh, atanh = unary(elementary.ASINH), unary(elementary.ACOSH), unary(elementary.ATANH)
atan2 = binary(elementary.ATAN2)
arcsin = rename_arguments(unary(elementwise.ASIN), x="input")
arccos, arctan = unary(elementwise.ACOS), unary(elementwise.ATAN)
arcsinh, arccosh, arctanh, arctan2 = asinh, acosh, atanh, atan2


def hypot(input: Tensor, other: TensorLike) -> Tensor:
    """sqrt(x^2 + y^2), also where the squares would overflow or vanish: both are divided by the larger one first.

    >>> print(hypot(Tensor(3e30), 4e30))
    5e+30
    """
    length: Any = abs(other)
    largest = maximum(abs(input), length)
    if not largest.dtype.is_float:
        return apply(elementwise.SQRT, input * input + other * other)
    is_scale = (largest > 0) & apply(comparison.ISFINITE, largest)
    scale = apply("stop_gradient", where(is_scale, largest, 1))  # the result does not depend on it
    x, y = input / scale, other / scale
    return apply(elementwise.SQRT, x * x + y * y) * scale


def deg2rad(x: Tensor) -> Tensor:
    """Degrees converted to radians."""
    return x * (math.pi / 180)


def rad2deg(x: Tensor) -> Tensor:
    """Radians converted to degrees."""
    return x * (180 / math.pi)


def sinc(input: Tensor) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    zero = input == 0
    angle = where(zero, 1.0, input) * math.pi
    return where(zero, 1.0, apply(elementwise.SIN, angle) / angle)


# ---- special functions -----------------------------------------------------------------------------


erf = unary(special.ERF)
erfinv = unary(elementary.ERFINV)


def erfc(input: Tensor) -> Tensor:
    """1 - erf(x)."""
    return 1 - apply(special.ERF, input)
