"""The columns of convolutions over many small images: pixels that all images have at one place lie beside each other.

Where rows are short, so is every run of memory of ``Columns``, or it holds as much between the rows as in them. Across
images the runs are long, and there is nothing in between; images and results have to be turned for it, which takes
less time than to copy them once for each place of a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from minigraph.ground.beside import BACK, MANY, TURN, turned
from minigraph.ops.records.img2col import BLOCK, SMALL, Block, Columns, Window
from minigraph.types import Shape

WIDE = 16  # results at a place that are no narrow row of a matrix
SHORT = 12  # results in a row that are no long run of memory


def goes_across(image: Shape, weight: Shape, window: Window, longest: int = SHORT, times: int = 1) -> bool:
    """Whether a convolution and its gradients go across images: many with short rows, less to be turned than copied.

    ``times``: so many times less.

    >>> goes_across((32, 6, 14, 14), (16, 6, 5, 5), Window((1, 1), ((0, 0), (0, 0)), (1, 1), 1))
    True
    """
    (n, c, *pixels), (o, _, *kernel) = image, weight
    height, width = window.sizes(tuple(pixels), tuple(kernel))
    moved = c * math.prod(pixels) + o * height * width
    return n >= MANY and 0 < width <= longest and moved * times <= c * math.prod(kernel) * height * width


class Across(Columns):
    """Columns ordered by row, place in the row, and image."""

    def __init__(
        self, padded: np.ndarray, kernel: Shape, window: Window, filters: int = 0, exact: bool = False
    ) -> None:
        super().__init__(padded, kernel, window, filters, exact=True)
        self._small = SMALL // max(1, filters * self.c * math.prod(kernel) // self.group**2) if filters else 0

    def _seen(self, places: Shape, apart: Shape, pixels: Shape, strides: Shape, image: int) -> np.ndarray:
        every = (*apart, *strides, image)
        return np.ndarray((*places, *pixels, self.n), self.dtype, self._padded.transpose(TURN), 0, every)

    @staticmethod
    def _lying(padded: np.ndarray) -> np.ndarray:
        return turned(padded)

    def blocks(self, nbytes: int = BLOCK) -> Iterator[Block]:
        """Rows of all images, or of as many as make a row of columns that is long enough.

        No more than BLAS does without copying its operands, if a row is not too much for that.
        """
        most = self._most(nbytes)
        images = max(1, min(self.n, most // self.width))
        least = self.width * images
        rows = min(most, self._small if self._small >= least else most) // least
        count = -(-self.height // max(1, min(self.height, rows)))
        return self._cut_by(images, -(-self.height // count))  # none much smaller than others

    def seen(self, block: Block) -> np.ndarray:
        """A view of what the kernel's places meet, [C,kh,kw,rows,width,images]."""
        return self.pixels[:, :, :, block.rows, :, block.images]

    def matrices(self, apart: bool = False) -> Iterator[tuple[Block, np.ndarray]]:
        """Block by block the columns, [group, C/group * kh * kw, rows * width * images], never apart."""
        return super().matrices()

    def _memory(self, block: Block, apart: bool) -> tuple[np.ndarray, np.ndarray]:
        memory: np.ndarray = np.empty(self._shape(block, self.c, *self.kernel), self.dtype)
        return memory.reshape(self.group, -1, self._shape(block)[0]), memory

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
        wide, step = g.shape[3], self.window.dilation[1]
        found = np.empty(self._shape(block, g.shape[1], shifts), g.dtype)
        found[:, 0, :, :wide] = g[block.images, :, block.rows].transpose(TURN)
        for k in range(shifts):
            left = k * step
            if k:
                found[:, k, :, left : left + wide] = found[:, 0, :, :wide]  # turned once is enough
            found[:, k, :, :left] = found[:, k, :, left + wide :] = 0
        return found.reshape(self.group, g.shape[1] // self.group * shifts, -1)

    def upright(self, g: np.ndarray, block: Block) -> np.ndarray:
        """The results of a block, a row to each column, [group, columns, O/group]: BLAS likes such, unless narrow."""
        if g.shape[1] < WIDE * self.group:
            return super().upright(g, block)
        rows = self._shape(block, self.group)
        found = np.empty((*rows, g.shape[1] // self.group), g.dtype)
        parts = g[block.images, :, block.rows].transpose(TURN)
        found[...] = np.moveaxis(parts.reshape(self.group, -1, *parts.shape[1:]), 1, 4)
        return found.reshape(self.group, -1, found.shape[-1])

    def products(self, filters: np.ndarray) -> np.ndarray:
        """The results [N,O,height,width] of filters, which lie beside each other."""
        group, filtered, _ = filters.shape
        out = np.empty((group, filtered, self.height, self.width, self.n), self.dtype)
        flat, row = out.reshape(group, filtered, -1), self.width * self.n
        for block, matrix in self.matrices():
            if block.counts[0] == self.n:
                np.matmul(filters, matrix, out=flat[:, :, block.rows.start * row : block.rows.stop * row])
            else:
                part = out[:, :, block.rows, :, block.images]
                part[...] = np.matmul(filters, matrix).reshape(part.shape)
        return out.reshape(-1, *out.shape[2:]).transpose(BACK)
