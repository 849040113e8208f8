"""Primitives of arithmetic on elements: sums, products, quotients, rounding, limits and bits."""

from __future__ import annotations

from minigraph.core.aliases import TensorLike
from minigraph.core.tensor import Tensor
from minigraph.operators import elementwise
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Addcdiv", "Addcmul", "Cast", "Div", "DivNoNan", "MulNoNan", "Pow", "SquaredDifference"]


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


Div = primitive("Div", F.div, elementwise.DIV)
DivNoNan, MulNoNan = primitive("DivNoNan", _div_no_nan), primitive("MulNoNan", _mul_no_nan)
Pow = primitive("Pow", F.pow, elementwise.POW)
SquaredDifference = primitive("SquaredDifference", _squared_difference)
Addcmul, Addcdiv = primitive("Addcmul", _addcmul), primitive("Addcdiv", _addcdiv)
Cast = primitive("Cast", F.cast, elementwise.CAST)
