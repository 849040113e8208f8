"""Tensors, and functions that create and recognise them."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import TypeArgument
from minigraph.core.tensor.fast_path import Tensor
from minigraph.core.types import DType

__all__ = ["Tensor", "from_numpy", "is_tensor", "tensor"]


def tensor(input_data: ArrayLike = 0.0, dtype: DType | None = None) -> Tensor:
    """An alias of ``Tensor(input_data, dtype)``.

    >>> tensor([1, 2])
    Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """
    return Tensor(input_data, dtype)


def is_tensor(obj: ArrayLike) -> bool:
    """Whether an object is a Tensor; a Parameter is one."""
    return isinstance(obj, Tensor)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares memory with an array; raises ``TypeError`` for anything else."""
    if not isinstance(array, np.ndarray):
        raise TypeArgument("Expected a NumPy array.")
    return Tensor.from_numpy(array)
