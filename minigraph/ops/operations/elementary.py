"""Primitives of single elements, alone and in pairs, and of linear algebra."""

from __future__ import annotations

from typing import Any

from minigraph.core.types import complex64, complex128, float64
from minigraph.ops.functional import activations, bands, elementary, linalg, math, matrices, nn, plain
from minigraph.ops.functional.array import tril, triu
from minigraph.ops.functional.making import diag
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "GLU",
    "ACos",
    "AccumulateNV2",
    "Acosh",
    "AddN",
    "Addcdiv",
    "Addcmul",
    "Angle",
    "ApproximateEqual",
    "Asin",
    "Asinh",
    "Atan",
    "Atan2",
    "Atanh",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "CeLU",
    "Cholesky",
    "Complex",
    "ComplexAbs",
    "Conj",
    "Cosh",
    "Cross",
    "Dense",
    "Diag",
    "DivNoNan",
    "Einsum",
    "Elu",
    "Erfc",
    "Erfinv",
    "Expm1",
    "FastGeLU",
    "Fmax",
    "Fmin",
    "Ger",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Heaviside",
    "Hypot",
    "Imag",
    "Inv",
    "Invert",
    "IsClose",
    "IsFinite",
    "IsInf",
    "IsNan",
    "L2Loss",
    "Lerp",
    "Log1p",
    "LogMatrixDeterminant",
    "LogicalXor",
    "Logit",
    "MatrixDeterminant",
    "MatrixInverse",
    "Mish",
    "Mod",
    "MulNoNan",
    "NanToNum",
    "PReLU",
    "ReLU6",
    "Real",
    "Rint",
    "SeLU",
    "Sinh",
    "SoftShrink",
    "Softplus",
    "Softsign",
    "SquareSumAll",
    "SquaredDifference",
    "TensorAdd",
    "Trace",
    "Tril",
    "Triu",
    "Trunc",
    "TruncateDiv",
    "TruncateMod",
    "Xdivy",
    "Xlogy",
]  # fmt: skip


def _without_nan(x: Any, y: Any) -> Any:
    """x / y, and 0 wherever y is 0."""
    none = math.equal(y, 0)
    return math.where(none, 0.0, math.div(x, math.where(none, 1.0, y)))


def _mul_no_nan(x: Any, y: Any) -> Any:
    """x * y, and 0 wherever y is 0, also of infinity."""
    none = math.equal(y, 0)
    return math.where(none, 0.0, math.mul(math.where(none, 0.0, x), y))


def _squared_difference(x: Any, y: Any) -> Any:
    """(x - y)²."""
    return math.square(math.sub(x, y))


def _square_sums(x: Any, y: Any) -> tuple[Any, Any]:
    """(the sum of x², the sum of y²)."""
    return math.sum(math.square(x)), math.sum(math.square(y))


def _half_of_squares(x: Any) -> Any:
    """Half of the sum of the squares."""
    return math.sum(math.square(x)) / 2


def _complex(real: Any, imag: Any) -> Any:
    """real + i imag."""
    wide = complex128 if real.dtype is float64 else complex64
    return math.cast(real, wide) + math.cast(imag, wide) * 1j


def _size(x: Any) -> Any:
    """How far complex numbers are from 0."""
    return elementary.hypot(elementary.real(x), elementary.imag(x))


def _matrix_inverse(x: Any, *, adjoint: bool) -> Any:
    """The inverse of square matrices, or of their adjoints."""
    return matrices.inverse(elementary.adjoint(x) if adjoint else x)


def _logit(input: Any, *, eps: float) -> Any:
    """log(x / (1 - x)), x held in [eps, 1 - eps] unless eps is below 0."""
    return elementary.logit(input, None if eps < 0 else eps)


def _einsum(x: Any, *, equation: str) -> Any:
    """The sum of products that the equation describes, of tensors in a tuple."""
    return linalg.einsum(equation, *x)


# ---- one operand -----------------------------------------------------------------------------------

