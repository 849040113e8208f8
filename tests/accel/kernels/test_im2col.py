"""Blocked im2col: every column once, equal to the definition; col2im is the adjoint."""

from functools import partial

import numpy as np
import pytest

from minigraph.accel.kernels.chwn_im2col import ChwnColumns
from minigraph.accel.kernels.im2col import Columns
from minigraph.core.machine import COLUMN_TILE_BYTES, MIN_COLUMNS
from minigraph.operators.im2col import NO_PADDING, Window

RNG = np.random.default_rng(0)
UNIT = Window((1, 1), NO_PADDING, (1, 1), 1)
OTHER_WINDOWS = [{"dilation": (2, 1)}, {"group": 2}, {"stride": (2, 1)}, {"stride": (1, 3), "dilation": (1, 2)}]
WINDOWS = [
    *((UNIT, options) for options in ({}, {"dense": True}, {"filters": 1000})),
    *((UNIT._replace(**other), {}) for other in OTHER_WINDOWS),
]
SHAPES = [(7, 4, 9, 11), (40, 4, 30, 30), (2, 4, 200, 90)]


def expected_columns(padded, kernel, window, height, width):
    """The columns by their definition: [C,kh,kw,N,height,width]."""
    columns = np.zeros((padded.shape[1], *kernel, padded.shape[0], height, width))
    for i, j, pixels in window.taps(kernel, (height, width)):
        columns[:, i, j] = padded[:, :, *pixels].swapaxes(0, 1)
    return columns


@pytest.mark.parametrize("per_image", [False, True])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("window", "options"), WINDOWS)
def test_columns_are_the_pixels_under_the_kernel(window, options, shape, per_image):
    kernel = (3, 2)
    padded = RNG.normal(size=shape)
    columns = Columns(padded, kernel, window, **options)
    unfolded = np.full((4, *kernel, shape[0], columns.height, columns.width), np.nan)
    for block, matrix in columns.matrices(per_image):
        images, rows = block.counts
        assert matrix.size * matrix.itemsize <= max(COLUMN_TILE_BYTES, MIN_COLUMNS * 4 * 6 * 8)
        assert np.isfinite(matrix).all()
        shape_of = (images, 24) if per_image else (24, images)
        parts = matrix.reshape(*shape_of, rows, columns.pitch)[..., : columns.width]
        parts = parts.swapaxes(0, 1) if per_image else parts
        unfolded[:, :, :, block.images, block.rows] = parts.reshape(4, *kernel, images, rows, -1)
    np.testing.assert_array_equal(unfolded, expected_columns(padded, kernel, window, columns.height, columns.width))


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
        product += both.sum() if columns.is_dense else both[..., : (rows - 1) * columns.pitch + columns.width].sum()
    assert (padded * total).sum() == pytest.approx(product)


@pytest.mark.parametrize("dense", [False, True])
@pytest.mark.parametrize("per_image", [False, True])
def test_results_are_written_to_their_positions(dense, per_image):
    columns = Columns(np.zeros((9, 2, 30, 31)), (3, 3), UNIT, dense=dense)
    g = RNG.normal(size=(9, 5, 28, 29))
    out = np.zeros_like(g)
    for block in columns.blocks():
        results = columns.result_columns(g, block)
        if per_image:
            results = results.reshape(1, 5, block.counts[0], -1).transpose(2, 0, 1, 3)
        columns.put(out, results, block)
    np.testing.assert_array_equal(out, g)


@pytest.mark.parametrize("order", [partial(Columns, dense=True), ChwnColumns], ids=["by rows", "across images"])
def test_results_are_shifted_by_the_taps_of_a_kernels_row(order):
    columns = order(np.zeros((1, 1, 1, 5)), (1, 1), UNIT._replace(dilation=(1, 2)))
    (block,) = columns.blocks()
    shifted = columns.result_columns(np.ones((1, 1, 1, 3)), block, shifts=2)
    assert shifted.tolist() == [[[1, 1, 1, 0, 0], [0, 0, 1, 1, 1]]]
