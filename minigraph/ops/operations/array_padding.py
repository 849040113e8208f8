"""Primitives of padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.tensor import Tensor
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["MirrorPad", "Pad", "PadV3", "Padding"]


def _pad(x: Tensor, *, paddings: Sequence[Sequence[int]]) -> Tensor:
    """Padding with zeros: (before, after) for each axis."""
    return F.pad(x, tuple(width for pair in reversed(tuple(paddings)) for width in pair))


Pad, Padding = primitive("Pad", _pad, paddings=REQUIRED), primitive("Padding", F.padding, pad_dim_size=8)
MirrorPad = primitive("MirrorPad", F.mirror_pad, mode="REFLECT")


def _pad_from_last_axis(
    x: Tensor, paddings: Sequence[int] | Tensor, constant_value: Tensor | float | None = None, *, mode: str,
    paddings_contiguous: bool,
) -> Tensor:  # fmt: skip
    """Padding from the last axis on: (begin, end, begin, end, ...), or unless contiguous all begins, then all ends."""
    widths = paddings.tolist() if isinstance(paddings, Tensor) else list(paddings)
    if not paddings_contiguous:
        half = len(widths) // 2
        widths = [width for pair in zip(widths[:half], widths[half:], strict=True) for width in pair]
    value: Any = constant_value.item() if isinstance(constant_value, Tensor) else constant_value
    return F.pad(x, widths, "replicate" if mode == "edge" else mode, value)


PadV3 = primitive("PadV3", _pad_from_last_axis, mode="constant", paddings_contiguous=True)
