"""Tensors, and functions that create and recognise them."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import ArgRuntimeError, ArgTypeError
from minigraph.core.op import apply
from minigraph.core.tensor import Parameter
from minigraph.core.tensor.fast_path import Tensor
from minigraph.core.types import DType

__all__ = ["Tensor", "from_numpy", "frombuffer", "is_tensor", "tensor"]


def tensor(input_data: ArrayLike = 0.0, dtype: DType | None = None) -> Tensor:
    """``Tensor(input_data, dtype)``; a tensor of this dtype, no Parameter, shares its memory with the result.

    >>> tensor([1, 2])
    Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """
    if not isinstance(input_data, Tensor) or isinstance(input_data, Parameter):
        return Tensor(input_data, dtype)
    return apply("identity", input_data) if dtype in (None, input_data.dtype) else input_data.astype(dtype)


def is_tensor(obj: ArrayLike) -> bool:
    """Whether an object is a Tensor; a Parameter is one."""
    return isinstance(obj, Tensor)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares memory with an array; raises ``TypeError`` for anything else."""
    if not isinstance(array, np.ndarray):
        raise ArgTypeError("Expected a NumPy array.")
    return Tensor.from_numpy(array)


def frombuffer(buffer: bytes | bytearray | memoryview, dtype: DType, count: int = -1, offset: int = 0) -> Tensor:
    """A vector of ``count`` elements, -1 for all, from the bytes of a buffer after ``offset`` bytes, copied.

    Raises ``RuntimeError`` if the bytes are not that many elements.

    >>> from minigraph import int16
    >>> frombuffer(b"abcd", int16, offset=2).shape
    (1,)
    """
    with memoryview(buffer) as view:
        size, available = view.nbytes, view.nbytes - offset
    if not 0 <= offset < size or not count:
        raise ArgRuntimeError(f"frombuffer: no element in {size} bytes with offset {offset} and count {count}")
    if (count < 0 and available % dtype.itemsize) or count * dtype.itemsize > available:
        expected = f"{count if count > 0 else 'whole'} elements of {dtype.itemsize} bytes"
        raise ArgRuntimeError(f"frombuffer: {available} bytes after the offset are not {expected}; give another count")
    return Tensor(np.frombuffer(buffer, dtype.numpy, count, offset))
