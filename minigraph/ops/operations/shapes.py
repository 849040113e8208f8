"""Primitives of shapes and axes."""

from __future__ import annotations

from minigraph.operators import views
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["BroadcastTo", "ExpandDims", "Reshape", "Squeeze", "Transpose"]

Reshape = primitive("Reshape", F.reshape, views.RESHAPE)
Transpose = primitive("Transpose", F.transpose, views.TRANSPOSE)
ExpandDims = primitive("ExpandDims", F.expand_dims, views.EXPAND_DIMS)
Squeeze = primitive("Squeeze", F.squeeze, views.SQUEEZE, axis=None)
BroadcastTo = primitive("BroadcastTo", F.broadcast_to, views.BROADCAST_TO, shape=())
