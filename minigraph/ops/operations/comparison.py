"""Primitives of comparison, logic, and tests for NaN and infinity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.errors import ArgRuntimeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import uint8
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["ApproximateEqual", "Assert", "CheckNumerics", "CompareAndBitpack", "EqualCount", "IsClose", "NanToNum"]


IsClose = primitive("IsClose", F.isclose, rtol=1e-5, atol=1e-8, equal_nan=False)
ApproximateEqual = primitive("ApproximateEqual", F.approximate_equal, tolerance=1e-5)
NanToNum = primitive("NanToNum", F.nan_to_num, nan=None, posinf=None, neginf=None)


def _check_numbers(x: Tensor) -> Tensor:
    """The tensor; raises ``RuntimeError`` if it has a NaN or an infinity."""
    for name, is_found in (("NaN", np.isnan), ("Inf", np.isinf)):
        if is_found(x.asnumpy()).any():
            advice = "find the operator that computes them"
            raise ArgRuntimeError(f"Tensor had {name} values\nCheckNumerics: {x.type}; {advice}")
    return F.identity(x)


def _pack_bits(x: Tensor, threshold: Tensor) -> Tensor:
    """Whether elements exceed the threshold, as bits of UInt8; the first of 8 elements is the highest bit."""
    bits = F.cast(x > threshold, uint8).reshape(*x.shape[:-1], -1, 8)
    return F.cast((bits * Tensor([128, 64, 32, 16, 8, 4, 2, 1], uint8)).sum(-1), uint8)


def _count_equal(x: Tensor, y: Tensor) -> Tensor:
    """[1]: the number of equal elements, in the dtype of the operands."""
    return F.cast((x == y).sum().reshape(1), x.dtype)


def _assert(condition: Tensor | bool, input_data: Sequence[Tensor], *, summarize: int) -> None:
    """Prints the first elements of tensors and raises ``RuntimeError`` unless the condition holds."""
    if not condition:
        print("For 'Assert' condition is false.")
        for data in input_data:
            print("input data:", data.asnumpy().ravel()[:summarize])
        raise ArgRuntimeError("assert failed")


CheckNumerics = primitive("CheckNumerics", _check_numbers)
CompareAndBitpack, EqualCount = primitive("CompareAndBitpack", _pack_bits), primitive("EqualCount", _count_equal)
Assert = primitive("Assert", _assert, summarize=3)
