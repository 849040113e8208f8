"""Primitives that create tensors."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32
from minigraph.operators import losses
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "Eye", "Fill", "FillV2", "LinSpace", "LogSpace", "Meshgrid", "OneHot", "Ones", "OnesLike", "Range",
    "ScalarToArray", "ScalarToTensor", "TupleToArray", "Zeros", "ZerosLike",
]  # fmt: skip


def _eye(n: int, m: int | None, dtype: DType) -> Tensor:
    """Ones on the diagonal of an n by m matrix, zeros elsewhere."""
    return F.eye(n, m, dtype)


def _fill(shape: Tensor | Sequence[int], x: Tensor) -> Tensor:
    """A tensor filled with the value of ``x``."""
    sizes = shape.asnumpy().tolist() if isinstance(shape, Tensor) else shape
    return F.broadcast_to(F.reshape(x, ()), tuple(sizes))


Zeros, Ones = primitive("Zeros", F.zeros), primitive("Ones", F.ones)
ZerosLike, OnesLike = primitive("ZerosLike", F.zeros_like), primitive("OnesLike", F.ones_like)
Eye, Fill, FillV2 = primitive("Eye", _eye), primitive("Fill", F.fill), primitive("FillV2", _fill)
Range, LinSpace = primitive("Range", F.range, maxlen=1000000), primitive("LinSpace", F.linspace)
Meshgrid = primitive("Meshgrid", lambda inputs, indexing: F.meshgrid(*inputs, indexing=indexing), indexing="xy")
ScalarToTensor = primitive("ScalarToTensor", F.scalar_to_tensor)
TupleToArray = primitive("TupleToArray", F.tuple_to_array)


def _one_hot(indices: Tensor, depth: int, on_value: Tensor, off_value: Tensor, *, axis: int) -> Tensor:
    return F.one_hot(indices, depth, on_value, off_value, axis)


OneHot = primitive("OneHot", _one_hot, losses.ONE_HOT, axis=-1)
LogSpace = primitive("LogSpace", F.logspace, steps=10, base=10, dtype=float32)
ScalarToArray = primitive("ScalarToArray", F.scalar_to_array)
