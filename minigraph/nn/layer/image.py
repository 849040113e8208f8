"""Layers that rearrange pixels and channels, and resize images."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.tensor import Tensor
from minigraph.nn.arguments import check_positive_int
from minigraph.nn.cell import Cell


class PixelShuffle(Cell):
    """Channels of [..., C r r, H, W] as pixels of [..., C, H r, W r] (Shi et al. 2016, arXiv 1609.05158)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = check_positive_int("PixelShuffle", "upscale_factor", upscale_factor)

    def construct(self, input: Tensor) -> Tensor:
        """Larger images of fewer channels."""
        return ops.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """Pixels as channels: the inverse of ``PixelShuffle``."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = check_positive_int("PixelUnshuffle", "downscale_factor", downscale_factor)

    def construct(self, input: Tensor) -> Tensor:
        """Smaller images of more channels."""
        return ops.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """The channels of [N, C, ...], interleaved between ``groups`` groups (Zhang et al. 2018)."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = check_positive_int("ChannelShuffle", "groups", groups)

    def construct(self, x: Tensor) -> Tensor:
        """The same channels in another order."""
        return ops.channel_shuffle(x, self.groups)


Sizes = int | tuple[int, ...]


class Upsample(Cell):
    """Sequences or images resized by ``ops.interpolate``.

    >>> from minigraph import Tensor
    >>> print(Upsample(size=4)(Tensor([[[1.0, 2.0]]])))
    [[[1. 1. 2. 2.]]]
    """

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x: Tensor) -> Tensor:
        """[N, C, ...], resized."""
        options = (self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)
        return ops.interpolate(x, *options)
