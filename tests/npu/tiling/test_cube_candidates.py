"""Candidates of the tiling search: each fits the buffers, and its bound is a lower bound."""

from dataclasses import replace

import pytest

from benchmarks.ascend.jobs import B1, convolution, matmul
from minigraph.core.op_fields import Macs
from minigraph.core.types import float16, float32
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.engine.lower import cube_program
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling import cube_analytic, layout_of
from minigraph.npu.tiling.cube_blocks import LARGE_BLOCKS, Product
from minigraph.npu.tiling.cube_candidates import candidates, image_ratio, output_rows
from minigraph.npu.tiling.cube_tiling import _plan_of
from minigraph.npu.tiling.schedule import DEFAULT, Schedule

SHAPES = [(1024, 4096, 2048), (128, 1024, 30720), (100, 100, 100), (20, 16384, 6144)]


def product(m, k, n, dtype=float16, **more):
    """One product of (m,k) @ (k,n)."""
    return Product(Macs(1, m, k, n, **more), dtype, dtype.itemsize, 1.0)


@pytest.mark.parametrize("dtype", [float16, float32], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_no_candidate_is_faster_than_its_bound_and_all_fit(shape, dtype):
    matmul_product = product(*shape, dtype)
    for candidate in candidates(matmul_product, B1, DEFAULT):
        plan = _plan_of(matmul_product, candidate, B1, DEFAULT)
        assert candidate.bound <= cube_analytic.cube_cycles(plan, B1)
        item, depth = dtype.itemsize, plan.blocks * plan.bk
        resident = {"a": plan.bm, "b": plan.bn, "": 0}[plan.resident] * depth * item
        streamed = {"a": plan.bn, "b": plan.bm, "": plan.bm + plan.bn}[plan.resident]
        assert resident + plan.buffers * streamed * plan.bk * plan.step_k * item <= B1.buf.l1
        assert 2 * plan.bm * plan.bk * item <= B1.buf.l0a
        assert 2 * plan.bk * plan.bn * item <= B1.buf.l0b


@pytest.mark.parametrize("schedule", [DEFAULT, Schedule(buffers=1), Schedule(buffers=3)], ids=str)
@pytest.mark.parametrize("side", [80, 79])
def test_images_fit_l1_though_the_bytes_of_a_block_are_rounded_up(side, schedule):
    """A block of an image has fractions of bytes, since only a share of its windows is loaded."""
    chip = chip_named("ascend310p3")
    image = Product(Macs(1, 19 * side * side, 448 * 9, 384, 9, 3, side), float16, 2)
    for candidate in candidates(image, chip, schedule):
        footprint = cube_program(_plan_of(image, candidate, chip, schedule), chip).footprint
        assert all(need <= getattr(chip.buf, buffer.lower()) for buffer, need in footprint.items())


def test_an_operand_that_several_tiles_share_may_be_resident_in_l1():
    grid = Schedule(base=(128, 256, 64), grid=(1, 24), keep_in_l1=False)
    for shared, schedule, residents in (
        (product(128, 1024, 30720), DEFAULT, {"", "a"}),
        (product(128, 1024, 30720), Schedule(keep_in_l1=False), {""}),
        (product(512, 1024, 8192), grid, {""}),
    ):
        assert {candidate.resident for candidate in candidates(shared, B1, schedule)} == residents


def test_large_products_take_the_librarys_blocks_and_parts_of_a_split_k_share_no_operand():
    blocks = {(c.shape.bm, c.shape.bn) for c in candidates(product(4096, 4096, 4096), B1, DEFAULT)}
    assert blocks == set(LARGE_BLOCKS)
    assert len({c.shape[:2] for c in candidates(product(256, 4096, 256), B1, DEFAULT)}) > 4
    split = [candidate.shape for candidate in candidates(product(423, 8192, 64), B1, DEFAULT)]
    assert all(shape.reuse("b") <= shape.tiles_mn[0] for shape in split)


def test_a_convolution_tile_loads_whole_image_rows():
    macs = convolution(4, 128, 8, 48, 1536).work.macs[0]
    shape = next(iter(candidates(Product(macs, float16, 2), B1, DEFAULT))).shape
    assert output_rows(macs, shape) == -(-shape.bm // 48)
    assert 1 / 9 < image_ratio(macs, shape) < 1
    assert image_ratio(Macs(1, 64, 64, 64), shape) == 1.0
    assert image_ratio(Macs(1, 64, 576, 64, window=9), shape) == 1 / 9  # rows unknown


def test_single_buffering_allows_a_resident_operand_and_is_slower():
    single = Schedule(base=(128, 128, 64), step_k=8, grid=(1, 24), split_k=1, buffers=1)
    job = matmul(128, 512, 24576)
    assert layout_of(job, B1, single).cube[0].resident == "a"
    slow, fast = (cost_of(job, B1, "event", schedule).cycles for schedule in (single, replace(single, buffers=2)))
    assert slow > 1.1 * fast
    assert cost_of(job, B1, "analytic", single).cycles == pytest.approx(slow, rel=0.05)


@pytest.mark.parametrize("tiles, splits", [(11, True), (12, False), (40, False)])
def test_k_is_split_only_if_half_of_the_cores_have_no_tile(tiles, splits):
    product = Product(Macs(1, 128, 8192, 256 * tiles), float16, 2)
    base = Schedule(base=(128, 256, 64))
    assert (max(candidate.shape.split_k for candidate in candidates(product, B1, base)) > 1) == splits


def test_tiles_are_made_as_many_as_the_cores_take_in_the_same_time():
    product = Product(Macs(1, 128, 96, 336), float16, 2)
    counts = {candidate.shape.tiles_mn for candidate in candidates(product, B1, DEFAULT)}
    assert (2, 6) in counts and (4, 6) in counts and (2, 12) in counts


def test_convolutions_of_one_pixel_are_not_converted_to_nz():
    job = convolution(8, 64, 56, 56, 64, kernel=1)
    (plan,) = layout_of(job, B1).cube
    assert plan.window == 1 and not plan.nd2nz_a and not plan.nd2nz_b
    (plan,) = layout_of(matmul(25088, 64, 64), B1).cube
    assert plan.nd2nz_a and plan.nd2nz_b
