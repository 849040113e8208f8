"""Primitives of arithmetic on elements: sums, products, quotients, rounding, limits and bits."""

from __future__ import annotations

from minigraph.core.aliases import TensorLike
from minigraph.core.tensor import Tensor
from minigraph.operators import elementwise
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "Abs", "AccumulateNV2", "Add", "AddN", "Addcdiv", "Addcmul", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Cast",
    "Ceil", "Div", "DivNoNan", "Floor", "FloorDiv", "FloorMod", "Fmax", "Fmin", "Gcd", "Heaviside", "Inv", "Invert",
    "Lcm", "LeftShift", "Lerp", "LerpScalar", "Maximum", "Minimum", "Mod", "Mul", "MulNoNan", "Neg",
    "PopulationCount", "Pow", "RealDiv", "Reciprocal", "RightShift", "Rint", "Round", "Sign", "Square",
    "SquaredDifference", "Sub", "TensorAdd", "Trunc", "TruncateDiv", "TruncateMod",
]  # fmt: skip


def _div_no_nan(x: Tensor, y: TensorLike) -> Tensor:
    """x / y, and 0 where y is 0."""
    zero = F.equal(y, 0)
    return F.where(zero, 0.0, F.div(x, F.where(zero, 1.0, y)))


def _mul_no_nan(x: Tensor, y: TensorLike) -> Tensor:
    """x * y, and 0 where y is 0, even if x is infinite."""
    zero = F.equal(y, 0)
    return F.where(zero, 0, F.mul(F.where(zero, 0, x), y))


def _squared_difference(x: Tensor, y: TensorLike) -> Tensor:
    """(x - y)²."""
    return F.square(F.sub(x, y))


def _addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Tensor) -> Tensor:
    """input + value tensor1 tensor2, in the dtype of the input."""
    return F.cast(F.addcmul(input, tensor1, tensor2, value), input.dtype)


def _addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Tensor) -> Tensor:
    """input + value tensor1 / tensor2, in the dtype of the input."""
    return F.cast(F.addcdiv(input, tensor1, tensor2, value), input.dtype)


Add, Sub, Mul = primitive("Add", F.add), primitive("Sub", F.sub), primitive("Mul", F.mul)
Div, RealDiv = primitive("Div", F.div, elementwise.DIV), primitive("RealDiv", F.div)
FloorDiv, FloorMod = primitive("FloorDiv", F.floor_div), primitive("FloorMod", F.floor_mod)
Mod, TruncateDiv = primitive("Mod", F.fmod), primitive("TruncateDiv", F.truncate_div)
TruncateMod = primitive("TruncateMod", F.truncate_mod)
DivNoNan, MulNoNan = primitive("DivNoNan", _div_no_nan), primitive("MulNoNan", _mul_no_nan)
Pow, Square = primitive("Pow", F.pow, elementwise.POW), primitive("Square", F.square)
SquaredDifference = primitive("SquaredDifference", _squared_difference)
Neg, Abs, Sign = primitive("Neg", F.neg), primitive("Abs", F.abs), primitive("Sign", F.sign)
Reciprocal, Inv = primitive("Reciprocal", F.reciprocal), primitive("Inv", F.reciprocal)
TensorAdd, Lerp = primitive("TensorAdd", F.add), primitive("Lerp", F.lerp)
Addcmul, Addcdiv = primitive("Addcmul", _addcmul), primitive("Addcdiv", _addcdiv)
AddN, AccumulateNV2 = primitive("AddN", F.addn), primitive("AccumulateNV2", F.accumulate_n)
Floor, Ceil, Round = primitive("Floor", F.floor), primitive("Ceil", F.ceil), primitive("Round", F.round)
Rint, Trunc = primitive("Rint", F.round), primitive("Trunc", F.trunc)
Maximum, Minimum = primitive("Maximum", F.maximum), primitive("Minimum", F.minimum)
Fmax, Fmin = primitive("Fmax", F.fmax), primitive("Fmin", F.fmin)
Heaviside = primitive("Heaviside", F.heaviside)
BitwiseAnd, BitwiseOr = primitive("BitwiseAnd", F.bitwise_and), primitive("BitwiseOr", F.bitwise_or)
BitwiseXor, Invert = primitive("BitwiseXor", F.bitwise_xor), primitive("Invert", F.invert)
Cast = primitive("Cast", F.cast, elementwise.CAST)

Gcd, Lcm = primitive("Gcd", F.gcd), primitive("Lcm", F.lcm)
PopulationCount, LerpScalar = primitive("PopulationCount", F.population_count), primitive("LerpScalar", F.lerp)
LeftShift = primitive("LeftShift", F.bitwise_left_shift)
RightShift = primitive("RightShift", F.bitwise_right_shift)
