"""Conversion of array-like arguments: tensors, numbers and lists of them, dtypes by name or from numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from minigraph import ops
from minigraph.capture.structure import is_tensor
from minigraph.core.aliases import ArrayLike, DTypeLike
from minigraph.core.errors import ArgTypeError, ShapeError
from minigraph.core.pytree import leaves_of
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bfloat16, find_dtype, float16, float32, int32, int64


def as_tensor(value: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """A Tensor of a tensor, a number or a list of either; integers are Int32 unless they are numpy's.

    >>> as_tensor([1, 2])
    Tensor(shape=[2], dtype=Int32, value= [1, 2])
    """
    target = as_dtype(dtype)
    if isinstance(value, Tensor):
        return value if target is None or target is value.dtype else ops.cast(value, target)
    if has_tensors(value):
        return as_tensor(ops.stack([as_tensor(item) for item in value]), target)
    tensor = Tensor(value, target)
    narrow = target is None and tensor.dtype is int64 and not isinstance(value, np.ndarray | np.generic)
    return Tensor(tensor, int32) if narrow else tensor


def has_tensors(value: ArrayLike) -> TypeGuard[Sequence[ArrayLike]]:
    """Whether a nested list contains a tensor.

    >>> has_tensors([1, [2, Tensor(3)]]), has_tensors([1])
    (True, False)
    """
    return isinstance(value, list | tuple) and any(isinstance(leaf, Tensor) for leaf in leaves_of(value, is_tensor))


def as_dtype(dtype: DTypeLike) -> DType | None:
    """The dtype for one of minigraph's dtypes, one of numpy's, or a name.

    >>> as_dtype("float16"), as_dtype(int), as_dtype(None)
    (mindspore.float16, mindspore.int32, None)
    """
    if dtype is None or isinstance(dtype, DType):
        return dtype
    if dtype in (int, float):
        return int32 if dtype is int else float32
    try:
        result = bfloat16 if isinstance(dtype, str) and dtype == bfloat16.name else find_dtype(np.dtype(dtype))
    except TypeError:
        result = None
    if result is None:
        raise ArgTypeError(f"dtype must be a minigraph dtype such as ms.float32 or its name, got {dtype!r}")
    return result


def cast_to(value: Tensor, dtype: DTypeLike) -> Tensor:
    """A tensor cast to a dtype; unchanged if that is ``None``."""
    target = as_dtype(dtype)
    return value if target is None else ops.cast(value, target)


def as_float(value: ArrayLike) -> Tensor:
    """A Tensor of floats: Float32 unless the value has another float dtype.

    >>> as_float([1, 2]).dtype
    mindspore.float32
    """
    tensor = as_tensor(value)
    return tensor if tensor.dtype.is_float else ops.cast(tensor, float32)


def as_single_float(value: ArrayLike) -> Tensor:
    """A Tensor of floats with at least the precision of Float32.

    >>> as_single_float(Tensor([1.0], float16)).dtype, as_single_float([1]).dtype
    (mindspore.float32, mindspore.float32)
    """
    tensor = as_float(value)
    return ops.cast(tensor, float32) if tensor.dtype is float16 else tensor


def as_ints(value: Any) -> tuple[int, ...]:
    """The integers of a size, an axis or a list of them.

    >>> as_ints(3), as_ints([1, 2]), as_ints(Tensor([4]))
    ((3,), (1, 2), (4,))
    """
    if isinstance(value, Tensor):
        value = value.asnumpy().tolist()
    return tuple(int(item) for item in value) if isinstance(value, Sequence) else (int(value),)


def normalize_axis(axis: int, rank: int) -> int:
    """An axis as a non-negative index.

    >>> normalize_axis(-1, 3)
    2
    """
    if not -rank <= axis < rank:
        raise ShapeError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis % rank
