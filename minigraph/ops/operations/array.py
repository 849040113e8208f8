"""Primitives of shapes, joining, picking and creating."""

from __future__ import annotations

from typing import Any

from minigraph.operators import joining, losses, views
from minigraph.ops.functional import array
from minigraph.ops.primitive import primitive

__all__ = [
    "BroadcastTo", "Concat", "ExpandDims", "Gather", "OneHot", "OnesLike", "Reshape", "Squeeze", "Stack", "Tile",
    "Transpose", "ZerosLike",
]  # fmt: skip


def _one_hot(indices: Any, depth: int, on_value: Any, off_value: Any, *, axis: int) -> Any:
    return array.one_hot(indices, depth, on_value, off_value, axis)


Reshape = primitive("Reshape", array.reshape, views.RESHAPE)
Transpose = primitive("Transpose", array.transpose, views.TRANSPOSE)
ExpandDims = primitive("ExpandDims", array.expand_dims, views.EXPAND_DIMS)
Squeeze = primitive("Squeeze", array.squeeze, views.SQUEEZE, axis=None)
BroadcastTo = primitive("BroadcastTo", array.broadcast_to, views.BROADCAST_TO, shape=())
Tile = primitive("Tile", array.tile)
Concat = primitive("Concat", array.concat, joining.CONCAT, axis=0)
Stack = primitive("Stack", array.stack, joining.STACK, axis=0)
Gather, OneHot = primitive("Gather", array.gather, batch_dims=0), primitive("OneHot", _one_hot, losses.ONE_HOT, axis=-1)
ZerosLike, OnesLike = primitive("ZerosLike", array.zeros_like), primitive("OnesLike", array.ones_like)
