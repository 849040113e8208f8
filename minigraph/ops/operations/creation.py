"""Primitives that create tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.operators import losses
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["Eye", "FillV2", "LogSpace", "Meshgrid", "OneHot", "RaggedRange", "Range"]


def _eye(n: int, m: int | None, dtype: DType) -> Tensor:
    """Ones on the diagonal of an n by m matrix, zeros elsewhere."""
    return F.eye(n, m, dtype)


def _fill(shape: Tensor | Sequence[int], x: Tensor) -> Tensor:
    """A tensor filled with the value of ``x``."""
    sizes = shape.asnumpy().tolist() if isinstance(shape, Tensor) else shape
    return F.broadcast_to(F.reshape(x, ()), tuple(sizes))


Eye, FillV2 = primitive("Eye", _eye), primitive("FillV2", _fill)
Range = primitive("Range", F.range, maxlen=1000000)
Meshgrid = primitive("Meshgrid", lambda inputs, indexing: F.meshgrid(*inputs, indexing=indexing), indexing="xy")


def _one_hot(indices: Tensor, depth: int, on_value: Tensor, off_value: Tensor, *, axis: int) -> Tensor:
    return F.one_hot(indices, depth, on_value, off_value, axis)


OneHot = primitive("OneHot", _one_hot, losses.ONE_HOT, axis=-1)
LogSpace = primitive("LogSpace", F.logspace, steps=10, base=10, dtype=float32)


def _ragged_range(starts: Tensor, limits: Tensor, deltas: Tensor, *, Tsplits: DType) -> tuple[Tensor, Tensor]:
    """(where ranges begin, and the last one ends, numbers from each start to its limit, one range after another)."""
    bounds = zip(*(np.ravel(x.asnumpy()) for x in (starts, limits, deltas)), strict=True)
    ranges = [first + step * np.arange(max(np.ceil((limit - first) / step), 0)) for first, limit, step in bounds]
    splits = np.cumsum([0, *map(len, ranges)])
    return Tensor(splits, Tsplits), Tensor(np.concatenate(ranges), starts.dtype)


RaggedRange = primitive("RaggedRange", _ragged_range, Tsplits=REQUIRED)
