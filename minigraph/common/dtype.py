"""Dtypes and their aliases, and conversions to and from numpy's and Python's types."""

from __future__ import annotations

import numpy as np

from minigraph.common.abstract_types import (
    TYPE_OF_CLASS,
    AbstractType,
    Int,
    TensorType,
    Type,
    list_,
    number,
    string,
    tensor_type,
    tuple_,
    type_none,
)
from minigraph.core.errors import UnknownNameError
from minigraph.core.missing_names import dtype_getattr as __getattr__  # noqa: F401 - Python calls it
from minigraph.core.tensor import Tensor
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
    "Int", "TensorType", "Type", "bfloat16", "bool_", "byte", "cdouble", "cfloat", "complex64", "complex128",
    "double", "dtype_to_nptype", "dtype_to_pytype", "float16", "float32", "float64", "float_", "get_py_obj_dtype",
    "half", "int8", "int16", "int32", "int64", "int_", "intc", "intp", "list_", "long", "number", "pytype_to_dtype",
    "short", "single", "string", "tensor_type", "tuple_", "type_none", "ubyte", "uint8", "uint16", "uint32",
    "uint64", "uintc", "uintp", "ushort",
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


def dtype_to_pytype(type_: DType | AbstractType) -> type:
    """The Python type of one element, or of the object.

    >>> dtype_to_pytype(int8)
    <class 'int'>
    """
    if isinstance(type_, DType):
        return PYTHON_TYPES[type_.kind]
    python_type: type | None = next((kind for kind, abstract in TYPE_OF_CLASS.items() if abstract is type_), None)
    if python_type is None:
        raise UnknownNameError(
            f"no Python type for {type_!r}; use a dtype, or {', '.join(map(repr, TYPE_OF_CLASS.values()))}"
        )
    return python_type


def pytype_to_dtype(obj: type) -> DType | AbstractType:
    """The dtype that represents a Python or numpy type exactly; raises ``UnknownNameError`` for other types.

    >>> pytype_to_dtype(float), pytype_to_dtype(np.float16), pytype_to_dtype(list)
    (mindspore.float64, mindspore.float16, mindspore.list_)
    """
    if obj in TYPE_OF_CLASS:
        return TYPE_OF_CLASS[obj]
    dtype = find_dtype(np.dtype(obj)) if obj in PYTHON_TYPES.values() or issubclass(obj, np.generic) else None
    if dtype is None:
        raise UnknownNameError(f"no dtype for {obj.__name__}; use a number's type, such as float")
    return dtype


def get_py_obj_dtype(obj: object) -> DType | AbstractType:
    """The dtype that represents a Python number exactly, or the type of a string, list, tuple, tensor or ``None``.

    >>> get_py_obj_dtype(3), get_py_obj_dtype("a"), get_py_obj_dtype(Tensor([1.0]))
    (mindspore.int64, mindspore.string_, mindspore.tensor[float32])
    """
    if isinstance(obj, Tensor):
        return TensorType(obj.dtype)
    return pytype_to_dtype(type(obj))
