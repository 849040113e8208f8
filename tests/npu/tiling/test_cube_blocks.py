"""Base blocks: each fits the buffers as whole cubes; convolutions also try whole rows and whole kernels."""

import pytest

from benchmarks.ascend.jobs import B1, convolution
from minigraph.core.op_fields import Macs
from minigraph.core.types import float16
from minigraph.npu import chip_named
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling.cube_blocks import Product, base_blocks, fitting_blocks, l0c_bytes
from minigraph.npu.tiling.cube_counts import round_up
from minigraph.npu.tiling.schedule import DEFAULT, Schedule

ROWS_OF_56 = Product(Macs(1, 16 * 56 * 56, 64 * 9, 16, 9, 3, 56, 56), float16, 2)


def every_block(product, chip, schedule=DEFAULT):
    return {block for group in base_blocks(product, chip, schedule) for block in group}


@pytest.mark.parametrize("chip", [B1, chip_named("ascend310p3")], ids=str)
@pytest.mark.parametrize("schedule", [DEFAULT, Schedule(l0_buffers=1), Schedule(l0c_buffers=2)], ids=str)
@pytest.mark.parametrize("product", [ROWS_OF_56, Product(Macs(1, 100, 200, 300), float16, 2)], ids=["image", "product"])
def test_every_block_fits_padded_to_whole_cubes(product, schedule, chip):
    blocks = every_block(product, chip, schedule)
    assert blocks
    for m, n, k in blocks:
        rows, columns = round_up(m, chip.cube.m), round_up(n, chip.cube.n)
        assert schedule.l0_buffers * rows * k * 2 <= chip.buf.l0a
        assert schedule.l0_buffers * columns * k * 2 <= chip.buf.l0b
        assert l0c_bytes(rows, columns, schedule) <= chip.buf.l0c


def test_a_convolution_tries_whole_rows_with_whole_kernels():
    sides = {m for m, _, _ in every_block(ROWS_OF_56, B1)}
    assert {224, 112, 56} <= sides
    assert any(m == 112 and k % (9 * 16) == 0 for m, _, k in every_block(ROWS_OF_56, B1))


def test_sides_are_clipped_to_the_products_own():
    (block,) = fitting_blocks(Product(Macs(1, 40, 64, 24), float16, 2), [(128, 256)], B1, DEFAULT)
    assert block == (48, 32, 64)


def test_a_wider_image_is_hardly_faster():
    """[16, 64, 112, w] with 16 filters of 3 x 3 and stride 2."""
    narrow, wide = (cost_of(convolution(16, 64, 112, w, 16, 3, 2), B1).cycles for w in (112, 128))
    assert narrow < 1.02 * wide
