"""Matrix products cut into tiles, each small enough that BLAS multiplies it where it lies.

OpenBLAS packs the operands of a large product, and has kernels that read those of a small one as they are. One call of
``np.matmul`` on views makes all tiles. On AMD's Zen 4 with OpenBLAS 0.3.31, one thread, f32, that is 1.1 to 1.2 times
as fast as at once, and 1.2 to 1.5 times where the right matrix is transposed and the left one has at most 128 rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from minigraph.ground.blas import SMALL, blas_threads, has_small_kernels

Tile = tuple[int, int]
FLAT = 16  # rows where both matrices lie straight, but all of them, if they are fewer than twice as many
NARROW, WIDE = 32, 256  # columns of a tile
DEEPEST = SMALL // NARROW**2  # elements in a sum: of more, tiles would be too small
HIGH = (64, 16)  # where only the right matrix is transposed: OpenBLAS calls no more than 1,200 results small,
DEEP, LITTLE = 256, SMALL // 4  # sums of fewer elements are no faster; of a few rows those of a quarter, and less work
UNEVEN = 4 * SMALL  # multiplications that are worth several calls, for what is left at the edges


@cache
def tiles_pay() -> bool:
    """Whether BLAS has kernels for small matrices, and no more than one thread, so that tiles keep none from work."""
    return has_small_kernels() and blas_threads() == 1


def tile_of(x: np.ndarray, y: np.ndarray) -> Tile | None:
    """Rows and columns of the tiles in which a product of matrices, or of stacks of them, is sooner made; or ``None``.

    This depends on the sizes of the matrices, and on which is transposed, so that copies have the same bits.
    """
    if min(x.ndim, y.ndim) < 2 or x.dtype is not y.dtype or x.dtype.char not in "fd":
        return None
    rows, deep, columns = *x.shape[-2:], y.shape[-1]
    if rows < 2 or deep > DEEPEST or columns < NARROW or not tiles_pay():
        return None
    few, crossed = rows < FLAT, is_transposed(y) and not is_transposed(x)
    if crossed and (deep < (DEEP // 4 if few else DEEP) or rows * columns <= math.prod(HIGH)):
        return None
    tile = HIGH if crossed else _tile(rows, deep, columns, is_transposed(x))
    is_even = few or not (rows % min(rows, tile[0]) or columns % min(columns, tile[1]))
    least = LITTLE if few and crossed else SMALL if is_even else UNEVEN
    return tile if rows * deep * columns > least else None


def _tile(rows: int, deep: int, columns: int, transposed: bool) -> Tile:
    """Flat tiles if the left matrix is not ``transposed``, or has a few rows; else square ones."""
    if columns >= 2 * NARROW and (rows < FLAT or not transposed):
        high = rows if rows < 2 * FLAT and rows * deep * 2 * NARROW <= SMALL else FLAT
        return high, min(WIDE, _power_of_two(SMALL // (high * deep)))
    side = min(2 * NARROW, _power_of_two(math.isqrt(SMALL // deep)))
    return side, side


def _power_of_two(most: int) -> int:
    """The largest power of two that is no more than that."""
    return 1 << (most.bit_length() - 1)


def is_transposed(x: np.ndarray) -> bool:
    """Whether the columns of matrices are runs of memory, and their rows are not.

    >>> is_transposed(np.zeros((2, 3))), is_transposed(np.zeros((2, 3)).T)
    (False, True)
    """
    return x.strides[-1] != x.itemsize == x.strides[-2]


def product(x: np.ndarray, y: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """``np.matmul`` of matrices that BLAS can read, or of stacks of them, in tiles where that is sooner.

    >>> x, y = np.ones((40, 300)), np.ones((300, 100))
    >>> bool((product(x, y) == 300).all())
    True
    """
    tile = tile_of(x, y)
    found: np.ndarray = np.matmul(x, y, out=out) if tile is None else by_tiles(x, y, out, tile=tile)
    return found


def by_tiles(x: np.ndarray, y: np.ndarray, out: np.ndarray | None = None, *, tile: Tile) -> np.ndarray:
    """A product in tiles of some rows and columns, and of what is left of both.

    ``out`` has its shape and dtype and shares no memory with the matrices; its rows may have gaps between them.

    >>> by_tiles(np.ones((3, 2)), np.ones((2, 3)), tile=(2, 2)).tolist()
    [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
    """
    if out is None:
        out = np.empty((*np.broadcast_shapes(x.shape[:-2], y.shape[:-2]), x.shape[-2], y.shape[-1]), x.dtype)
    for down, rows in _cuts(x.shape[-2], tile[0]):
        for right, columns in _cuts(y.shape[-1], tile[1]):
            lefts, rights = _in_rows(x[..., down, :], rows), _in_columns(y[..., right], columns)
            tiles = _in_columns(_in_rows(out[..., down, right], rows), columns)
            np.matmul(lefts[..., None, :, :], rights[..., None, :, :, :], out=tiles)
    return out


def _cuts(size: int, step: int) -> Iterator[tuple[slice, int]]:
    """The places that steps of one length cover, and those that are left, with the length of their steps."""
    left = size % step
    if left < size:
        yield slice(0, size - left), step
    if left:
        yield slice(size - left, size), left


def _in_rows(x: np.ndarray, rows: int) -> np.ndarray:
    """A view of matrices [..., m, k] as [..., m / rows, rows, k]."""
    return x.reshape(*x.shape[:-2], -1, rows, x.shape[-1])


def _in_columns(x: np.ndarray, columns: int) -> np.ndarray:
    """A view of matrices [..., k, n] as [..., n / columns, k, columns]."""
    return x.reshape(*x.shape[:-1], -1, columns).swapaxes(-3, -2)
