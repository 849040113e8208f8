"""Conversion of array-like arguments: tensors, numbers and lists of them; dtypes by name or as numpy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph import ops
from minigraph.capture.structure import is_tensor
from minigraph.core.errors import ShapeError, TypeArgument
from minigraph.core.pytree import leaves_of
from minigraph.core.tensor import Tensor
from minigraph.core.types import BY_NUMPY, DType, float32, int32, int64


def as_tensor(value: Any, dtype: Any = None) -> Any:
    """A Tensor of a tensor, a number or a list of either; whole numbers are Int32 unless numpy has them.

    >>> as_tensor([1, 2])
    Tensor(shape=[2], dtype=Int32, value= [1, 2])
    """
    wanted = as_dtype(dtype)
    if isinstance(value, Tensor):
        return value if wanted is None or wanted is value.dtype else ops.cast(value, wanted)
    if has_tensors(value):
        return as_tensor(ops.stack([as_tensor(item) for item in value]), wanted)
    made = Tensor(value, wanted)
    whole = wanted is None and made.dtype is int64 and not isinstance(value, np.ndarray | np.generic)
    return Tensor(made, int32) if whole else made


def has_tensors(value: Any) -> bool:
    """Whether a tensor stands somewhere in a list.

    >>> has_tensors([1, [2, Tensor(3)]]), has_tensors([1])
    (True, False)
    """
    return isinstance(value, list | tuple) and any(isinstance(leaf, Tensor) for leaf in leaves_of(value, is_tensor))


def as_dtype(dtype: Any) -> DType | None:
    """The dtype that one of ours, one of numpy's or a name means.

    >>> as_dtype("float16"), as_dtype(int), as_dtype(None)
    (mindspore.float16, mindspore.int32, None)
    """
    if dtype is None or isinstance(dtype, DType):
        return dtype
    if dtype in (int, float):
        return BY_NUMPY[np.dtype(np.int32 if dtype is int else np.float32)]
    try:
        return BY_NUMPY[np.dtype(dtype)]
    except (KeyError, TypeError):
        raise TypeArgument(f"dtype must be a minigraph dtype such as ms.float32 or its name, got {dtype!r}") from None


def cast_to(value: Any, dtype: Any) -> Any:
    """A tensor in a dtype; as it is without one."""
    wanted = as_dtype(dtype)
    return value if wanted is None else ops.cast(value, wanted)


def as_float(value: Any) -> Any:
    """A Tensor of floats: Float32, unless the value is of another float dtype.

    >>> as_float([1, 2]).dtype
    mindspore.float32
    """
    found = as_tensor(value)
    return found if found.dtype.is_float else ops.cast(found, float32)


def as_ints(value: Any) -> tuple[int, ...]:
    """The whole numbers of a size, an axis or a list of them.

    >>> as_ints(3), as_ints([1, 2]), as_ints(Tensor([4]))
    ((3,), (1, 2), (4,))
    """
    if isinstance(value, Tensor):
        value = value.asnumpy().tolist()
    return tuple(int(one) for one in value) if isinstance(value, Sequence) else (int(value),)


def normalize_axis(axis: int, rank: int) -> int:
    """An axis counted from the front.

    >>> normalize_axis(-1, 3)
    2
    """
    if not -rank <= axis < rank:
        raise ShapeError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis % rank
