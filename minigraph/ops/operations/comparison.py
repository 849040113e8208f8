"""Primitives of comparison, logic, and tests for NaN and infinity."""

from __future__ import annotations

from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "ApproximateEqual", "Equal", "Greater", "GreaterEqual", "IsClose", "IsFinite", "IsInf", "IsNan", "Less",
    "LessEqual", "LogicalAnd", "LogicalNot", "LogicalOr", "LogicalXor", "NanToNum", "NotEqual",
]  # fmt: skip


Equal, NotEqual = primitive("Equal", F.equal), primitive("NotEqual", F.not_equal)
Less, LessEqual = primitive("Less", F.less), primitive("LessEqual", F.less_equal)
Greater, GreaterEqual = primitive("Greater", F.greater), primitive("GreaterEqual", F.greater_equal)
IsClose = primitive("IsClose", F.isclose, rtol=1e-5, atol=1e-8, equal_nan=False)
ApproximateEqual = primitive("ApproximateEqual", F.approximate_equal, tolerance=1e-5)
LogicalAnd, LogicalOr = primitive("LogicalAnd", F.logical_and), primitive("LogicalOr", F.logical_or)
LogicalXor, LogicalNot = primitive("LogicalXor", F.logical_xor), primitive("LogicalNot", F.logical_not)
IsNan, IsInf = primitive("IsNan", F.isnan), primitive("IsInf", F.isinf)
IsFinite = primitive("IsFinite", F.isfinite)
NanToNum = primitive("NanToNum", F.nan_to_num, nan=None, posinf=None, neginf=None)
