"""Comparison, logic, and tests for NaN and infinity."""

from __future__ import annotations

import math

from minigraph.core.aliases import TensorLike
from minigraph.core.float_limits import float_limits
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import comparison, elementwise
from minigraph.ops.functional.arithmetic import abs, sub
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.operator_functions import binary, rename_arguments, unary

FORMS = """
method mint: eq ge gt isclose le logical_not:LogicalNot lt nan_to_num ne
method mint numpy: equal:Equal greater:Greater greater_equal:GreaterEqual less:Less less_equal:LessEqual
    not_equal:NotEqual
method mint numpy_bool: logical_and:LogicalAnd logical_or:LogicalOr logical_xor:LogicalXor
method mint numpy_float: isfinite:IsFinite isinf:IsInf isneginf
method: approximate_equal
method numpy_float: isnan:IsNan isposinf
function: is_nonzero isnan_ext tensor_ge tensor_gt tensor_le tensor_lt
"""
export(globals())


# ---- comparison ------------------------------------------------------------------------------------


equal, not_equal = binary(comparison.EQUAL), binary(comparison.NOT_EQUAL)
less, less_equal = binary(comparison.LESS), binary(comparison.LESS_EQUAL)
greater, greater_equal = binary(comparison.GREATER), binary(comparison.GREATER_EQUAL)
eq, ne, lt, le, gt, ge = equal, not_equal, less, less_equal, greater, greater_equal
tensor_lt, tensor_le, tensor_gt, tensor_ge = less, less_equal, greater, greater_equal


def isclose(
    input: Tensor, other: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Whether abs(x - y) <= atol + rtol abs(y), as Bool; equal infinities are close, with ``equal_nan`` also NaNs."""
    is_within = apply(elementwise.ABS, input - other) <= apply(elementwise.ABS, other) * rtol + atol
    is_within = apply(comparison.LOGICAL_AND, is_within, apply(comparison.ISFINITE, other))
    close = apply(comparison.LOGICAL_OR, input == other, is_within)
    if not equal_nan:
        return close
    return apply(comparison.LOGICAL_OR, close, apply(comparison.LOGICAL_AND, input != input, other != other))


def approximate_equal(x: Tensor, y: TensorLike, tolerance: float = 1e-5) -> Tensor:
    """Whether elements differ by less than ``tolerance``."""
    return less(abs(sub(x, y)), tolerance)


def is_nonzero(input: Tensor) -> bool:
    """Whether the only element of a tensor is not 0.

    >>> from minigraph import Tensor
    >>> is_nonzero(Tensor([0.0]))
    False
    """
    return bool(input.item() != 0)


# ---- logic -----------------------------------------------------------------------------------------


logical_and, logical_or = binary(comparison.LOGICAL_AND), binary(comparison.LOGICAL_OR)
logical_xor, logical_not = binary(comparison.LOGICAL_XOR), unary(comparison.LOGICAL_NOT)

# ---- NaN and infinity ------------------------------------------------------------------------------


isnan, isinf, isfinite = unary(comparison.ISNAN), unary(comparison.ISINF), unary(comparison.ISFINITE)
isnan_ext = rename_arguments(unary(comparison.ISNAN), tensor="input")


def isposinf(input: Tensor) -> Tensor:
    """Whether x is plus infinity."""
    return input == math.inf


def isneginf(input: Tensor) -> Tensor:
    """Whether x is minus infinity."""
    return input == -math.inf


def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN replaced by ``nan`` (0), infinities by ``posinf`` and ``neginf`` (the finite limits of the dtype)."""
    if not input.dtype.is_float:
        return input
    largest = float_limits(input.dtype.numpy).max
    result = where(input != input, 0.0 if nan is None else nan, input)
    result = where(isposinf(input), largest if posinf is None else posinf, result)
    return where(isneginf(input), -largest if neginf is None else neginf, result)
