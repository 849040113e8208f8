"""Deformable convolution: the elements of a window have offsets of their own (Dai et al. 2017), and weights (Zhu et al.
2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.ops.functional.arithmetic import floor
from minigraph.ops.functional.convolution import conv2d
from minigraph.ops.functional.interpolation import pixels_at
from minigraph.ops.functional.joining import concat

__all__ = ["deformable_conv2d"]


def deformable_samples(
    x: Tensor, offsets: Tensor, kernel_size: Sequence[int], strides: Sequence[int], padding: Sequence[int],
    dilations: Sequence[int], groups: int, modulated: bool,
) -> Tensor:  # fmt: skip
    """[N, C, h kh, w kw]: images [N,C,H,W] at the elements of windows moved by ``offsets``, linearly interpolated.

    Offsets are [N, 3 groups kh kw, h, w]: those along x, those along y, and weights. Each group is a part of the
    channels. Beyond the edge is 0.
    """
    if not modulated:
        raise ArgValueError("For 'DeformableOffsets', The modulated must be set to True.")
    (kernel_height, kernel_width), (top, _, left, _) = kernel_size, padding
    count = kernel_height * kernel_width
    if x.ndim != 4 or offsets.ndim != 4 or offsets.shape[1] != 3 * groups * count or x.shape[1] % groups:
        shapes = f"{x.type} and {offsets.type}"
        raise ShapeError(f"deformable_conv2d: needs x [N,C,H,W] and offsets [N,{3 * groups * count},h,w], got {shapes}")
    batch, _, height, width = offsets.shape
    row, column = np.divmod(np.arange(count), kernel_width)
    rows = np.arange(height) * strides[2] - top + (row * dilations[2])[:, None]
    columns = np.arange(width) * strides[3] - left + (column * dilations[3])[:, None]
    parts: Any = offsets.reshape(batch, 3, groups, count, height, width)
    images = x.reshape(batch, groups, -1, *x.shape[2:])
    samples = []
    for group in range(groups):
        at_x = parts[:, 0, group] + Tensor(columns[:, None, :], x.dtype)
        at_y = parts[:, 1, group] + Tensor(rows[:, :, None], x.dtype)
        pixels = _interpolate(images[:, group], at_y, at_x) * parts[:, 2, group].expand_dims(1)
        pixels = pixels.reshape(batch, -1, kernel_height, kernel_width, height, width).transpose((0, 1, 4, 2, 5, 3))
        samples.append(pixels.reshape(batch, -1, height * kernel_height, width * kernel_width))
    return concat(samples, 1)


def _interpolate(images: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """Images [N,C,H,W] at positions [N,...]: the weighted four pixels around them."""
    above, before = floor(y), floor(x)
    down, right = y - above, x - before
    total: Any = 0
    for row, weight in ((above, 1 - down), (above + 1, down)):
        for column, share in ((before, 1 - right), (before + 1, right)):
            total = pixels_at(images, [row, column], "zeros", False) * (weight * share).expand_dims(1) + total
    result: Tensor = total
    return result


def deformable_conv2d(
    x: Tensor, weight: Tensor, offsets: Tensor, kernel_size: Sequence[int], strides: Sequence[int],
    padding: Sequence[int], bias: Tensor | None = None, dilations: Sequence[int] = (1, 1, 1, 1), groups: int = 1,
    deformable_groups: int = 1, modulated: bool = True,
) -> Tensor:  # fmt: skip
    """The convolution of images [N,C,H,W] whose windows have elements moved and weighted by ``offsets``.

    Offsets are [N, 3 deformable_groups kh kw, h, w]: those along x, those along y, and weights. ``padding`` is (top,
    bottom, left, right); ``strides`` and ``dilations`` have 1 for the first two axes. Raises ``ShapeError`` for other
    shapes, ``ValueError`` if ``modulated`` is false.

    >>> ones = Tensor(np.ones((1, 1, 3, 3), np.float32))
    >>> offsets = Tensor(np.repeat([0, 0, 1], 9).reshape(1, 27, 1, 1).astype(np.float32))
    >>> print(deformable_conv2d(ones, ones, offsets, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)))
    [[[[9.]]]]
    """
    samples = deformable_samples(x, offsets, kernel_size, strides, padding, dilations, deformable_groups, modulated)
    return conv2d(samples, weight, bias, tuple(kernel_size), "valid", 0, 1, groups)
