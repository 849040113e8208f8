"""The columns of convolutions over many small images: pixels that all images have at one place lie beside each other.

Where rows are short, so is every run of memory of ``Columns``, or it holds as much between the rows as in them. Across
images the runs are long, and there is nothing in between; images and results have to be turned for it, which takes
less time than to copy them once for each place of a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigraph.accel.kernels.chwn import apart, spaced, turned
from minigraph.accel.kernels.columns import Block, Columns
from minigraph.core.machine import (
    CACHE_LINE_NUMBERS,
    CACHE_PERIOD_BYTES,
    COLUMN_BLOCK_BYTES,
    MIN_UPRIGHT_RESULTS,
    SMALL_PRODUCT_MACS,
)
from minigraph.core.types import Shape
from minigraph.operators.chwn import AXES_TO_CHWN, AXES_TO_NCHW
from minigraph.operators.img2col import Padding, Window


def evenly(count: int, most: int) -> int:
    """How many at a time, no more than that, so that parts are alike, or at least none is much smaller than others.

    >>> evenly(28, 5), evenly(29, 5)
    (4, 5)
    """
    most = max(1, min(count, most))
    alike = next((size for size in range(most, 3 * most // 4, -1) if count % size == 0), None)
    return alike or -(-count // -(-count // most))


class Across(Columns):
    """Columns ordered by row, place in the row, and image."""

    def __init__(
        self, padded: np.ndarray, kernel: Shape, window: Window, filters: int = 0, exact: bool = False
    ) -> None:
        super().__init__(padded, kernel, window, filters, exact=True)
        macs = filters * self.c * math.prod(kernel) // self.group**2  # of a column
        self._small = SMALL_PRODUCT_MACS // max(1, macs) if filters else 0

    def _seen(self, places: Shape, apart: Shape, pixels: Shape, strides: Shape, image: int) -> np.ndarray:
        every = (*apart, *strides, image)
        return np.ndarray((*places, *pixels, self.n), self.dtype, self._padded.transpose(AXES_TO_CHWN), 0, every)

    @staticmethod
    def lying(images: np.ndarray) -> np.ndarray:
        """The images, or results, beside each other."""
        return turned(images)

    @staticmethod
    def zeros(shape: Shape, dtype: np.dtype[Any], padding: Padding) -> np.ndarray:
        """Images of zeros with a border, beside each other."""
        n, *rest = Columns.zeros(shape, dtype, padding).shape
        return np.zeros((*rest, n), dtype).transpose(AXES_TO_NCHW)

    def blocks(self, nbytes: int = COLUMN_BLOCK_BYTES) -> Iterator[Block]:
        """Rows of all images, or of as many as make a row of columns that is long enough.

        No more than BLAS does without copying its operands, if a row is not too much for that.
        """
        most = self._most(nbytes)
        images = evenly(self.n, 2 * most // self.width)  # twice as much is better than images in parts
        least = self.width * images
        rows = min(most, self._small if self._small >= least else most) // least
        return self._cut_by(images, evenly(self.height, rows))

    def seen(self, block: Block) -> np.ndarray:
        """A view of what the kernel's places meet, [C,kh,kw,rows,width,images]."""
        return self.pixels[:, :, :, block.rows, :, block.images]

    def matrices(self, apart: bool = False) -> Iterator[tuple[Block, np.ndarray]]:
        """Block by block the columns, [group, C/group * kh * kw, rows * width * images], never apart."""
        return super().matrices()

    def _memory(self, block: Block, apart: bool) -> tuple[np.ndarray, np.ndarray]:
        (count,) = self._shape(block)
        room = CACHE_LINE_NUMBERS if count * self.dtype.itemsize % CACHE_PERIOD_BYTES == 0 else 0
        memory: np.ndarray = np.empty((self.c, *self.kernel, count + room), self.dtype)[..., :count]
        return memory.reshape(self.group, -1, count), memory.reshape(self._shape(block, self.c, *self.kernel))

    def _shape(self, block: Block, *places: int) -> Shape:
        """The shape of columns for each of some places; of none: how many there are."""
        images, rows = block.counts
        return (*places, rows, self.width, images) if places else (rows * self.width * images,)

    def add(self, block: Block, matrix: np.ndarray) -> None:
        """Add columns to the pixels they are of: the adjoint of ``matrices``."""
        pixels, parts = self.seen(block), matrix.reshape(self._shape(block, self.c, *self.kernel))
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                pixels[:, i, j] += parts[:, i, j]

    def of_results(self, g: np.ndarray, block: Block, shifts: int = 1) -> np.ndarray:
        """A block of arrays [N,O,height,w], a column to each column of theirs, zero where they have none."""
        seen = g[block.images, :, block.rows].transpose(AXES_TO_CHWN)
        if shifts > 1:
            seen = self._shifted(seen, shifts)
        return seen.reshape(self.group, g.shape[1] // self.group * shifts, -1)

    def _shifted(self, seen: np.ndarray, shifts: int) -> np.ndarray:
        """Results [O,rows,w,images] so many times, each time further to the right, zeros beside them."""
        o, rows, wide, images = seen.shape
        step, edge = self.window.dilation[1], self.width - wide
        between = np.zeros((o, rows, wide + 2 * edge, images), seen.dtype)
        between[:, :, edge : edge + wide] = seen
        down, along, right, next_image = between.strides
        every = (down, step * right, along, right, next_image)
        shape = (o, shifts, rows, self.width, images)
        return np.ndarray(shape, seen.dtype, between, edge * right - (shifts - 1) * step * right, every)[:, ::-1]

    def standing(self, g: np.ndarray) -> np.ndarray:
        """Results as ``upright`` wants them: [group,height,width,N,O/group], or as they lie where that is narrow."""
        if g.shape[1] < MIN_UPRIGHT_RESULTS * self.group:
            return self.lying(g)
        places = spaced(g).transpose(AXES_TO_CHWN)
        return np.ascontiguousarray(np.moveaxis(places.reshape(self.group, -1, *places.shape[1:]), 1, 4))

    def upright(self, g: np.ndarray, block: Block) -> np.ndarray:
        """The results of a block, a row to each column, [group, columns, O/group]: BLAS likes such, unless narrow."""
        if g.ndim == 4:
            return super().upright(g, block)
        return g[:, block.rows, :, block.images].reshape(self.group, -1, g.shape[-1])

    def products(self, filters: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The results [N,O,height,width] of filters, which lie beside each other unless ``out`` does not."""
        if out is not None and not out.transpose(AXES_TO_CHWN).flags.c_contiguous:
            return apart(self.products(filters), out)
        shape = self.group, filters.shape[-2], self.height, self.width, self.n
        found = np.empty(shape, self.dtype) if out is None else out.transpose(AXES_TO_CHWN).reshape(shape)
        self._multiply(filters, found)
        return found.reshape(-1, *found.shape[2:]).transpose(AXES_TO_NCHW) if out is None else out

    def _multiply(self, filters: np.ndarray, found: np.ndarray) -> None:
        """Write the results of filters, [group,O/group,height,width,N]."""
        flat, row = found.reshape(*found.shape[:2], -1), self.width * self.n
        for block, matrix in self.matrices():
            if block.counts[0] == self.n:
                np.matmul(filters, matrix, out=flat[:, :, block.rows.start * row : block.rows.stop * row])
            else:
                part = found[:, :, block.rows, :, block.images]
                part[...] = np.matmul(filters, matrix).reshape(part.shape)
