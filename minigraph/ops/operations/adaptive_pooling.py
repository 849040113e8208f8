"""Primitives of adaptive pooling."""

from __future__ import annotations

from minigraph.core.aliases import IntOrTuple
from minigraph.core.tensor import Tensor
from minigraph.core.types import int32
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = ["AdaptiveAvgPool2D", "AdaptiveAvgPool3D", "AdaptiveMaxPool2D", "AdaptiveMaxPool3D"]


def _adaptive_max_pool2d(input: Tensor, *, output_size: int | tuple[int | None, ...]) -> tuple[Tensor, Tensor]:
    """(the maxima of images, their positions in the flattened channel)."""
    result: tuple[Tensor, Tensor] = F.adaptive_max_pool2d(input, output_size, True)
    return result


def _adaptive_max_pool3d(x: Tensor, output_size: IntOrTuple | Tensor) -> tuple[Tensor, Tensor]:
    """(the maxima of volumes, their Int32 positions in the flattened channel)."""
    size = tuple(output_size.tolist()) if isinstance(output_size, Tensor) else output_size
    maxima, positions = F.adaptive_max_pool3d(x, size, True)
    return maxima, F.cast(positions, int32)


AdaptiveAvgPool2D = primitive("AdaptiveAvgPool2D", F.adaptive_avg_pool2d, output_size=REQUIRED)
AdaptiveAvgPool3D = primitive("AdaptiveAvgPool3D", F.adaptive_avg_pool3d, output_size=REQUIRED)
AdaptiveMaxPool2D = primitive("AdaptiveMaxPool2D", _adaptive_max_pool2d, output_size=REQUIRED)
AdaptiveMaxPool3D = primitive("AdaptiveMaxPool3D", _adaptive_max_pool3d)
