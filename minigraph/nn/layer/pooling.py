"""Pooling layers: the maximum, mean or norm of sliding windows over images [N, C, H, W] or sequences [N, C, L]."""

from __future__ import annotations

import math
from typing import Any

from minigraph import ops
from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ArgValueError, ShapeError, UsageError
from minigraph.core.op import Op, apply
from minigraph.core.tensor import Tensor
from minigraph.nn.arguments import check_1d_sizes
from minigraph.nn.cell import Cell
from minigraph.nn.layer.conv import NO_PADDING, check_format, check_padding
from minigraph.nn.layer.image import Sizes
from minigraph.operators.conv import pair_of
from minigraph.operators.im2col import Padding, Pair
from minigraph.operators.pooling import AVG_POOL2D, MAX_POOL2D, WINDOWS
from minigraph.ops.functional.convolution import same_padding

Window = int | tuple[int, ...]


class Pool(Cell):
    """The base class of pooling layers: the geometry of the window and the padding of images.

    ``pad_mode`` as in ``Conv2d``; ``ceil_mode`` adds a window at the end where one fits partly. Raises ``ValueError``
    for an unknown mode or padding without "pad".
    """

    def __init__(
        self, kernel_size: Window, stride: Window, pad_mode: str, padding: IntOrTuple, dilation: Window, ceil_mode: bool
    ) -> None:
        super().__init__()
        caller = type(self).__name__
        self.kernel_size, self.stride, self.pad_mode = kernel_size, stride, str(pad_mode).upper()
        self.window, self.step = pair_of(caller, "kernel_size", kernel_size), pair_of(caller, "stride", stride)
        self.pads = check_padding(caller, str(pad_mode).lower(), padding)
        self.dilation, self.ceil_mode = pair_of(caller, "dilation", dilation), ceil_mode

    def images(self, x: Tensor) -> Tensor:
        """The input as images of rank 4; raises ``ShapeError`` unless the rank is 3 or 4."""
        if len(x.shape) not in (3, 4):
            raise ShapeError(f"{type(self).__name__}: needs x[N,C,H,W] or x[C,H,W], got shape {list(x.shape)}")
        return x if len(x.shape) == 4 else x.expand_dims(0)

    def pad_widths(self, sizes: tuple[int, ...]) -> Padding:
        """Padding (before, after) of each image axis, including the padding of ``ceil_mode``."""
        if self.pad_mode == "SAME":
            axes = zip(sizes, self.window, self.step, strict=True)
            rows, columns = (same_padding(size, kernel, step, 1) for size, kernel, step in axes)
            return rows, columns
        rows, columns = ((low, high + self._ceil_padding(i, sizes[i])) for i, (low, high) in enumerate(self.pads))
        return rows, columns

    def _ceil_padding(self, axis: int, size: int) -> int:
        """Padding for one more window, which must begin inside the image or its leading padding."""
        before, after = self.pads[axis]
        free = size + before + after - self.extents[axis]
        step = self.step[axis]
        count = math.ceil(free / step)
        begins_inside = count * step < size + before
        return count * step - free if self.ceil_mode and free % step and begins_inside else 0

    @property
    def extents(self) -> Pair:
        """The extent of the dilated window in pixels, per axis."""
        rows, columns = (dilation * (size - 1) + 1 for dilation, size in zip(self.dilation, self.window, strict=True))
        return rows, columns

    def pool(self, op: Op, images: Tensor, pads: Padding) -> Tensor:
        """A pooling operator over padded images."""
        return apply(op, images, kernel=self.window, stride=self.step, padding=pads)

    def extend_repr(self) -> str:
        """The window."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class MaxPool2d(Pool):
    """The maximum of each window; padding is never selected.

    With ``pad_mode`` "pad" also with ``dilation``, the distance between the pixels of a window, and ``ceil_mode``.
    Raises ``UsageError`` for ``return_indices``.

    >>> from minigraph import ops
    >>> MaxPool2d(2, stride=2)(ops.ones((1, 3, 8, 8))).shape
    (1, 3, 4, 4)
    """

    def __init__(
        self,
        kernel_size: Window = 1,
        stride: Window = 1,
        pad_mode: str = "valid",
        padding: IntOrTuple = 0,
        dilation: Window = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, dilation, ceil_mode)
        check_format("MaxPool2d", data_format)
        if return_indices:
            raise UsageError("MaxPool2d: return_indices is not supported; compare x with the result to find positions")
        if self.pad_mode != "PAD" and (self.dilation != (1, 1) or ceil_mode):
            raise ArgValueError(f"For MaxPool2d, dilation and ceil_mode need pad_mode 'pad', but got '{pad_mode}'.")

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, C, H, W] to [N, C, oh, ow], or both without N."""
        images = self.images(x)
        pads = self.pad_widths(images.shape[2:])
        maxima = self.pool(MAX_POOL2D, images, pads) if self.dilation == (1, 1) else self._dilated_maxima(images, pads)
        return maxima if len(x.shape) == 4 else maxima.squeeze(0)

    def _dilated_maxima(self, images: Tensor, pads: Padding) -> Tensor:
        """The maxima of every ``dilation``-th pixel of windows that cover the gaps."""
        padded = apply("pad", images, widths=((0, 0), (0, 0), *pads), value=-math.inf)
        rows, columns = self.dilation
        return ops.amax(apply(WINDOWS, padded, kernel=self.extents, stride=self.step)[..., ::rows, ::columns], (-2, -1))


