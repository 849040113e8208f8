"""Constants, dtypes and type promotion."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

from minigraph.core.aliases import ArrayLike, DTypeLike
from minigraph.core.errors import UsageError
from minigraph.core.tensor import Tensor
from minigraph.core.types import (
    DType,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    promote,
    uint8,
    uint16,
    uint32,
    uint64,
)
from minigraph.numpy.conversion import as_dtype, as_tensor

__all__ = [
    "NINF", "PINF", "bool_", "float16", "float32", "float64", "float_", "inf", "int8", "int16", "int32", "int64",
    "int_", "isscalar", "nan", "numeric_types", "pi", "promote_types", "result_type", "uint", "uint8", "uint16",
    "uint32", "uint64",
]  # fmt: skip

inf = PINF = math.inf
NINF = -math.inf
nan = math.nan
pi = math.pi
int_, uint, float_ = int32, uint32, float32
numeric_types = [
    "int_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float_", "float16", "float32",
    "float64", "bool_",
]  # fmt: skip


def promote_types(type1: DTypeLike, type2: DTypeLike) -> DType:
    """The common dtype of two; a float dtype takes precedence over any integer.

    >>> promote_types(int32, float16), promote_types("uint8", "int8")
    (mindspore.float16, mindspore.int16)
    """
    return promote(as_dtype(type1), as_dtype(type2))  # type: ignore[arg-type]  # promote raises for None


def result_type(*arrays_and_dtypes: ArrayLike | DTypeLike) -> DType:
    """The common dtype of tensors, numbers and dtypes."""
    if not arrays_and_dtypes:
        raise UsageError("numpy.result_type needs at least one tensor, number or dtype")
    return reduce(promote, map(_dtype_of, arrays_and_dtypes))


def _dtype_of(item: Any) -> DType:
    if isinstance(item, Tensor | bool | int | float | list | tuple):
        return as_tensor(item).dtype
    return as_dtype(item)  # type: ignore[return-value]  # promote raises for None


def isscalar(element: object) -> bool:
    """Whether an object is a number or a string, not a tensor or a list.

    >>> isscalar(2.5), isscalar([2.5])
    (True, False)
    """
    return isinstance(element, bool | int | float | complex | str | bytes)
