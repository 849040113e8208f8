"""Primitives of padding."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["MirrorPad", "Pad", "Padding"]


def _pad(x: Tensor, *, paddings: Sequence[Sequence[int]]) -> Tensor:
    """Padding with zeros: (before, after) for each axis."""
    return F.pad(x, tuple(width for pair in reversed(tuple(paddings)) for width in pair))


Pad, Padding = primitive("Pad", _pad, paddings=REQUIRED), primitive("Padding", F.padding, pad_dim_size=8)
MirrorPad = primitive("MirrorPad", F.mirror_pad, mode="REFLECT")