class AvgPool2d(Pool):
    """The mean of each window.

    Pixels of ``pad_mode`` "pad" count as zeros unless ``count_include_pad`` is False, those of "same" and of
    ``ceil_mode`` do not count; ``divisor_override`` replaces the number of pixels as the divisor. Raises ``ValueError``
    for a divisor below 1.

    >>> from minigraph import ops
    >>> print(AvgPool2d(2, stride=1, pad_mode="same")(ops.ones((1, 1, 2, 2))))
    [[[[1. 1.]
       [1. 1.]]]]
    """

    def __init__(
        self,
        kernel_size: Window = 1,
        stride: Window = 1,
        pad_mode: str = "valid",
        padding: IntOrTuple = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding, 1, ceil_mode)
        check_format("AvgPool2d", data_format)
        if divisor_override is not None and divisor_override <= 0:
            raise ArgValueError(f"For 'AvgPool2d', the 'divisor_override' must be > 0, but got {divisor_override}.")
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, C, H, W] to [N, C, oh, ow], or both without N."""
        images = self.images(x)
        pads = self.pad_widths(images.shape[2:])
        mean = self.pool(AVG_POOL2D, images, pads)
        if self.divisor_override:
            mean = mean * (math.prod(self.window) / self.divisor_override)
        elif pads != (self.pads if self.count_include_pad else NO_PADDING):
            mean = mean / self._counted_share(images, pads)
        return mean if len(x.shape) == 4 else mean.squeeze(0)

    def _counted_share(self, images: Tensor, pads: Padding) -> Tensor:
        """The share of each window that counts."""
        ones = ops.ones((1, 1, *images.shape[2:]), images.dtype)
        if not (self.count_include_pad and self.pad_mode == "PAD"):
            return self.pool(AVG_POOL2D, ones, pads)
        (top, bottom), (left, right) = self.pads
        ones = apply("pad", ones, widths=((0, 0), (0, 0), (top, bottom), (left, right)), value=1.0)
        return self.pool(AVG_POOL2D, ones, ((0, pads[0][1] - bottom), (0, pads[1][1] - right)))


class MaxPool1d(MaxPool2d):
    """``MaxPool2d`` over sequences [N, C, L], as images one pixel high.

    >>> from minigraph import Tensor
    >>> print(MaxPool1d(2, stride=2)(Tensor([[[1.0, 3.0, 2.0, 0.0]]])))
    [[[3. 2.]]]
    """

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: IntOrTuple = 0,
        dilation: int = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        sizes = check_1d_sizes("MaxPool1d", kernel_size=kernel_size, stride=stride, dilation=dilation)
        kernel, strides, dilations = sizes
        super().__init__(kernel, strides, pad_mode, _pads_1d(padding), dilations, return_indices, ceil_mode)

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, C, L] to [N, C, ol], or both without N."""
        return super().construct(_as_images("MaxPool1d", x)).squeeze(-2)


class AvgPool1d(AvgPool2d):
    """``AvgPool2d`` over sequences [N, C, L], as images one pixel high.

    >>> from minigraph import Tensor
    >>> print(AvgPool1d(2, stride=2)(Tensor([[[1.0, 3.0, 2.0, 0.0]]])))
    [[[2. 1.]]]
    """

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: IntOrTuple = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        kernel, step = check_1d_sizes("AvgPool1d", kernel_size=kernel_size, stride=stride)
        super().__init__(kernel, step, pad_mode, _pads_1d(padding), ceil_mode, count_include_pad)

    def construct(self, x: Tensor) -> Tensor:
        """Float [N, C, L] to [N, C, ol], or both without N."""
        return super().construct(_as_images("AvgPool1d", x)).squeeze(-2)


def _pads_1d(padding: Any) -> tuple[int, int, int, int]:
    """Padding of a sequence, one number or a tuple of one, as padding of an image."""
    (size,) = padding if isinstance(padding, tuple | list) and len(padding) == 1 else (padding,)
    return 0, 0, size, size


def _as_images(caller: str, x: Tensor) -> Tensor:
    if len(x.shape) not in (2, 3):
        raise ShapeError(f"{caller}: needs x[N,C,L] or x[C,L], got shape {list(x.shape)}; reshape x")
    return x.expand_dims(-2)


class LPPool1d(Cell):
    """The norm of order ``norm_type`` of each window of sequences, without absolute values."""

    def __init__(self, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def construct(self, x: Tensor) -> Tensor:
        """[N, C, L] or [C, L], pooled."""
        return ops.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(Cell):
    """The norm of order ``norm_type`` of each window of images, without absolute values."""

    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def construct(self, x: Tensor) -> Tensor:
        """[N, C, H, W] or [C, H, W], pooled."""
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)
