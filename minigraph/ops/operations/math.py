"""Primitives of arithmetic, comparison, logic, reductions and matrix products."""

from __future__ import annotations

from typing import Any

from minigraph.core.errors import ValueArgument
from minigraph.core.op import Op, apply
from minigraph.operators import compare, elementwise, linalg, reduce
from minigraph.ops.functional import math, norms
from minigraph.ops.primitive import Configured, primitive

__all__ = [
    "Abs", "Add", "BatchMatMul", "Cast", "Ceil", "Cos", "Div", "Equal", "Erf", "Exp", "Floor", "FloorDiv", "FloorMod",
    "Greater", "GreaterEqual", "Less", "LessEqual", "Log", "LogicalAnd", "LogicalNot", "LogicalOr", "LpNorm",
    "MatMul", "Maximum", "Minimum", "Mul", "Neg", "NotEqual", "Pow", "RealDiv", "Reciprocal", "ReduceAll", "ReduceAny",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceStd", "ReduceSum", "Round", "Rsqrt", "Select",
    "Sign", "Sin", "Sqrt", "Square", "Sub", "Tan", "Tanh",
]  # fmt: skip


def _matmul(x: Any, y: Any, transpose_a: bool, transpose_b: bool) -> Any:
    if x.ndim != 2 or y.ndim != 2:
        raise ValueArgument("MatMul inputs should have the same dimension size and equal to 2.")
    return _batch_matmul(x, y, transpose_a, transpose_b)


def _batch_matmul(x: Any, y: Any, transpose_a: bool, transpose_b: bool) -> Any:
    return math.matmul(x.mT if transpose_a else x, y.mT if transpose_b else y)


def _reduction(name: str, op: Op, logical: bool = False) -> type[Configured]:
    """A reduction in the dtype of its operand, or, a ``logical`` one, in Bool."""

    def reduced(x: Any, axis: Any = (), *, keep_dims: bool) -> Any:
        found = apply(op, x, axis=axis, keepdims=keep_dims)
        return found if logical or found.dtype is x.dtype else math.cast(found, x.dtype)

    return primitive(name, reduced, op, keep_dims=False)


def _sum(x: Any, axis: Any = (), *, keep_dims: bool, skip_mode: bool) -> Any:
    """The sum over axes (``()``: all, or with ``skip_mode`` none), in the dtype of the tensor."""
    return x if skip_mode and axis in ((), []) else math.reduce_sum(x, axis, keep_dims)


def _std_and_mean(x: Any, *, axis: Any, unbiased: bool, keep_dims: bool) -> tuple[Any, Any]:
    """(standard deviation, mean) over axes (``()``: all)."""
    return math.std(x, axis, int(unbiased), keep_dims), math.mean(x, axis, keep_dims)


def _lp_norm(x: Any, *, axis: Any, p: int, keep_dims: bool, epsilon: float) -> Any:
    """The p-norm over axes, at least ``epsilon``; p = 0 counts what is not 0."""
    return math.maximum(norms.vector_norm(x, p, axis, keep_dims), epsilon)


Add, Sub, Mul = primitive("Add", math.add), primitive("Sub", math.sub), primitive("Mul", math.mul)
Div, RealDiv = primitive("Div", math.div, elementwise.DIV), primitive("RealDiv", math.div)
FloorDiv, FloorMod = primitive("FloorDiv", math.floor_div), primitive("FloorMod", math.floor_mod)
Pow, Maximum, Minimum = (
    primitive("Pow", math.pow, elementwise.POW), primitive("Maximum", math.maximum), primitive("Minimum", math.minimum)
)  # fmt: skip
Neg, Abs, Sign = primitive("Neg", math.neg), primitive("Abs", math.abs), primitive("Sign", math.sign)
Exp, Log, Square = primitive("Exp", math.exp), primitive("Log", math.log), primitive("Square", math.square)
Sqrt, Rsqrt = primitive("Sqrt", math.sqrt), primitive("Rsqrt", math.rsqrt)
Reciprocal, Erf = primitive("Reciprocal", math.reciprocal), primitive("Erf", math.erf)
Sin, Cos, Tan = primitive("Sin", math.sin), primitive("Cos", math.cos), primitive("Tan", math.tan)
Floor, Ceil, Round = primitive("Floor", math.floor), primitive("Ceil", math.ceil), primitive("Round", math.round)
Cast, Select = primitive("Cast", math.cast, elementwise.CAST), primitive("Select", math.where, compare.WHERE)
Equal, NotEqual = primitive("Equal", math.equal), primitive("NotEqual", math.not_equal)
Less, LessEqual = primitive("Less", math.less), primitive("LessEqual", math.less_equal)
Greater, GreaterEqual = primitive("Greater", math.greater), primitive("GreaterEqual", math.greater_equal)
LogicalAnd, LogicalOr = primitive("LogicalAnd", math.logical_and), primitive("LogicalOr", math.logical_or)
LogicalNot = primitive("LogicalNot", math.logical_not)

MatMul = primitive("MatMul", _matmul, linalg.MATMUL, transpose_a=False, transpose_b=False)
BatchMatMul = primitive("BatchMatMul", _batch_matmul, transpose_a=False, transpose_b=False)

ReduceSum = primitive("ReduceSum", _sum, reduce.SUM, keep_dims=False, skip_mode=False)
ReduceMean, ReduceProd = _reduction("ReduceMean", reduce.MEAN), _reduction("ReduceProd", reduce.PROD)
ReduceAll = _reduction("ReduceAll", reduce.ALL, logical=True)
ReduceAny = _reduction("ReduceAny", reduce.ANY, logical=True)
ReduceStd = primitive("ReduceStd", _std_and_mean, axis=(), unbiased=True, keep_dims=False)
LpNorm = primitive("LpNorm", _lp_norm, axis=(), p=2, keep_dims=False, epsilon=1e-12)
ReduceMax, ReduceMin = _reduction("ReduceMax", reduce.MAX), _reduction("ReduceMin", reduce.MIN)

Tanh = primitive("Tanh", math.tanh)
