"""Primitives of comparison, logic, and tests for NaN and infinity."""

from __future__ import annotations

from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["ApproximateEqual", "IsClose", "NanToNum"]


IsClose = primitive("IsClose", F.isclose, rtol=1e-5, atol=1e-8, equal_nan=False)
ApproximateEqual = primitive("ApproximateEqual", F.approximate_equal, tolerance=1e-5)
NanToNum = primitive("NanToNum", F.nan_to_num, nan=None, posinf=None, neginf=None)
