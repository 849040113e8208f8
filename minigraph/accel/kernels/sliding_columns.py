"""Columns across images, a matrix for each row of results, that lie in memory once although two such rows meet them.

For each row of images there is one part of memory with what the places of a kernel's row meet of it. As many parts as
the kernel has rows, one after the other, are the matrix of a row of results; that of the next begins a stride further.
So there is less to copy by the height of the kernel, where it moves by one row.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from minigraph.accel.kernels.chwn_columns import Across, evenly
from minigraph.accel.kernels.columns import Block
from minigraph.core.machine import COLUMN_BLOCK_BYTES, MAX_ROW_NUMBERS, SMALL_PRODUCT_MACS
from minigraph.core.types import Shape
from minigraph.operators.chwn import AXES_TO_CHWN, prefers_chwn
from minigraph.operators.img2col import Window


def slides(image: Shape, weight: Shape, window: Window) -> bool:
    """Whether a convolution goes across images by rows of results: two of them meet the same pixels, and are small.

    More multiplications than twice what BLAS calls small take so long that what is copied for them hardly matters.

    >>> slides((32, 6, 14, 14), (16, 6, 5, 5), Window((1, 1), ((0, 0), (0, 0)), (1, 1), 1))
    True
    """
    (n, c, height, width), (o, _, kh, kw) = image, weight
    if window.dilation[0] > 1 or window.stride[0] >= kh or not prefers_chwn(image, weight, window):
        return False
    columns = c * kh * kw * n * window.sizes((height, width), (kh, kw))[1]
    return o * columns <= 2 * SMALL_PRODUCT_MACS * window.group**2 and columns <= MAX_ROW_NUMBERS


class Sliding(Across):
    """Columns ordered by place in the row and image, a matrix for each row of results.

    ``matrices`` are [group, rows, kh * C/group * kw, width * images] for each block; rows share memory, so nobody may
    write them. ``add`` is the adjoint, as in every order, though gradients of images are made in the others so far.
    """

    def filters(self, weight: np.ndarray) -> np.ndarray:
        """Kernels row by row, a matrix for each group, [group, 1, O/group, kh * C/group * kw]."""
        (o, c, kh, kw), group = weight.shape, self.group
        rows = weight.reshape(group, o // group, c, kh, kw).swapaxes(2, 3)
        return np.ascontiguousarray(rows).reshape(group, 1, o // group, -1)

    def weights(self, filters: np.ndarray, shape: Shape) -> np.ndarray:
        """What matrices [group, O/group, kh * C/group * kw] are of: kernels, of a shape."""
        o, c, kh, kw = shape
        return np.ascontiguousarray(filters.reshape(o, kh, c, kw).swapaxes(1, 2))

    def blocks(self, nbytes: int = COLUMN_BLOCK_BYTES) -> Iterator[Block]:
        """All images, so many rows of results that there are so many bytes of columns."""
        part = self.c * self.kernel[1] * self.width * self.n * self.dtype.itemsize
        most = (nbytes // max(part, 1) - self.kernel[0]) // self.window.stride[0] + 1
        return self._cut_by(self.n, evenly(self.height, most))

    def seen(self, block: Block) -> np.ndarray:
        """A view of what the places of a kernel's row meet, [group,rows of images,C/group,kw,width,images]."""
        step = self.window.stride[0]
        first, last = block.rows.start * step, (block.rows.stop - 1) * step
        return self.pixels[:, first : last + self.kernel[0], ..., block.images]

    def _seen(self, places: Shape, apart: Shape, pixels: Shape, strides: Shape, image: int) -> np.ndarray:
        (c, _, kw), (channel, row, place), (_, width), (_, pixel) = places, apart, pixels, strides
        shape = self.group, self._padded.shape[2], c // self.group, kw, width, self.n
        every = c // self.group * channel, row, channel, place, pixel, image
        return np.ndarray(shape, self.dtype, self._padded.transpose(AXES_TO_CHWN), 0, every)

    def _memory(self, block: Block, apart: bool) -> tuple[np.ndarray, np.ndarray]:
        images, rows = block.counts
        memory: np.ndarray = np.empty(self.seen(block).shape, self.dtype)
        group, part, _, tap, *_ = memory.strides
        shape = self.group, rows, self.kernel[0] * (part // tap), self.width * images
        strides = group, part * self.window.stride[0], tap, self.dtype.itemsize
        return np.ndarray(shape, self.dtype, memory, 0, strides), memory

    def add(self, block: Block, matrix: np.ndarray) -> None:
        """Add columns to the pixels they are of: the adjoint of ``matrices``."""
        pixels, (images, rows), (kh, kw), step = self.seen(block), block.counts, self.kernel, self.window.stride[0]
        parts = matrix.reshape(self.group, rows, kh, -1, kw, self.width, images)
        for i in range(kh):
            for j in range(kw):
                pixels[:, i : i + (rows - 1) * step + 1 : step, :, j] += parts[:, :, i, :, j]

    def _multiply(self, filters: np.ndarray, found: np.ndarray) -> None:
        rows = found.reshape(*found.shape[:3], -1).swapaxes(1, 2)
        for block, matrices in self.matrices():
            np.matmul(filters, matrices, out=rows[:, block.rows])

    def of_results(self, g: np.ndarray, block: Block, shifts: int = 1) -> np.ndarray:
        """A block of arrays [N,O,height,w], a column to each of theirs, [group,rows,O/group * shifts,columns]."""
        found = super().of_results(g, block, shifts)
        return found.reshape(*found.shape[:2], block.counts[1], -1).swapaxes(1, 2)

    def upright(self, g: np.ndarray, block: Block) -> np.ndarray:
        """The results of a block, a row to each column, [group,rows,columns,O/group]."""
        if g.ndim == 4:
            return super().upright(g, block)
        return g[:, block.rows].reshape(self.group, block.counts[1], -1, g.shape[-1])
