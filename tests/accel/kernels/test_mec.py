"""Memory-efficient convolution: the columns and results of the other orders, in overlapping memory."""

import numpy as np
import pytest

from minigraph.accel.kernels.chwn_im2col import ChwnColumns
from minigraph.accel.kernels.im2col import Columns
from minigraph.accel.kernels.mec import MecColumns, should_use_mec
from minigraph.core.machine import COLUMN_TILE_BYTES
from tests.accel.kernels.test_im2col import OTHER_WINDOWS, UNIT

RNG = np.random.default_rng(0)
WINDOWS = [UNIT, *(UNIT._replace(**other) for other in OTHER_WINDOWS[1:])]  # without rows in between
SHAPES = [(17, 4, 9, 11), (100, 4, 40, 9)]  # all rows in a block; some of them


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("window", WINDOWS)
def test_columns_equal_the_other_order(window, shape):
    padded, kernel, group = RNG.normal(size=shape), (3, 2), window.group
    columns, others = MecColumns(padded, kernel, window), Columns(padded, kernel, window, dense=True)
    unfolded = np.zeros((4, *kernel, columns.height, columns.width, shape[0]))
    for block, matrices in columns.matrices():
        images, rows = block.counts
        assert images == shape[0]
        parts = matrices.reshape(group, rows, 3, 4 // group, 2, columns.width, images)
        unfolded[:, :, :, block.rows] = parts.transpose(0, 3, 2, 4, 1, 5, 6).reshape(
            4, 3, 2, rows, columns.width, images
        )
    np.testing.assert_array_equal(unfolded, np.moveaxis(others.pixels, 3, 5))


def test_rows_overlap_in_memory_that_fits_the_cache():
    columns = MecColumns(np.zeros((32, 6, 14, 14), np.float32), (5, 5), UNIT)
    blocks = list(columns.matrices())
    assert [block.counts[1] for block, _ in blocks] == [5, 5]
    for _, matrices in blocks:
        assert np.shares_memory(matrices[:, 0], matrices[:, 1])
        assert matrices.base.nbytes <= COLUMN_TILE_BYTES < matrices.nbytes


@pytest.mark.parametrize("window", WINDOWS)
def test_products_and_results_equal_the_other_order(window):
    images, weight = RNG.normal(size=(17, 4, 9, 11)), RNG.normal(size=(6, 4 // window.group, 3, 2))
    both = [order(images, (3, 2), window) for order in (MecColumns, ChwnColumns)]
    products, expected = (columns.products(columns.filters(weight)) for columns in both)
    np.testing.assert_allclose(products, expected, rtol=1e-10, atol=1e-10)
    for shifts in (1, 2):
        narrow = expected[..., : expected.shape[3] - window.dilation[1] * (shifts - 1)]
        result, reference = (columns.result_columns(narrow, next(iter(columns.blocks())), shifts) for columns in both)
        assert np.array_equal(result.swapaxes(1, 2).reshape(reference.shape), reference)


def test_the_weight_is_restored_from_filters():
    weight = RNG.normal(size=(6, 2, 3, 2))
    columns = MecColumns(np.zeros((16, 4, 5, 5)), (3, 2), UNIT._replace(group=2))
    assert np.array_equal(columns.weight_of(columns.filters(weight)[:, 0], weight.shape), weight)


def test_zero_channels_make_zero_columns():
    columns = MecColumns(np.zeros((16, 0, 5, 5)), (3, 2), UNIT)
    assert sum(block.counts[1] for block in columns.blocks()) == 3


def test_which_convolutions_prefer_mec():
    assert should_use_mec((32, 1, 32, 32), (6, 1, 5, 5), UNIT)
    assert should_use_mec((32, 6, 14, 14), (16, 6, 5, 5), UNIT)
    assert not should_use_mec((32, 6, 14, 14), (16, 6, 5, 5), UNIT._replace(dilation=(2, 1)))  # rows in between
    assert not should_use_mec((32, 6, 15, 15), (16, 6, 5, 5), UNIT._replace(stride=(5, 1)))  # nothing in common
    assert not should_use_mec((32, 64, 14, 14), (64, 64, 3, 3), UNIT)  # much to multiply
    assert not should_use_mec((900, 4, 12, 9), (4, 4, 5, 5), UNIT)  # much to copy, even for a row
    assert not should_use_mec((900, 8, 12, 9), (4, 1, 5, 5), UNIT._replace(group=8))  # of all groups
    assert not should_use_mec((2, 6, 14, 14), (16, 6, 5, 5), UNIT)  # few images
