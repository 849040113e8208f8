"""Methods of a Tensor about its memory, and new tensors of random numbers; ``x`` is the tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigraph.core.errors import ArgTypeError
from minigraph.core.tensor import Tensor
from minigraph.ops import functional

CPU_DEVICE = (1, 0)  # DLPack's kind and number of the device


def init(x: Tensor) -> None:
    """``None``: tensors have values from the beginning."""


def is_meta(x: Tensor) -> bool:
    """False: every tensor has memory."""
    return False


def is_pinned(x: Tensor) -> bool:
    """False: the memory belongs to the process."""
    return False


def is_shared(x: Tensor) -> bool:
    """False: the memory belongs to the process."""
    return False


def storage_offset(x: Tensor) -> int:
    """0: a tensor begins at the first element of its memory."""
    return 0


def to_dlpack(x: Tensor) -> Any:
    """A DLPack capsule with the tensor's memory, for ``from_dlpack`` of this or another library, which uses it once.

    >>> print(Tensor.from_dlpack(Tensor([1.0, 2.0]).to_dlpack()))
    [1. 2.]
    """
    return np.require(x.asnumpy(), requirements="W").__dlpack__()


def from_dlpack(dlpack: Any) -> Tensor:
    """A tensor with the memory of a DLPack capsule of the CPU; raises ``TypeError`` for other objects."""
    if type(dlpack).__name__ != "PyCapsule":
        raise ArgTypeError(f"from_dlpack: got {type(dlpack).__name__}; give the capsule of to_dlpack")
    return Tensor.from_numpy(np.from_dlpack(_Exporter(dlpack)))


class _Exporter:
    """What numpy expects: an object that gives the capsule."""

    def __init__(self, capsule: object) -> None:
        self.capsule = capsule

    def __dlpack__(self, *, stream: None = None, **options: object) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU_DEVICE


# ---- random numbers ----------------------------------------------------------------------------------


def cauchy(x: Tensor, median: float = 0.0, sigma: float = 1.0) -> Tensor:
    """A new tensor of the same shape and dtype with numbers of the Cauchy distribution; integers are truncated.

    >>> Tensor([1.0, 2.0]).cauchy().shape
    (2,)
    """
    numbers = functional.tan((functional.rand(x.shape) - 0.5) * math.pi) * sigma + median
    return functional.cast(numbers, x.dtype)


def log_normal(x: Tensor, mean: float = 1.0, std: float = 2.0) -> Tensor:
    """A new tensor of the same shape with numbers whose logarithm has a mean and a standard deviation.

    >>> bool((Tensor([1.0, 2.0]).log_normal() > 0).all())
    True
    """
    return functional.exp(functional.randn_like(x) * std + mean)
