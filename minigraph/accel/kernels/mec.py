"""Memory-efficient convolution: im2col along the width only, one overlapping matrix view for each row of results.

For each row of images, the pixels under one row of the kernel are copied once. The rows of memory under a kernel of
kh rows are contiguous, and are the matrix of one row of results; the matrix of the next row of results starts a stride
further and overlaps it. So at stride 1, the copies are smaller by a factor of the kernel's height. (Cho and Brand,
"MEC: Memory-efficient Convolution for Deep Neural Network", ICML 2017; here in CHWN order.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from minigraph.accel.kernels.chwn_im2col import ChwnColumns, even_size
from minigraph.accel.kernels.im2col import Block
from minigraph.core.machine import COLUMN_TILE_BYTES, MAX_ROW_ELEMENTS, SMALL_PRODUCT_MACS
from minigraph.core.types import Shape
from minigraph.operators.chwn import AXES_TO_CHWN, should_use_chwn
from minigraph.operators.im2col import Window


def should_use_mec(image: Shape, weight: Shape, window: Window) -> bool:
    """Whether a convolution in CHWN uses MEC: rows of results share pixels, and their products are small.

    Products of more than twice as many multiplications as BLAS calls small take so long that copies hardly matter.

    >>> should_use_mec((32, 6, 14, 14), (16, 6, 5, 5), Window((1, 1), ((0, 0), (0, 0)), (1, 1), 1))
    True
    """
    (n, c, height, width), (o, _, kh, kw) = image, weight
    if window.dilation[0] > 1 or window.stride[0] >= kh or not should_use_chwn(image, weight, window):
        return False
    columns = c * kh * kw * n * window.sizes((height, width), (kh, kw))[1]
    return o * columns <= 2 * SMALL_PRODUCT_MACS * window.group**2 and columns <= MAX_ROW_ELEMENTS


class MecColumns(ChwnColumns):
    """Columns ordered by position in the row and image, a matrix for each row of results.

    ``matrices`` gives [group, rows, kh * C/group * kw, width * images] for each block; rows overlap in memory and must
    not be written. ``add`` is the adjoint, as in every order; gradients of images use the other orders.
    """

    def filters(self, weight: np.ndarray) -> np.ndarray:
        """The weight by rows of the kernel, a matrix for each group, [group, 1, O/group, kh * C/group * kw]."""
        (o, c, kh, kw), group = weight.shape, self.group
        rows = weight.reshape(group, o // group, c, kh, kw).swapaxes(2, 3)
        return np.ascontiguousarray(rows).reshape(group, 1, o // group, -1)

    def weight_of(self, filters: np.ndarray, shape: Shape) -> np.ndarray:
        """The weight, of ``shape``, of matrices [group, O/group, kh * C/group * kw]."""
        o, c, kh, kw = shape
        return np.ascontiguousarray(filters.reshape(o, kh, c, kw).swapaxes(1, 2))

    def blocks(self, nbytes: int = COLUMN_TILE_BYTES) -> Iterator[Block]:
        """All images, and as many rows of results as fit into ``nbytes`` of columns."""
        row_bytes = self.c * self.kernel[1] * self.width * self.n * self.dtype.itemsize
        max_rows = (nbytes // max(row_bytes, 1) - self.kernel[0]) // self.window.stride[0] + 1
        return self._blocks_of(self.n, even_size(self.height, max_rows))

    def window_view(self, block: Block) -> np.ndarray:
        """A view of the pixels under the kernel's row, [group,rows of images,C/group,kw,width,images]."""
        step = self.window.stride[0]
        first, last = block.rows.start * step, (block.rows.stop - 1) * step
        return self.pixels[:, first : last + self.kernel[0], ..., block.images]

    def _window_view(self, taps: Shape, tap_strides: Shape, pixels: Shape, strides: Shape, image: int) -> np.ndarray:
        (c, _, kw), (channel, row, tap), (_, width), (_, pixel) = taps, tap_strides, pixels, strides
        shape = self.group, self._padded.shape[2], c // self.group, kw, width, self.n
        all_strides = c // self.group * channel, row, channel, tap, pixel, image
        return np.ndarray(shape, self.dtype, self._padded.transpose(AXES_TO_CHWN), 0, all_strides)

    def _memory(self, block: Block, per_image: bool) -> tuple[np.ndarray, np.ndarray]:
        images, rows = block.counts
        memory: np.ndarray = np.empty(self.window_view(block).shape, self.dtype)
        group, part, _, tap, *_ = memory.strides
        shape = self.group, rows, self.kernel[0] * (part // tap), self.width * images
        strides = group, part * self.window.stride[0], tap, self.dtype.itemsize
        return np.ndarray(shape, self.dtype, memory, 0, strides), memory

    def add(self, block: Block, matrix: np.ndarray) -> None:
        """Col2im: add columns to the pixels they were copied from; the adjoint of ``matrices``."""
        pixels, (images, rows), (kh, kw) = self.window_view(block), block.counts, self.kernel
        step, parts = self.window.stride[0], matrix.reshape(self.group, rows, kh, -1, kw, self.width, images)
        for i in range(kh):
            for j in range(kw):
                pixels[:, i : i + (rows - 1) * step + 1 : step, :, j] += parts[:, :, i, :, j]

    def _multiply(self, filters: np.ndarray, results: np.ndarray) -> None:
        rows = results.reshape(*results.shape[:3], -1).swapaxes(1, 2)
        for block, matrices in self.matrices():
            np.matmul(filters, matrices, out=rows[:, block.rows])

    def result_columns(self, g: np.ndarray, block: Block, shifts: int = 1) -> np.ndarray:
        """A block of results [N,O,height,w] by columns of the matrices, [group,rows,O/group * shifts,columns]."""
        columns = super().result_columns(g, block, shifts)
        return columns.reshape(*columns.shape[:2], block.counts[1], -1).swapaxes(1, 2)

    def result_rows(self, g: np.ndarray, block: Block) -> np.ndarray:
        """A block of results with a row for each column of the matrices, [group,rows,columns,O/group]."""
        if g.ndim == 4:
            return super().result_rows(g, block)
        return g[:, block.rows].reshape(self.group, block.counts[1], -1, g.shape[-1])
