"""Im2col in CHWN order, for many small images: the pixels that all images have at one position are contiguous.

Where rows are short, so are the runs of memory that ``Columns`` copies, or it holds as many columns without a result as
with one. Across images runs are long and all columns have results. Images and results have to be transposed for it,
which takes less time than copying them once for each tap of a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigraph.accel.kernels.chwn import as_chwn_contiguous, as_nchw_contiguous, pad_image_stride
from minigraph.accel.kernels.im2col import Block, Columns
from minigraph.core.machine import (
    CACHE_LINE_FLOATS,
    CACHE_PERIOD_BYTES,
    COLUMN_TILE_BYTES,
    MIN_PIXEL_RESULTS,
    SMALL_PRODUCT_MACS,
)
from minigraph.core.types import Shape
from minigraph.operators.chwn import AXES_TO_CHWN, AXES_TO_NCHW
from minigraph.operators.im2col import Padding, Window


def even_size(count: int, max_size: int) -> int:
    """The largest tile size up to ``max_size`` that divides ``count``; if that is small, one for nearly even tiles.

    >>> even_size(28, 5), even_size(29, 5)
    (4, 5)
    """
    max_size = max(1, min(count, max_size))
    divisor = next((size for size in range(max_size, 3 * max_size // 4, -1) if count % size == 0), None)
    return divisor or -(-count // -(-count // max_size))


class ChwnColumns(Columns):
    """Columns ordered by row, position in the row, and image."""

    def __init__(
        self, padded: np.ndarray, kernel: Shape, window: Window, filters: int = 0, dense: bool = False
    ) -> None:
        super().__init__(padded, kernel, window, filters, dense=True)
        macs = filters * self.c * math.prod(kernel) // self.group**2  # of a column
        self._small_columns = SMALL_PRODUCT_MACS // max(1, macs) if filters else 0

    def _window_view(self, taps: Shape, tap_strides: Shape, pixels: Shape, strides: Shape, image: int) -> np.ndarray:
        all_strides = (*tap_strides, *strides, image)
        return np.ndarray((*taps, *pixels, self.n), self.dtype, self._padded.transpose(AXES_TO_CHWN), 0, all_strides)

    @staticmethod
    def to_layout(images: np.ndarray) -> np.ndarray:
        """The images, or results, in CHWN memory."""
        return as_chwn_contiguous(images)

    @staticmethod
    def zeros(shape: Shape, dtype: np.dtype[Any], padding: Padding) -> np.ndarray:
        """Zeros for padded images, in CHWN memory."""
        n, *rest = Columns.zeros(shape, dtype, padding).shape
        return np.zeros((*rest, n), dtype).transpose(AXES_TO_NCHW)

    def blocks(self, nbytes: int = COLUMN_TILE_BYTES) -> Iterator[Block]:
        """Rows of all images, or of as many as make a row of columns that is long enough.

        A block is at most a product that BLAS computes without packing its operands, if a row is not more than that.
        """
        max_size = self._max_columns(nbytes)
        images = even_size(self.n, 2 * max_size // self.width)  # a block twice as large is better than split images
        least = self.width * images
        rows = min(max_size, self._small_columns if self._small_columns >= least else max_size) // least
        return self._blocks_of(images, even_size(self.height, rows))

    def window_view(self, block: Block) -> np.ndarray:
        """A view of the pixels under the kernel, [C,kh,kw,rows,width,images]."""
        return self.pixels[:, :, :, block.rows, :, block.images]

    def matrices(self, per_image: bool = False) -> Iterator[tuple[Block, np.ndarray]]:
        """The columns of each block, [group, C/group * kh * kw, rows * width * images]; never per image."""
        return super().matrices()

    def _memory(self, block: Block, per_image: bool) -> tuple[np.ndarray, np.ndarray]:
        (count,) = self._shape(block)
        padding = CACHE_LINE_FLOATS if count * self.dtype.itemsize % CACHE_PERIOD_BYTES == 0 else 0
        memory: np.ndarray = np.empty((self.c, *self.kernel, count + padding), self.dtype)[..., :count]
        return memory.reshape(self.group, -1, count), memory.reshape(self._shape(block, self.c, *self.kernel))

    def _shape(self, block: Block, *taps: int) -> Shape:
        """The shape of the columns for each of some taps; without taps the number of columns."""
        images, rows = block.counts
        return (*taps, rows, self.width, images) if taps else (rows * self.width * images,)

    def add(self, block: Block, matrix: np.ndarray) -> None:
        """Col2im: add columns to the pixels they were copied from; the adjoint of ``matrices``."""
        pixels, parts = self.window_view(block), matrix.reshape(self._shape(block, self.c, *self.kernel))
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                pixels[:, i, j] += parts[:, i, j]

    def result_columns(self, g: np.ndarray, block: Block, shifts: int = 1) -> np.ndarray:
        """A block of results [N,O,height,w], a column for each column of the matrix, zero where it has no result."""
        results = g[block.images, :, block.rows].transpose(AXES_TO_CHWN)
        if shifts > 1:
            results = self._stack_shifted(results, shifts)
        return results.reshape(self.group, g.shape[1] // self.group * shifts, -1)

    def _stack_shifted(self, results: np.ndarray, shifts: int) -> np.ndarray:
        """``shifts`` copies of results [O,rows,w,images], each shifted further to the right and padded with zeros."""
        o, rows, wide, images = results.shape
        step, edge = self.window.dilation[1], self.width - wide
        padded = np.zeros((o, rows, wide + 2 * edge, images), results.dtype)
        padded[:, :, edge : edge + wide] = results
        down, along, right, next_image = padded.strides
        all_strides = (down, step * right, along, right, next_image)
        shape = (o, shifts, rows, self.width, images)
        return np.ndarray(shape, results.dtype, padded, edge * right - (shifts - 1) * step * right, all_strides)[
            :, ::-1
        ]

    def to_row_layout(self, g: np.ndarray) -> np.ndarray:
        """Results as [group,height,width,N,O/group], or in CHWN memory where O/group is small."""
        if g.shape[1] < MIN_PIXEL_RESULTS * self.group:
            return self.to_layout(g)
        results = pad_image_stride(g).transpose(AXES_TO_CHWN)
        return np.ascontiguousarray(np.moveaxis(results.reshape(self.group, -1, *results.shape[1:]), 1, 4))

    def result_rows(self, g: np.ndarray, block: Block) -> np.ndarray:
        """A block of results with a row for each column of the matrix, [group, columns, O/group].

        BLAS multiplies these faster, unless rows are short.
        """
        if g.ndim == 4:
            return super().result_rows(g, block)
        return g[:, block.rows, :, block.images].reshape(self.group, -1, g.shape[-1])

    def products(self, filters: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The results [N,O,height,width] of filters, in CHWN memory unless ``out`` is in another order."""
        if out is not None and not out.transpose(AXES_TO_CHWN).flags.c_contiguous:
            return as_nchw_contiguous(self.products(filters), out)
        shape = self.group, filters.shape[-2], self.height, self.width, self.n
        results = np.empty(shape, self.dtype) if out is None else out.transpose(AXES_TO_CHWN).reshape(shape)
        self._multiply(filters, results)
        return results.reshape(-1, *results.shape[2:]).transpose(AXES_TO_NCHW) if out is None else out

    def _multiply(self, filters: np.ndarray, results: np.ndarray) -> None:
        """Write the results of filters, [group,O/group,height,width,N]."""
        flat, row = results.reshape(*results.shape[:2], -1), self.width * self.n
        for block, matrix in self.matrices():
            if block.counts[0] == self.n:
                np.matmul(filters, matrix, out=flat[:, :, block.rows.start * row : block.rows.stop * row])
            else:
                target = results[:, :, block.rows, :, block.images]
                target[...] = np.matmul(filters, matrix).reshape(target.shape)
