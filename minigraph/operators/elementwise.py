"""Elementwise arithmetic, mathematical functions, bitwise operators and casts.

``elementwise`` (in ``families``) fills in what these records share: type inference with broadcasting, samples, work.
A record states what is its own: the forward of arrays; ``vjp``, one gradient formula for each operand; ``kinds``, the
kinds of dtypes it takes (b bool, i integer, f float, c complex); ``to_float``, integers are computed as float32;
``lanes``, the instructions of a vector unit that it costs; ``into=False``, the forward cannot write into ``out=``.
"""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array, Attrs
from minigraph.core.op import Sample, apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, TensorType, bool_, float32, float64, int32
from minigraph.operators.families import check_dtype, elementwise, ufunc
from minigraph.operators.samples import binary_samples, unary_samples

# ---- arithmetic ------------------------------------------------------------------------------------

ADD = elementwise(
    "add", ufunc(np.add), commutative=True,
    vjp=(lambda g, out, x, y: g, lambda g, out, x, y: g),
    doc="x + y; of two bools the logical or.",
)  # fmt: skip
SUB = elementwise(
    "sub", ufunc(np.subtract), kinds="ifc",
    vjp=(lambda g, out, x, y: g, lambda g, out, x, y: -g),
    doc="x - y.",
)  # fmt: skip
MUL = elementwise(
    "mul", ufunc(np.multiply), commutative=True,
    vjp=(lambda g, out, x, y: g * y, lambda g, out, x, y: g * x),
    doc="x * y; of two bools the logical and.",
)  # fmt: skip
DIV = elementwise(
    "div", ufunc(np.true_divide), kinds="fc", lanes=("special",), to_float=True,
    vjp=(lambda g, out, x, y: g / y, lambda g, out, x, y: -(g * out) / y),
    doc="x / y; integers are divided as float32.",
)  # fmt: skip
FLOOR_DIV = elementwise(
    "floor_div", ufunc(np.floor_divide), kinds="if", lanes=("special", "simple"),
    vjp=(None, None),
    doc="The largest whole number not above x / y.",
)  # fmt: skip
FLOOR_MOD = elementwise(
    "floor_mod", ufunc(np.remainder), kinds="if", lanes=("special", "simple", "simple", "simple"),
    vjp=(lambda g, out, x, y: g, lambda g, out, x, y: -g * apply("floor_div", x, y)),
    doc="x - y * floor(x / y), with the sign of y as in Python.",
    samples=binary_samples("if", 0.6, 0.9),
)  # fmt: skip


def _power(x: Array, y: Array) -> Array:
    """x^y; numpy refuses integers to negative powers, which are 1 or -1 for those bases, and 0 for others."""
    if x.dtype.kind not in "iu":
        return np.power(x, y, casting="no", order="C")
    powers = np.power(x, np.maximum(y, 0))
    reciprocals = np.where((x == 1) | (x == -1), np.power(x, np.abs(y) % 2), 0)
    return np.where(y < 0, reciprocals, powers).astype(x.dtype)


