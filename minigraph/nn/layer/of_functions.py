"""Layers without Parameters that are one function of ``ops``, kept with its configuration."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.errors import ShapeError, TypeArgument, ValueArgument
from minigraph.nn.arguments import positive_int
from minigraph.nn.cell import Cell
from minigraph.nn.layer.activation import Activation, AlongAxis

Sizes = int | tuple[int, ...]


class PixelShuffle(Cell):
    """Channels of [..., C r r, H, W] as pixels of [..., C, H r, W r] (Shi et al. 2016, arXiv 1609.05158)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = positive_int("PixelShuffle", "upscale_factor", upscale_factor)

    def construct(self, input: Any) -> Any:
        """Larger images of fewer channels."""
        return ops.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """Pixels as channels: the inverse of ``PixelShuffle``."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = positive_int("PixelUnshuffle", "downscale_factor", downscale_factor)

    def construct(self, input: Any) -> Any:
        """Smaller images of more channels."""
        return ops.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """The channels of [N, C, ...] in ``groups`` groups, one of each group in turn (Zhang et al. 2018)."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = positive_int("ChannelShuffle", "groups", groups)

    def construct(self, x: Any) -> Any:
        """The same channels in another order."""
        return ops.channel_shuffle(x, self.groups)


class Upsample(Cell):
    """Sequences or images in another size, by ``ops.interpolate``.

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

    def construct(self, x: Any) -> Any:
        """[N, C, ...] in the size."""
        ways = (self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)
        return ops.interpolate(x, *ways)


class LPPool1d(Cell):
    """The norm of each window of sequences: the ``norm_type``-th root of the sum of powers."""

    def __init__(self, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def construct(self, x: Any) -> Any:
        """[N, C, L] or [C, L], pooled."""
        return ops.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(Cell):
    """The norm of each window of images: the ``norm_type``-th root of the sum of powers."""

    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def construct(self, x: Any) -> Any:
        """[N, C, H, W] or [C, H, W], pooled."""
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LRN(Cell):
    """x / (bias + alpha s)**beta, s the sum of squares of the channels up to ``depth_radius`` away."""

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        self.config = (depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x: Any) -> Any:
        """Images [N, C, H, W], normalised."""
        return ops.lrn(input_x, *self.config)


class Threshold(Cell):
    """Elements above ``threshold``, else ``value``."""

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, input_x: Any) -> Any:
        """The same shape and dtype."""
        return ops.threshold(input_x, self.threshold, self.value)


class GLU(AlongAxis):
    """The first half along an axis times sigmoid of the second half (Dauphin et al. 2017, arXiv 1612.08083)."""

    def construct(self, x: Any) -> Any:
        """Half as many elements along the axis."""
        return ops.glu(x, self.axis)


class Softmax2d(Activation):
    """Softmax over the channels of [N, C, H, W] or [C, H, W]; raises ``ValueError`` for other ranks."""

    def construct(self, x: Any) -> Any:
        """The same shape; the channels of each pixel add up to 1."""
        if len(x.shape) not in (3, 4):
            raise ShapeError(f"For Softmax2d, the in_shape must have 3 or 4 dims, but got shape {list(x.shape)}")
        return ops.softmax(x, -3)


class Unflatten(Cell):
    """One axis taken apart into several; raises ``ValueError`` where the sizes do not multiply to its own."""

    def __init__(self, axis: int, unflattened_size: tuple[int, ...]) -> None:
        super().__init__()
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x: Any) -> Any:
        """More axes, the same elements."""
        at = self.axis % len(input_x.shape)
        shape = input_x.shape
        return input_x.reshape(*shape[:at], *self.unflattened_size, *shape[at + 1 :])


# ---- borders ---------------------------------------------------------------------------------------


class BorderPad(Cell):
    """The base of borders: (before, after) of the last axis, then of the one before it; one number is all of them.

    ``axes`` says of how many axes, ``mode`` what ``ops.pad`` fills them with. Raises ``ValueError`` for another
    number of widths, ``TypeError`` for no numbers.
    """

    axes, mode = 1, "constant"

    def __init__(self, padding: Sizes, value: float | None = None) -> None:
        super().__init__()
        who, count = type(self).__name__, 2 * self.axes
        if not isinstance(padding, int | tuple):
            got = type(padding).__name__
            raise TypeArgument(f"For '{who}' the input 'padding' must be an integer or tuple, but got {got}")
        widths = (padding,) * count if isinstance(padding, int) else padding
        if len(widths) % 2 or not 0 < len(widths) <= count:
            raise ValueArgument(f"For '{who}', the padding is a number or {count} of them, but got {padding!r}.")
        self.padding, self.value = widths, value

    def construct(self, x: Any) -> Any:
        """The tensor, larger."""
        return ops.pad(x, self.padding, self.mode, self.value)


class ConstantPad1d(BorderPad):
    """A border of one number around the last axis."""

    def __init__(self, padding: Sizes, value: float) -> None:
        super().__init__(padding, value)


class ConstantPad2d(ConstantPad1d):
    """A border of one number around the last two axes."""

    axes = 2


class ConstantPad3d(ConstantPad1d):
    """A border of one number around the last three axes."""

    axes = 3


class ZeroPad2d(BorderPad):
    """A border of zeros around images."""

    axes = 2

    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding, 0.0)


class ReflectionPad1d(BorderPad):
    """The elements of sequences mirrored at the edges, those at the edge once."""

    mode = "reflect"

    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding)


class ReflectionPad2d(ReflectionPad1d):
    """The pixels of images mirrored at the edges, those at the edge once."""

    axes = 2


class ReplicationPad1d(ReflectionPad1d):
    """The elements at the edges of sequences, again and again."""

    mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """The pixels at the edges of images, again and again."""

    axes = 2
