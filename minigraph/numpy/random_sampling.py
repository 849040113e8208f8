"""Random sampling; each call returns new samples."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph import ops
from minigraph.core.aliases import DTypeLike
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32
from minigraph.numpy.conversion import as_dtype

__all__ = ["rand", "randint", "randn"]


def rand(*shape: int, dtype: DTypeLike = float32) -> Tensor:
    """Samples of the uniform distribution over [0, 1); sizes as arguments or as a tuple."""
    return ops.rand(*shape, dtype=as_dtype(dtype))


def randn(*shape: int, dtype: DTypeLike = float32) -> Tensor:
    """Samples of the standard normal distribution; sizes as arguments or as a tuple."""
    return ops.randn(*shape, dtype=as_dtype(dtype))


def randint(
    minval: int, maxval: int | None = None, shape: int | Sequence[int] | None = (1,), dtype: DTypeLike = int32
) -> Tensor:
    """Random integers from [minval, maxval), or from [0, minval) if that is the only bound."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return ops.randint(low, high, (1,) if shape is None else shape, dtype=as_dtype(dtype))
