"""Blocked im2col: the pixels under a kernel as columns of a matrix, a cache-sized block of columns at a time.

Im2col turns a convolution into one matrix product (Chellapilla et al. 2006), but the whole matrix is as large as the
image times the kernel. Here a block of it, a few images or a few rows of results of one image, is copied and then
multiplied while it is in the cache. Where the kernel moves by one pixel, its columns are copied for whole rows of the
image at once, so that copies are long and contiguous. Between the rows of results the matrix then has columns without a
result: ``pitch`` columns a row instead of ``width``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.machine import COLUMN_TILE_BYTES, MIN_COLUMNS, PRODUCTS_PER_COPY, SMALL_PRODUCT_MACS
from minigraph.core.types import Shape
from minigraph.operators.im2col import NO_PADDING, Padding, Pair, Window


class Block(NamedTuple):
    """A range of images and a range of rows of results."""

    images: slice
    rows: slice

    @property
    def counts(self) -> Pair:
        """The number of images and of rows."""
        return self.images.stop - self.images.start, self.rows.stop - self.rows.start


class Columns:
    """The im2col matrix of padded images [N,C,h,w]: for each pixel of a result the column of its pixels.

    ``filters`` is the number of filters that multiply it. With many filters there are no columns without a result, nor
    with ``dense``, for results that infinite pixels of such columns must not reach.
    """

    def __init__(
        self, padded: np.ndarray, kernel: Shape, window: Window, filters: int = 0, dense: bool = False
    ) -> None:
        self.group, self.kernel, self.dtype, self.window = window.group, kernel, padded.dtype, window
        self._padded = padded = self.to_layout(padded)
        self.n, self.c, _, padded_width = padded.shape
        self.height, self.width = window._replace(padding=NO_PADDING).sizes(padded.shape[2:], kernel)
        if min(self.height, self.width) < 1:
            raise ValueError("the kernel is larger than the image")  # the strided view would leave the image's memory
        has_few_filters = filters // self.group * (padded_width - self.width) <= PRODUCTS_PER_COPY * self.width
        self.pitch = padded_width if has_few_filters and window.stride == (1, 1) and not dense else self.width
        (dy, dx), (sy, sx) = window.dilation, window.stride
        sn, sc, sh, sw = padded.strides
        shape, strides = ((self.height, self.width), (sh * sy, sw * sx)) if self.is_dense else ((self._span(),), (sw,))
        self.pixels = self._window_view((self.c, *kernel), (sc, sh * dy, sw * dx), shape, strides, sn)

    def _window_view(self, taps: Shape, tap_strides: Shape, pixels: Shape, strides: Shape, image: int) -> np.ndarray:
        """A view of the pixels under each tap of the kernel, [C,kh,kw,N,...]; ``image`` is the stride of N."""
        all_strides = (*tap_strides, image, *strides)
        return np.ndarray((*taps, self.n, *pixels), self.dtype, self._padded, 0, all_strides)

    @staticmethod
    def to_layout(images: np.ndarray) -> np.ndarray:
        """The images, or results, in the memory order that these columns read; the same array if it is."""
        return np.ascontiguousarray(images)

    @staticmethod
    def zeros(shape: Shape, dtype: np.dtype[Any], padding: Padding) -> np.ndarray:
        """Zeros for padded images, in the memory order of ``to_layout``."""
        n, c, h, w = shape
        return np.zeros((n, c, h + sum(padding[0]), w + sum(padding[1])), dtype)

    def to_row_layout(self, g: np.ndarray) -> np.ndarray:
        """Results in the layout that ``result_rows`` reads; the same array if it is."""
        return self.to_layout(g)

    @property
    def images(self) -> np.ndarray:
        """The padded images [N,C,h,w], including what was added to them."""
        return self._padded

    @property
    def is_dense(self) -> bool:
        """Whether every column belongs to a result."""
        return self.pitch == self.width

    def _span(self, rows: int | None = None) -> int:
        """The number of columns from the first result to the last of ``rows`` rows (``None``: all)."""
        return ((rows or self.height) - 1) * self.pitch + self.width

    def blocks(self, nbytes: int = COLUMN_TILE_BYTES) -> Iterator[Block]:
        """All images and rows in blocks of about ``nbytes`` of columns, and at least ``MIN_COLUMNS``."""
        max_columns = self._max_columns(nbytes)
        rows = max(1, min(self.height, max_columns // max(self.pitch, 1)))
        images = max(1, max_columns // max(self.pitch * self.height, 1)) if rows == self.height else 1
        return self._blocks_of(images, rows)

    def _max_columns(self, nbytes: int) -> int:
        """The most columns of a block."""
        column_bytes = self.c * self.kernel[0] * self.kernel[1] * self.dtype.itemsize
        return max(MIN_COLUMNS, nbytes // max(column_bytes, 1))

    def _blocks_of(self, images: int, rows: int) -> Iterator[Block]:
        """Blocks of ``images`` images and ``rows`` rows, and smaller ones for the remainders."""
        for image in range(0, self.n, images):
            for row in range(0, self.height, rows):
                yield Block(slice(image, min(image + images, self.n)), slice(row, min(row + rows, self.height)))

    def window_view(self, block: Block) -> np.ndarray:
        """A view of the pixels under the kernel, [C,kh,kw,images,...], where ... are rows, or one range of columns."""
        rows = block.rows
        if not self.is_dense:
            rows = slice(rows.start * self.pitch, (rows.stop - 1) * self.pitch + self.width)
        return self.pixels[:, :, :, block.images, rows]

    def _as_window_view(self, columns: np.ndarray, block: Block) -> np.ndarray:
        """Columns [C,kh,kw,images,rows * pitch] in the shape of ``window_view``."""
        if self.is_dense:
            return columns.reshape(*columns.shape[:-1], block.counts[1], self.width)
        return columns[..., : self._span(block.counts[1])]

    def matrices(self, per_image: bool = False) -> Iterator[tuple[Block, np.ndarray]]:
        """The columns of each block, in reused memory: [group, C/group * kh * kw, images * rows * pitch].

        With ``per_image`` one matrix for each image: [images, group, C/group * kh * kw, rows * pitch].
        """
        memory: dict[Pair, tuple[np.ndarray, np.ndarray]] = {}
        for block in self.blocks():
            if block.counts not in memory:
                memory[block.counts] = self._memory(block, per_image)
            matrix, target = memory[block.counts]
            np.copyto(target, self.window_view(block))
            yield block, matrix

    def _memory(self, block: Block, per_image: bool) -> tuple[np.ndarray, np.ndarray]:
        """Memory for a block's columns: as a matrix or matrices, and in the shape of ``window_view``; zeros between."""
        images, rows = block.counts
        columns_per_image = rows * self.pitch
        shape: Shape = (
            (images, self.group, -1, columns_per_image) if per_image else (self.group, -1, images * columns_per_image)
        )
        taps = self.c, *self.kernel
        memory: np.ndarray = np.empty(
            (images, *taps, columns_per_image) if per_image else (*taps, images, columns_per_image), self.dtype
        )
        columns = memory.transpose(1, 2, 3, 0, 4) if per_image else memory
        columns[..., self._span(rows) :] = 0
        return memory.reshape(shape), self._as_window_view(columns, block)

    def add(self, block: Block, matrix: np.ndarray) -> None:
        """Col2im: add columns to the pixels they were copied from; the adjoint of ``matrices``."""
        columns = matrix.reshape(self.c, *self.kernel, block.counts[0], -1)
        pixels, parts = self.window_view(block), self._as_window_view(columns, block)
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                pixels[:, i, j] += parts[:, i, j]

    # ---- weights and results -----------------------------------------------------------------------

    def filters(self, weight: np.ndarray) -> np.ndarray:
        """The weight as one matrix per group, [group, O/group, C/group * kh * kw]."""
        return np.asarray(weight, order="C").reshape(self.group, len(weight) // self.group, -1)

    def weight_of(self, filters: np.ndarray, shape: Shape) -> np.ndarray:
        """The weight, of ``shape``, of matrices as ``filters`` gives them."""
        return np.ascontiguousarray(filters).reshape(shape)

    def products(self, filters: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The results [N,O,height,width] of ``filters``."""
        if out is None:
            out = np.empty((self.n, filters.shape[0] * filters.shape[1], self.height, self.width), self.dtype)
        for block, matrix in self.matrices(filters[0].size * self.height * self.pitch <= SMALL_PRODUCT_MACS):
            self.put(out, np.matmul(filters, matrix), block)
        return out

    def result_columns(self, g: np.ndarray, block: Block, shifts: int = 1) -> np.ndarray:
        """A block of results [N,O,height,w] with a column for each column of the matrix, zero where it has no result.

        ``shifts`` times, each shifted right by one more tap of the kernel's row: [group, O/group * shifts, ...].
        """
        images, rows = block.counts
        width = g.shape[3]
        allocate = np.empty if width == self.pitch else np.zeros
        columns = allocate((g.shape[1], shifts, images, rows, self.pitch), g.dtype)
        for k in range(shifts):
            left = k * self.window.dilation[1]
            columns[:, k, ..., left : left + width] = g[block.images, :, block.rows].swapaxes(0, 1)
        return columns.reshape(self.group, g.shape[1] // self.group * shifts, images * rows * self.pitch)

    def result_rows(self, g: np.ndarray, block: Block) -> np.ndarray:
        """A block of results with a row for each column of the matrix, [group, columns, O/group]."""
        return self.result_columns(g, block).swapaxes(-1, -2)

    def put(self, out: np.ndarray, columns: np.ndarray, block: Block) -> None:
        """Write columns of results, of all images or of each, to their positions in ``out`` [N,O,height,width]."""
        images, rows = block.counts
        if columns.ndim == 4:
            results = columns.reshape(images, out.shape[1], rows, self.pitch)
        else:
            results = columns.reshape(out.shape[1], images, rows, self.pitch).swapaxes(0, 1)
        out[block.images, :, block.rows] = results[..., : self.width]
