"""Convolutions across images by rows of results: two of these have their pixels in memory once."""

import numpy as np
import pytest

from minigraph.accel.kernels.chwn_columns import Across
from minigraph.accel.kernels.columns import Columns
from minigraph.accel.kernels.sliding_columns import Sliding, slides
from minigraph.core.machine import COLUMN_BLOCK_BYTES
from tests.accel.kernels.test_columns import OTHERS, PLAIN

RNG = np.random.default_rng(0)
WINDOWS = [PLAIN, *(PLAIN._replace(**other) for other in OTHERS[1:])]  # without rows in between
SHAPES = [(17, 4, 9, 11), (100, 4, 40, 9)]  # all rows in a block; some of them


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("window", WINDOWS)
def test_every_pixel_is_where_the_other_order_has_it(window, shape):
    padded, kernel, group = RNG.normal(size=shape), (3, 2), window.group
    columns, others = Sliding(padded, kernel, window), Columns(padded, kernel, window, exact=True)
    found = np.zeros((4, *kernel, columns.height, columns.width, shape[0]))
    for block, matrices in columns.matrices():
        images, rows = block.counts
        assert images == shape[0]
        parts = matrices.reshape(group, rows, 3, 4 // group, 2, columns.width, images)
        found[:, :, :, block.rows] = parts.transpose(0, 3, 2, 4, 1, 5, 6).reshape(4, 3, 2, rows, columns.width, images)
    np.testing.assert_array_equal(found, np.moveaxis(others.pixels, 3, 5))


def test_rows_share_memory_that_fits_the_cache():
    columns = Sliding(np.zeros((32, 6, 14, 14), np.float32), (5, 5), PLAIN)
    blocks = list(columns.matrices())
    assert [block.counts[1] for block, _ in blocks] == [5, 5]
    for _, matrices in blocks:
        assert np.shares_memory(matrices[:, 0], matrices[:, 1])
        assert matrices.base.nbytes <= COLUMN_BLOCK_BYTES < matrices.nbytes


@pytest.mark.parametrize("window", WINDOWS)
def test_products_and_results_are_those_of_the_other_order(window):
    images, weight = RNG.normal(size=(17, 4, 9, 11)), RNG.normal(size=(6, 4 // window.group, 3, 2))
    both = [order(images, (3, 2), window) for order in (Sliding, Across)]
    found, want = (columns.products(columns.filters(weight)) for columns in both)
    np.testing.assert_allclose(found, want, rtol=1e-10, atol=1e-10)
    for shifts in (1, 2):
        narrow = want[..., : want.shape[3] - window.dilation[1] * (shifts - 1)]
        mine, theirs = (columns.of_results(narrow, next(iter(columns.blocks())), shifts) for columns in both)
        assert np.array_equal(mine.swapaxes(1, 2).reshape(theirs.shape), theirs)


def test_kernels_are_what_their_filters_are_of():
    weight = RNG.normal(size=(6, 2, 3, 2))
    columns = Sliding(np.zeros((16, 4, 5, 5)), (3, 2), PLAIN._replace(group=2))
    assert np.array_equal(columns.weights(columns.filters(weight)[:, 0], weight.shape), weight)


def test_no_channels_are_no_columns():
    columns = Sliding(np.zeros((16, 0, 5, 5)), (3, 2), PLAIN)
    assert sum(block.counts[1] for block in columns.blocks()) == 3


def test_who_slides():
    assert slides((32, 1, 32, 32), (6, 1, 5, 5), PLAIN)
    assert slides((32, 6, 14, 14), (16, 6, 5, 5), PLAIN)
    assert not slides((32, 6, 14, 14), (16, 6, 5, 5), PLAIN._replace(dilation=(2, 1)))  # rows in between
    assert not slides((32, 6, 15, 15), (16, 6, 5, 5), PLAIN._replace(stride=(5, 1)))  # nothing in common
    assert not slides((32, 64, 14, 14), (64, 64, 3, 3), PLAIN)  # much to multiply
    assert not slides((900, 4, 12, 9), (4, 4, 5, 5), PLAIN)  # much to copy, even for a row
    assert not slides((900, 8, 12, 9), (4, 1, 5, 5), PLAIN._replace(group=8))  # of all groups
    assert not slides((2, 6, 14, 14), (16, 6, 5, 5), PLAIN)  # few images
