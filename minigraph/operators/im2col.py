"""Im2col: the pixels under a sliding kernel as columns of a matrix, so that a convolution is a matrix product."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.types import Shape

Pair = tuple[int, int]
Padding = tuple[Pair, Pair]
NO_PADDING: Padding = ((0, 0), (0, 0))


class Window(NamedTuple):
    """The attributes of a convolution: how its kernel slides over an image."""

    stride: Pair
    padding: Padding
    dilation: Pair
    group: int

    def sizes(self, image: Shape, kernel: Shape) -> Pair:
        """Height and width of the result."""
        sizes = [
            (image[i] + sum(self.padding[i]) - self.dilation[i] * (kernel[i] - 1) - 1) // self.stride[i] + 1
            for i in (0, 1)
        ]
        return sizes[0], sizes[1]

    def taps(self, kernel: Shape, out: Pair) -> Iterator[tuple[int, int, tuple[slice, slice]]]:
        """Each tap (i, j) of the kernel, with slices that select its pixels in the padded image."""
        for i in range(kernel[0]):
            for j in range(kernel[1]):
                top, left = i * self.dilation[0], j * self.dilation[1]
                rows = slice(top, top + (out[0] - 1) * self.stride[0] + 1, self.stride[0])
                columns = slice(left, left + (out[1] - 1) * self.stride[1] + 1, self.stride[1])
                yield i, j, (rows, columns)


def pad_images(x: Array, padding: Padding, value: float = 0) -> Array:
    """Images with a border, in the same memory order; the images themselves if there is no padding.

    >>> pad_images(np.ones((1, 1, 1, 1)), ((0, 1), (1, 0)))[0, 0]
    array([[0., 1.],
           [0., 0.]])
    """
    if padding == NO_PADDING:
        return x
    (top, bottom), (left, right) = padding
    n, c, h, w = x.shape
    padded = np.full_like(x, value, shape=(n, c, h + top + bottom, w + left + right))
    padded[:, :, top : top + h, left : left + w] = x
    return padded


def crop(x: Array, padding: Padding) -> Array:
    """Images without their border."""
    (top, bottom), (left, right) = padding
    return x[:, :, top : x.shape[2] - bottom, left : x.shape[3] - right]


def im2col(x: Array, kernel: Shape, window: Window) -> Array:
    """The pixels under the kernel, a column for each position of it: [N, group, C/group * kh * kw, height * width].

    >>> im2col(np.arange(6.0).reshape(1, 1, 2, 3), (2, 2), Window((1, 1), NO_PADDING, (1, 1), 1))[0, 0].T
    array([[0., 1., 3., 4.],
           [1., 2., 4., 5.]])
    """
    (sy, sx), (dy, dx) = window.stride, window.dilation
    extent = dy * (kernel[0] - 1) + 1, dx * (kernel[1] - 1) + 1
    padded = pad_images(x, window.padding)
    windows = np.lib.stride_tricks.sliding_window_view(padded, extent, axis=(2, 3))[:, :, ::sy, ::sx, ::dy, ::dx]
    n, c, height, width, kh, kw = windows.shape
    pixels = np.ascontiguousarray(windows.transpose(0, 1, 4, 5, 2, 3))
    return pixels.reshape(n, window.group, c // window.group * kh * kw, height * width)


def col2im(columns: Array, kernel: Shape, window: Window, shape: Shape) -> Array:
    """Images of a shape, each pixel the sum of its entries in the columns: the adjoint of ``im2col``."""
    n, c, h, w = shape
    height, width = window.sizes((h, w), kernel)
    pixels = columns.reshape(n, c, *kernel, height, width)
    total = pad_images(np.zeros(shape, columns.dtype), window.padding)
    for i, j, (row, column) in window.taps(kernel, (height, width)):
        total[:, :, row, column] += pixels[:, :, i, j]
    return np.ascontiguousarray(crop(total, window.padding))
