"""Dtypes and their aliases, and conversions to and from numpy's and Python's types."""

from __future__ import annotations

import numpy as np

from minigraph.core.errors import UnknownName
from minigraph.core.missing_names import dtype_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.types import (
    DType,
    bfloat16,
    bool_,
    complex64,
    complex128,
    find_dtype,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

__all__ = [
    "bfloat16", "bool_", "byte", "cdouble", "cfloat", "complex64", "complex128", "double", "dtype_to_nptype",
    "dtype_to_pytype", "float16", "float32", "float64", "float_", "get_py_obj_dtype", "half", "int8", "int16", "int32",
    "int64", "int_", "intc", "intp", "long", "pytype_to_dtype", "short", "single", "ubyte", "uint8", "uint16",
    "uint32", "uint64", "uintc", "uintp", "ushort",
]  # fmt: skip

byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
half, single, double = float16, float32, float64
cfloat, cdouble = complex64, complex128
int_, float_ = int64, float32  # the dtypes of Python numbers

PYTHON_TYPES: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}


def dtype_to_nptype(type_: DType) -> type:
    """The numpy scalar type of a dtype.

    >>> dtype_to_nptype(float32)
    <class 'numpy.float32'>
    """
    return type_.numpy.type


def dtype_to_pytype(type_: DType) -> type:
    """The Python type of one element.

    >>> dtype_to_pytype(int8)
    <class 'int'>
    """
    return PYTHON_TYPES[type_.kind]


def pytype_to_dtype(obj: type) -> DType:
    """The dtype that represents a Python or numpy type exactly; raises ``UnknownName`` for other types.

    >>> pytype_to_dtype(float), pytype_to_dtype(np.float16)
    (mindspore.float64, mindspore.float16)
    """
    dtype = find_dtype(np.dtype(obj)) if obj in PYTHON_TYPES.values() or issubclass(obj, np.generic) else None
    if dtype is None:
        raise UnknownName(f"no dtype for {obj.__name__}; use a number's type, such as float")
    return dtype


def get_py_obj_dtype(obj: object) -> DType:
    """The dtype that represents a Python number exactly.

    >>> get_py_obj_dtype(3)
    mindspore.int64
    """
    return pytype_to_dtype(type(obj))
