"""The pixels under a kernel as columns of a matrix, so few at a time that they are still in the cache when BLAS reads.

A block is a few images, or a few rows of results of one. Where the kernel moves by one pixel, its columns are copied
for whole rows of the image at once, a long run of memory each; between the rows of results they then hold some that
no result needs: ``pitch`` columns to a row instead of ``width``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.machine import COLUMN_BLOCK_BYTES, MIN_COLUMNS, PRODUCTS_PER_COPY, SMALL_PRODUCT_MACS
from minigraph.core.types import Shape
from minigraph.operators.img2col import NO_PADDING, Padding, Pair, Window


class Block(NamedTuple):
    """Some images and rows of results."""

    images: slice
    rows: slice

    @property
    def counts(self) -> Pair:
        """How many of both."""
        return self.images.stop - self.images.start, self.rows.stop - self.rows.start


class Columns:
    """The columns of padded images [N,C,h,w]: for each pixel of a result, the pixels under the kernel.

    ``filters`` is how many read them: where they are many, and where results of infinite pixels may not be added up
    with those of others (``exact``), there are no columns that no result needs.
    """

    def __init__(
        self, padded: np.ndarray, kernel: Shape, window: Window, filters: int = 0, exact: bool = False
    ) -> None:
        self.group, self.kernel, self.dtype, self.window = window.group, kernel, padded.dtype, window
        self._padded = padded = self.lying(padded)
        self.n, self.c, _, across = padded.shape
        self.height, self.width = window._replace(padding=NO_PADDING).sizes(padded.shape[2:], kernel)
        if min(self.height, self.width) < 1:
            raise ValueError("the kernel is larger than the image")  # memory outside of it must never be looked at
        few = filters // self.group * (across - self.width) <= PRODUCTS_PER_COPY * self.width
        self.pitch = across if few and window.stride == (1, 1) and not exact else self.width
        (dy, dx), (sy, sx) = window.dilation, window.stride
        sn, sc, sh, sw = padded.strides
        shape, strides = ((self.height, self.width), (sh * sy, sw * sx)) if self.is_exact else ((self._run(),), (sw,))
        self.pixels = self._seen((self.c, *kernel), (sc, sh * dy, sw * dx), shape, strides, sn)

    def _seen(self, places: Shape, apart: Shape, pixels: Shape, strides: Shape, image: int) -> np.ndarray:
        """What the kernel's places meet, [C,kh,kw,N,...]: sizes, and bytes between one and the next."""
        every = (*apart, image, *strides)
        return np.ndarray((*places, self.n, *pixels), self.dtype, self._padded, 0, every)

    @staticmethod
    def lying(images: np.ndarray) -> np.ndarray:
        """The images, or results, as columns want them to lie, the same array if they do."""
        return np.ascontiguousarray(images)

    @staticmethod
    def zeros(shape: Shape, dtype: np.dtype[Any], padding: Padding) -> np.ndarray:
        """Images of zeros with a border, as their columns want them to lie."""
        n, c, h, w = shape
        return np.zeros((n, c, h + sum(padding[0]), w + sum(padding[1])), dtype)

    def standing(self, g: np.ndarray) -> np.ndarray:
        """Results as ``upright`` wants them to lie, the same array if they do."""
        return self.lying(g)

    @property
    def images(self) -> np.ndarray:
        """The padded images [N,C,h,w], with all that was added to them."""
        return self._padded

    @property
    def is_exact(self) -> bool:
        """Whether every column is of a result."""
        return self.pitch == self.width

    def _run(self, rows: int | None = None) -> int:
        """Columns from the first result to the last of so many rows."""
        return ((rows or self.height) - 1) * self.pitch + self.width

    def blocks(self, nbytes: int = COLUMN_BLOCK_BYTES) -> Iterator[Block]:
        """All images and rows, as many at a time as make so many bytes of columns, and at least ``MIN_COLUMNS``."""
        most = self._most(nbytes)
        rows = max(1, min(self.height, most // max(self.pitch, 1)))
        images = max(1, most // max(self.pitch * self.height, 1)) if rows == self.height else 1
        return self._cut_by(images, rows)

    def _most(self, nbytes: int) -> int:
        """How many columns there may be in a block."""
        deep = self.c * self.kernel[0] * self.kernel[1] * self.dtype.itemsize
        return max(MIN_COLUMNS, nbytes // max(deep, 1))

    def _cut_by(self, images: int, rows: int) -> Iterator[Block]:
        """Blocks of so many images and rows, and what is left."""
        for image in range(0, self.n, images):
            for row in range(0, self.height, rows):
                yield Block(slice(image, min(image + images, self.n)), slice(row, min(row + rows, self.height)))

    def seen(self, block: Block) -> np.ndarray:
        """A view of what the kernel's places meet, [C,kh,kw,images,...], the rest being rows or one run of them."""
        rows = block.rows
        if not self.is_exact:
            rows = slice(rows.start * self.pitch, (rows.stop - 1) * self.pitch + self.width)
        return self.pixels[:, :, :, block.images, rows]

    def _cut(self, columns: np.ndarray, block: Block) -> np.ndarray:
        """Columns [C,kh,kw,images,rows * pitch] as an array of the shape of ``seen``."""
        if self.is_exact:
            return columns.reshape(*columns.shape[:-1], block.counts[1], self.width)
        return columns[..., : self._run(block.counts[1])]

    def matrices(self, apart: bool = False) -> Iterator[tuple[Block, np.ndarray]]:
        """Block by block the columns, in memory used again: [group, C/group * kh * kw, images * rows * pitch].

        With ``apart`` there is a matrix for each image: [images, group, C/group * kh * kw, rows * pitch].
        """
        memory: dict[Pair, tuple[np.ndarray, np.ndarray]] = {}
        for block in self.blocks():
            if block.counts not in memory:
                memory[block.counts] = self._memory(block, apart)
            matrix, parts = memory[block.counts]
            np.copyto(parts, self.seen(block))
            yield block, matrix

    def _memory(self, block: Block, apart: bool) -> tuple[np.ndarray, np.ndarray]:
        """Memory for the columns of a block, as a matrix or matrices, and in the shape of ``seen``; zeros elsewhere."""
        images, rows = block.counts
        wide = rows * self.pitch
        shape: Shape = (images, self.group, -1, wide) if apart else (self.group, -1, images * wide)
        places = self.c, *self.kernel
        memory: np.ndarray = np.empty((images, *places, wide) if apart else (*places, images, wide), self.dtype)
        columns = memory.transpose(1, 2, 3, 0, 4) if apart else memory
        columns[..., self._run(rows) :] = 0
        return memory.reshape(shape), self._cut(columns, block)

    def add(self, block: Block, matrix: np.ndarray) -> None:
        """Add columns to the pixels they are of: the adjoint of ``matrices``."""
        columns = matrix.reshape(self.c, *self.kernel, block.counts[0], -1)
        pixels, parts = self.seen(block), self._cut(columns, block)
        for i in range(self.kernel[0]):
            for j in range(self.kernel[1]):
                pixels[:, i, j] += parts[:, i, j]

    # ---- kernels and results -----------------------------------------------------------------------

    def filters(self, weight: np.ndarray) -> np.ndarray:
        """Kernels as one matrix per group, [group, O/group, C/group * kh * kw]."""
        return np.asarray(weight, order="C").reshape(self.group, len(weight) // self.group, -1)

    def weights(self, filters: np.ndarray, shape: Shape) -> np.ndarray:
        """What such matrices are of: kernels, of a shape."""
        return np.ascontiguousarray(filters).reshape(shape)

    def products(self, filters: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The results [N,O,height,width] of ``filters``."""
        if out is None:
            out = np.empty((self.n, filters.shape[0] * filters.shape[1], self.height, self.width), self.dtype)
        for block, matrix in self.matrices(filters[0].size * self.height * self.pitch <= SMALL_PRODUCT_MACS):
            self.put(out, np.matmul(filters, matrix), block)
        return out

    def of_results(self, g: np.ndarray, block: Block, shifts: int = 1) -> np.ndarray:
        """A block of arrays [N,O,height,w], a column to each column of theirs, zero where they have none.

        ``shifts`` times, each a place of the kernel further to the right: [group, O/group * shifts, ...].
        """
        images, rows = block.counts
        wide = g.shape[3]
        make = np.empty if wide == self.pitch else np.zeros
        found = make((g.shape[1], shifts, images, rows, self.pitch), g.dtype)
        for k in range(shifts):
            left = k * self.window.dilation[1]
            found[:, k, ..., left : left + wide] = g[block.images, :, block.rows].swapaxes(0, 1)
        return found.reshape(self.group, g.shape[1] // self.group * shifts, images * rows * self.pitch)

    def upright(self, g: np.ndarray, block: Block) -> np.ndarray:
        """The results of a block, a row to each column, [group, columns, O/group]."""
        return self.of_results(g, block).swapaxes(-1, -2)

    def put(self, out: np.ndarray, found: np.ndarray, block: Block) -> None:
        """Write columns of results, or such of each image, where they belong in an array [N,O,height,width]."""
        images, rows = block.counts
        if found.ndim == 4:
            places = found.reshape(images, out.shape[1], rows, self.pitch)
        else:
            places = found.reshape(out.shape[1], images, rows, self.pitch).swapaxes(0, 1)
        out[block.images, :, block.rows] = places[..., : self.width]