def _power_wrt_base(g: Tensor, out: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """y x^(y-1), and 0 where y is 0, for every x."""
    zero = apply("equal", y, 0)
    return g * apply("where", zero, 0, y * x ** apply("where", zero, 1, y - 1))


def _power_wrt_exponent(g: Tensor, out: Tensor, x: Tensor, y: Tensor) -> Tensor | None:
    """x^y ln x, and 0 where x is 0 and y is not negative, the limit for y > 0; ``None`` for integers."""
    if not x.dtype.is_float:
        return None
    zero = apply("logical_and", apply("equal", x, 0), apply("greater_equal", y, 0))
    return g * out * apply("log", apply("where", zero, 1, x))


POW = elementwise(
    "pow", _power, into=False, kinds="ifc", lanes=("special", "special", "simple"),
    vjp=(_power_wrt_base, _power_wrt_exponent),
    doc="x to the power y; integers to negative powers are truncated: 0 except for 1 and -1.",
)  # fmt: skip


def _tie_grad(g: Tensor, x: Tensor, other: Tensor, compare: str) -> Tensor:
    """The gradient of the operand x: g where x is the result, half of it at a tie."""
    return apply("where", apply(compare, x, other), g, apply("where", apply("equal", x, other), g * 0.5, 0))


MAXIMUM = elementwise(
    "maximum", ufunc(np.maximum), kinds="bif",
    vjp=(lambda g, out, x, y: _tie_grad(g, x, y, "greater"), lambda g, out, x, y: _tie_grad(g, y, x, "greater")),
    doc="The larger of x and y, NaN if either is; at a tie each operand gets half of the gradient.",
)  # fmt: skip
MINIMUM = elementwise(
    "minimum", ufunc(np.minimum), kinds="bif",
    vjp=(lambda g, out, x, y: _tie_grad(g, x, y, "less"), lambda g, out, x, y: _tie_grad(g, y, x, "less")),
    doc="The smaller of x and y, NaN if either is; at a tie each operand gets half of the gradient.",
)  # fmt: skip


# ---- bitwise ---------------------------------------------------------------------------------------


def _bit_samples(rng: np.random.Generator) -> list[Sample]:
    integers, bools = (rng.integers(-9, 9, (2, 3)), rng.integers(-9, 9, 3)), rng.integers(0, 2, (2, 4)).astype(bool)
    return [Sample(integers, smooth=False), Sample((*bools,), smooth=False)]


BITWISE_AND, BITWISE_OR, BITWISE_XOR = (
    elementwise(
        f"bitwise_{word}",
        ufunc(function),
        kinds="bi",
        commutative=True,
        vjp=(None, None),
        doc=doc,
        samples=_bit_samples,
    )
    for word, function, doc in (
        ("and", np.bitwise_and, "The bits set in x and in y; of two bools, whether both hold."),
        ("or", np.bitwise_or, "The bits set in x or in y; of two bools, whether one holds."),
        ("xor", np.bitwise_xor, "The bits set in just one of x and y; of two bools, whether just one holds."),
    )
)


# ---- one operand -----------------------------------------------------------------------------------

NEG = elementwise("neg", ufunc(np.negative), kinds="ifc", vjp=(lambda g, out, x: -g,), doc="-x.")
ABS = elementwise(
    "abs", ufunc(np.abs), kinds="bif", vjp=(lambda g, out, x: g * apply("sign", x),),
    doc="The absolute value; its derivative at 0 is 0.",
)  # fmt: skip
SIGN = elementwise(
    "sign", ufunc(np.sign), kinds="if", vjp=(None,), doc="-1, 0 or 1 by the sign of x; NaN stays NaN.",
)  # fmt: skip


SQUARE = elementwise(
    "square", ufunc(np.square), kinds="ifc",
    vjp=(lambda g, out, x: g * (x * 2),), doc="x * x.",
)  # fmt: skip
EXP = elementwise(
    "exp", ufunc(np.exp), kinds="fc", lanes=("special",), vjp=(lambda g, out, x: g * out,), doc="e to the power x."
)
EXPM1 = elementwise(
    "expm1", ufunc(np.expm1), kinds="fc", lanes=("special", "simple"), vjp=(lambda g, out, x: g * (out + 1),),
    doc="e to the power x, minus 1, exact near 0.",
)  # fmt: skip
LOG = elementwise(
    "log", ufunc(np.log), kinds="fc", lanes=("special",),
    vjp=(lambda g, out, x: g / x,),
    doc="The natural logarithm.", samples=unary_samples(0.5, 3.0),
)  # fmt: skip
LOG1P = elementwise(
    "log1p", ufunc(np.log1p), kinds="fc", lanes=("simple", "special"), vjp=(lambda g, out, x: g / (x + 1),),
    doc="The natural logarithm of 1 + x, exact near 0.", samples=unary_samples(-0.5, 3.0),
)  # fmt: skip
SQRT = elementwise(
    "sqrt", ufunc(np.sqrt), kinds="fc", lanes=("special",),
    vjp=(lambda g, out, x: g * 0.5 / out,),
    to_float=True,
    doc="The square root, of integers as float32; its derivative at 0 is inf.", samples=unary_samples(0.5, 3.0),
)  # fmt: skip


def _rsqrt(x: Array, out: Array | None = None) -> Array:
    root = np.sqrt(x, out=out, casting="no", order="C")
    return np.true_divide(x.dtype.type(1), root, out=out)


RSQRT = elementwise(
    "rsqrt", _rsqrt, kinds="f", lanes=("special", "special"),
    vjp=(lambda g, out, x: g * -0.5 * out / x,),
    doc="1 / sqrt(x).", samples=unary_samples(0.5, 3.0),
    expand=lambda x: 1 / apply("sqrt", x),
)  # fmt: skip
RECIPROCAL = elementwise(
    "reciprocal", ufunc(np.reciprocal), kinds="fc", lanes=("special",),
    vjp=(lambda g, out, x: -(g * out * out),),
    to_float=True, doc="1 / x, of integers as float32.", samples=unary_samples(0.5, 3.0),
)  # fmt: skip
# The vendor's library (Tanh for 910B, high precision) computes a polynomial for small x and (e^2x - 1) / (e^2x + 1) for
# the others, and selects one of both.
TANH = elementwise(
    "tanh", ufunc(np.tanh), kinds="fc", lanes=("special", *("simple",) * 17, "special"),
    vjp=(lambda g, out, x: g * (1 - out * out),),
    doc="The hyperbolic tangent.",
)  # fmt: skip
SIN = elementwise(
    "sin", ufunc(np.sin), kinds="fc", lanes=("special", "special"), vjp=(lambda g, out, x: g * apply("cos", x),),
    doc="The sine of x in radians.",
)  # fmt: skip
COS = elementwise(
    "cos", ufunc(np.cos), kinds="fc", lanes=("special", "special"), vjp=(lambda g, out, x: -(g * apply("sin", x)),),
    doc="The cosine of x in radians.",
)  # fmt: skip
TAN = elementwise(
    "tan", ufunc(np.tan), kinds="fc", lanes=("special", "special", "special"),
    vjp=(lambda g, out, x: g * (1 + out * out),),
    doc="The tangent of x in radians.", samples=unary_samples(-1.2, 1.2),
)  # fmt: skip
SINH = elementwise(
    "sinh", ufunc(np.sinh), kinds="fc", lanes=("special", "special", "simple"),
    vjp=(lambda g, out, x: g * apply("cosh", x),), doc="The hyperbolic sine.",
)  # fmt: skip
COSH = elementwise(
    "cosh", ufunc(np.cosh), kinds="fc", lanes=("special", "special", "simple"),
    vjp=(lambda g, out, x: g * apply("sinh", x),), doc="The hyperbolic cosine.",
)  # fmt: skip
ASIN = elementwise(
    "asin", ufunc(np.arcsin), kinds="fc", lanes=("special", "special"),
    vjp=(lambda g, out, x: g / apply("sqrt", 1 - x * x),),
    doc="The inverse sine, in radians.", samples=unary_samples(-0.8, 0.8),
)  # fmt: skip
ACOS = elementwise(
    "acos", ufunc(np.arccos), kinds="fc", lanes=("special", "special"),
    vjp=(lambda g, out, x: -(g / apply("sqrt", 1 - x * x)),),
    doc="The inverse cosine, in radians.", samples=unary_samples(-0.8, 0.8),
)  # fmt: skip
ATAN = elementwise(
    "atan", ufunc(np.arctan), kinds="fc", lanes=("special", "special"), vjp=(lambda g, out, x: g / (1 + x * x),),
    doc="The inverse tangent, in radians.",
)  # fmt: skip
FLOOR = elementwise(
    "floor", ufunc(np.floor), kinds="f", vjp=(None,), doc="The largest whole number not above x."
)  # fmt: skip
CEIL = elementwise(
    "ceil", ufunc(np.ceil), kinds="f", vjp=(None,), doc="The smallest whole number not below x."
)  # fmt: skip


def _round(x: Array) -> Array:
    return np.rint(x, casting="no", order="C") if x.dtype.kind == "f" else x.copy()


ROUND = elementwise(
    "round", _round, kinds="if", into=False, vjp=(None,), doc="The nearest whole number, halves to even."
)


# ---- cast ------------------------------------------------------------------------------------------


def _cast(x: Array, *, dtype: DType, out: Array | None = None) -> Array:
    if x.dtype.kind == "c" and dtype.kind != "c":
        x = x.real
    if out is None:
        return x.astype(dtype.numpy, order="C")
    np.copyto(out, x, casting="unsafe")
    return out


def _cast_types(x: TensorType, *, dtype: DType) -> TensorType:
    return TensorType(x.shape, dtype)


def _cast_attrs(x: Tensor, *, dtype: DType) -> Attrs:
    return {"dtype": check_dtype("cast", dtype)}


def _cast_samples(rng: np.random.Generator) -> list[Sample]:
    return [
        Sample((rng.normal(size=(2, 3)),), {"dtype": float32}, smooth=False),
        Sample((rng.integers(-5, 5, 4),), {"dtype": float32}, smooth=False),
        Sample((np.array([0.0, 2.7, -2.7]),), {"dtype": int32}, smooth=False),
        Sample((rng.normal(size=3),), {"dtype": float64}),
    ]


def _cast_back(g: Tensor, x: Tensor, dtype: DType) -> Tensor | None:
    """The gradient in the operand's dtype; ``None`` for a bool operand, and for a float cast to an integer."""
    is_constant = x.dtype is bool_ or (x.dtype.is_float and not dtype.is_float)
    return None if is_constant else apply("cast", g, dtype=x.dtype)


CAST = elementwise(
    "cast", _cast, infer=_cast_types, canonical=_cast_attrs, lanes=("cast",),
    vjp=(lambda g, out, x, dtype: _cast_back(g, x, dtype),),
    doc="The same values in another dtype; floats are truncated to integers, complex numbers to their real part.",
    label=lambda attrs: f"cast {attrs['dtype'].short}", samples=_cast_samples,
)  # fmt: skip