Asin, ACos, Atan = primitive("Asin", math.asin), primitive("ACos", math.acos), primitive("Atan", math.atan)
Asinh, Acosh = primitive("Asinh", elementary.asinh), primitive("Acosh", elementary.acosh)
Atanh, Sinh, Cosh = primitive("Atanh", elementary.atanh), primitive("Sinh", math.sinh), primitive("Cosh", math.cosh)
Expm1, Log1p, Inv = primitive("Expm1", math.expm1), primitive("Log1p", math.log1p), primitive("Inv", math.reciprocal)
Erfc, Erfinv = primitive("Erfc", elementary.erfc), primitive("Erfinv", elementary.erfinv)
Rint, Trunc = primitive("Rint", math.round), primitive("Trunc", elementary.trunc)
IsNan, IsInf, IsFinite = (
    primitive("IsNan", math.isnan), primitive("IsInf", math.isinf), primitive("IsFinite", math.isfinite)
)  # fmt: skip
Real, Imag, Conj = (
    primitive("Real", elementary.real), primitive("Imag", elementary.imag), primitive("Conj", elementary.conj)
)  # fmt: skip
Angle, ComplexAbs, Invert = (
    primitive("Angle", elementary.angle), primitive("ComplexAbs", _size), primitive("Invert", elementary.invert)
)  # fmt: skip
NanToNum = primitive("NanToNum", elementary.nan_to_num, nan=None, posinf=None, neginf=None)
Logit, L2Loss = primitive("Logit", _logit, eps=-1.0), primitive("L2Loss", _half_of_squares)

# ---- activations -----------------------------------------------------------------------------------

ReLU6, SeLU, Mish = (
    primitive("ReLU6", activations.relu6), primitive("SeLU", activations.selu), primitive("Mish", activations.mish)
)  # fmt: skip
Elu, CeLU = primitive("Elu", activations.elu, alpha=1.0), primitive("CeLU", activations.celu, alpha=1.0)
HSigmoid, HSwish = primitive("HSigmoid", activations.hardsigmoid), primitive("HSwish", activations.hardswish)
HShrink = primitive("HShrink", activations.hardshrink, lambd=0.5)
SoftShrink = primitive("SoftShrink", activations.softshrink, lambd=0.5)
Softplus, Softsign = primitive("Softplus", nn.softplus), primitive("Softsign", activations.softsign)
FastGeLU, PReLU = primitive("FastGeLU", activations.fast_gelu), primitive("PReLU", activations.prelu)
GLU = primitive("GLU", activations.glu, axis=-1)

# ---- several operands ------------------------------------------------------------------------------

AddN, AccumulateNV2 = primitive("AddN", linalg.addn), primitive("AccumulateNV2", plain.accumulate_n)
TensorAdd, Atan2 = primitive("TensorAdd", math.add), primitive("Atan2", elementary.atan2)
Mod, TruncateDiv = primitive("Mod", elementary.fmod), primitive("TruncateDiv", elementary.truncate_div)
TruncateMod = primitive("TruncateMod", elementary.truncate_mod)
DivNoNan, MulNoNan = primitive("DivNoNan", _without_nan), primitive("MulNoNan", _mul_no_nan)
Xdivy, Xlogy = primitive("Xdivy", plain.xdivy), primitive("Xlogy", elementary.xlogy)
Hypot, Heaviside = primitive("Hypot", elementary.hypot), primitive("Heaviside", elementary.heaviside)
Fmax, Fmin = primitive("Fmax", elementary.fmax), primitive("Fmin", elementary.fmin)
Lerp, Complex = primitive("Lerp", elementary.lerp), primitive("Complex", _complex)
Addcmul, Addcdiv = primitive("Addcmul", elementary.addcmul), primitive("Addcdiv", elementary.addcdiv)
SquaredDifference = primitive("SquaredDifference", _squared_difference)
SquareSumAll = primitive("SquareSumAll", _square_sums)
BitwiseAnd, BitwiseOr = primitive("BitwiseAnd", math.bitwise_and), primitive("BitwiseOr", math.bitwise_or)
BitwiseXor, LogicalXor = primitive("BitwiseXor", math.bitwise_xor), primitive("LogicalXor", math.logical_xor)
ApproximateEqual = primitive("ApproximateEqual", plain.approximate_equal, tolerance=1e-5)
IsClose = primitive("IsClose", elementary.isclose, rtol=1e-5, atol=1e-8, equal_nan=False)

# ---- matrices --------------------------------------------------------------------------------------

Dense, Einsum = primitive("Dense", nn.dense), primitive("Einsum", _einsum, equation=REQUIRED)
Cross, Ger = primitive("Cross", linalg.cross, dim=None), primitive("Ger", linalg.ger)
Cholesky = primitive("Cholesky", matrices.cholesky, upper=False)
MatrixInverse = primitive("MatrixInverse", _matrix_inverse, adjoint=False)
MatrixDeterminant = primitive("MatrixDeterminant", bands.matrix_determinant)
LogMatrixDeterminant = primitive("LogMatrixDeterminant", bands.log_matrix_determinant)
Trace, Diag = primitive("Trace", matrices.trace), primitive("Diag", diag)
Tril, Triu = primitive("Tril", tril, diagonal=0), primitive("Triu", triu, diagonal=0)
