"""Primitives of shapes and axes."""

from __future__ import annotations

from minigraph.operators import views
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = [
    "BroadcastTo", "DType", "Expand", "ExpandDims", "Flatten", "Rank", "Reshape", "Shape", "Size", "Squeeze",
    "TensorShape", "Tile", "Transpose", "TransposeExtView", "TransposeView",
]  # fmt: skip

Shape, TensorShape = primitive("Shape", F.shape), primitive("TensorShape", F.dyn_shape)
Size, Rank = primitive("Size", F.size), primitive("Rank", F.rank)
Reshape, Flatten = primitive("Reshape", F.reshape, views.RESHAPE), primitive("Flatten", F.flatten)
Transpose = primitive("Transpose", F.transpose, views.TRANSPOSE)
ExpandDims = primitive("ExpandDims", F.expand_dims, views.EXPAND_DIMS)
Squeeze = primitive("Squeeze", F.squeeze, views.SQUEEZE, axis=None)
BroadcastTo = primitive("BroadcastTo", F.broadcast_to, views.BROADCAST_TO, shape=())
DType = primitive("DType", F.dtype)
Tile = primitive("Tile", F.tile)
Expand = primitive("Expand", F.expand)
TransposeView, TransposeExtView = primitive("TransposeView", F.transpose), primitive("TransposeExtView", F.swapaxes)
