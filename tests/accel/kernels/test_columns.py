"""Columns block by block are what a kernel meets, every result once, and adding them up is the adjoint."""

from functools import partial

import numpy as np
import pytest

from minigraph.accel.kernels.chwn_columns import Across
from minigraph.accel.kernels.columns import Columns
from minigraph.core.machine import COLUMN_BLOCK_BYTES, MIN_COLUMNS
from minigraph.operators.img2col import NO_PADDING, Window

RNG = np.random.default_rng(0)
PLAIN = Window((1, 1), NO_PADDING, (1, 1), 1)
OTHERS = [{"dilation": (2, 1)}, {"group": 2}, {"stride": (2, 1)}, {"stride": (1, 3), "dilation": (1, 2)}]
WINDOWS = [
    *((PLAIN, options) for options in ({}, {"exact": True}, {"filters": 1000})),
    *((PLAIN._replace(**other), {}) for other in OTHERS),
]
SHAPES = [(7, 4, 9, 11), (40, 4, 30, 30), (2, 4, 200, 90)]


def met(padded, kernel, window, height, width):
    """The columns by their definition: [C,kh,kw,N,height,width]."""
    found = np.zeros((padded.shape[1], *kernel, padded.shape[0], height, width))
    for i, j, pixels in window.taps(kernel, (height, width)):
        found[:, i, j] = padded[:, :, *pixels].swapaxes(0, 1)
    return found


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("window", "options"), WINDOWS)
def test_columns_are_what_the_kernel_meets(window, options, shape, apart):
    kernel = (3, 2)
    padded = RNG.normal(size=shape)
    columns = Columns(padded, kernel, window, **options)
    found = np.full((4, *kernel, shape[0], columns.height, columns.width), np.nan)
    for block, matrix in columns.matrices(apart):
        images, rows = block.counts
        assert matrix.size * matrix.itemsize <= max(COLUMN_BLOCK_BYTES, MIN_COLUMNS * 4 * 6 * 8)
        assert np.isfinite(matrix).all()
        parts = matrix.reshape(*((images, 24) if apart else (24, images)), rows, columns.pitch)[..., : columns.width]
        parts = parts.swapaxes(0, 1) if apart else parts
        found[:, :, :, block.images, block.rows] = parts.reshape(4, *kernel, images, rows, -1)
    np.testing.assert_array_equal(found, met(padded, kernel, window, columns.height, columns.width))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("window", "options"), WINDOWS)
def test_adding_columns_is_the_adjoint(window, options, shape):
    padded, total = RNG.normal(size=shape), np.zeros(shape)
    columns, sums = Columns(padded, (3, 2), window, **options), Columns(total, (3, 2), window, **options)
    product = 0.0
    for block, matrix in columns.matrices():
        other = RNG.normal(size=matrix.shape)
        sums.add(block, other)
        images, rows = block.counts
        both = (matrix * other).reshape(-1, images, rows * columns.pitch)
        product += both.sum() if columns.is_exact else both[..., : (rows - 1) * columns.pitch + columns.width].sum()
    assert (padded * total).sum() == pytest.approx(product)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("apart", [False, True])
def test_results_find_their_places(exact, apart):
    columns = Columns(np.zeros((9, 2, 30, 31)), (3, 3), PLAIN, exact=exact)
    g = RNG.normal(size=(9, 5, 28, 29))
    out = np.zeros_like(g)
    for block in columns.blocks():
        found = columns.of_results(g, block)
        if apart:
            found = found.reshape(1, 5, block.counts[0], -1).transpose(2, 0, 1, 3)
        columns.put(out, found, block)
    np.testing.assert_array_equal(out, g)


@pytest.mark.parametrize("order", [partial(Columns, exact=True), Across], ids=["by rows", "across images"])
def test_results_are_shifted_by_the_places_of_a_kernels_row(order):
    columns = order(np.zeros((1, 1, 1, 5)), (1, 1), PLAIN._replace(dilation=(1, 2)))
    (block,) = columns.blocks()
    found = columns.of_results(np.ones((1, 1, 1, 3)), block, shifts=2)
    assert found.tolist() == [[[1, 1, 1, 0, 0], [0, 0, 1, 1, 1]]]
