"""Tilings of a product: they fit every buffer and cover the product; idle resources are errors or notes."""

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, B4, matmul
from minigraph.core.errors import UsageError
from minigraph.core.op_fields import Macs
from minigraph.core.types import float16, float32, float64, int8
from minigraph.npu import Schedule, chip_named
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling import cube_parts
from minigraph.npu.tiling.cube_analytic import cube_cycles
from minigraph.npu.tiling.cube_blocks import Product
from minigraph.npu.tiling.cube_parts import cube_traffic
from minigraph.npu.tiling.cube_tiling import base_notes, cube_notes, cube_plan
from tests.tables import cases, error_cases

SQUARES = [(size, size, size) for size in (1, 16, 100, 4096)]
SHAPES = [*SQUARES, (1, 5120, 768), (128, 30720, 64), (1797, 64, 128)]


def product(m, k, n, dtype=float16, cold=1.0, b=1, window=1):
    """One product of (m,k) @ (k,n)."""
    return Product(Macs(b, m, k, n, window), dtype, dtype.itemsize, cold)


@pytest.mark.parametrize("chip", [B1, B4], ids=str)
@pytest.mark.parametrize("dtype", [float16, float32, int8], ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_plan_fits_every_buffer_and_covers_the_product(shape, dtype, chip):
    (m, k, n), plan, size = shape, cube_plan(product(*shape, dtype), chip), dtype.itemsize
    assert plan.buffers * plan.bm * plan.bk * size <= chip.buf.l0a
    assert plan.buffers * plan.bk * plan.bn * size <= chip.buf.l0b
    assert plan.l0c_slots * plan.bm * plan.bn * 4 <= chip.buf.l0c
    assert plan.buffers * (plan.bm + plan.bn) * plan.bk * plan.step_k * size <= chip.buf.l1
    assert plan.cores <= chip.cores.aic
    assert plan.cores * plan.per_core >= plan.tiles
    assert plan.m * plan.n * plan.tiles // plan.split_k >= m * n
    assert plan.k * plan.blocks * plan.split_k >= k


def test_no_published_base_block_is_faster():
    best = cube_plan(product(4096, 4096, 4096), B1)
    for base in [(128, 256, 64), (256, 128, 64), (128, 128, 128), (64, 64, 128)]:
        other = cube_plan(product(4096, 4096, 4096), B1, Schedule(base=base))
        assert cube_cycles(best, B1) <= cube_cycles(other, B1)


test_schedules_that_do_not_fit_or_idle_the_cube_raise = error_cases(
    (Schedule(base=(1, 1, 16)), "leaves the cube idle"),
    (Schedule(base=(16, 16, 1)), "leaves the cube idle"),
    (Schedule(base=(512, 512, 16)), "bytes of L0"),
    (Schedule(base=(256, 256, 32)), "bytes of L0C"),
    (Schedule(base=(128, 256, 64), step_k=8), "needs 786432 bytes of L1, which has 524032"),
    (Schedule(grid=(5, 5)), "more than the 24 cube cores"),
    (Schedule(grid=(0, 5)), "more than the 24 cube cores"),
    by=lambda schedule: cube_plan(product(4096, 4096, 4096), B1, schedule),
    error=UsageError,
)


def test_a_base_block_that_runs_as_another_one_is_named():
    mine = product(1024, 1024, 1024)
    for base, note in (((128, 256, 64), ()), ((128, 192, 80), ("runs as 128, 176, 80: the even split of n",))):
        schedule = Schedule(base=base)
        notes = base_notes(cube_plan(mine, B1, schedule), schedule)
        assert len(notes) == len(note) and all(part in text for part, text in zip(note, notes, strict=True))
    assert base_notes(cube_plan(mine, B1), Schedule()) == ()


def notes_of(matmul_product, chip=B1):
    """The notes on the plan of a product."""
    return cube_notes(matmul_product, cube_plan(matmul_product, chip), chip)


def test_idle_lanes_and_cores_are_noted():
    notes = notes_of(product(1, 64, 8))
    assert any("cube utilisation along m is 6 %: 1 is padded to 16" in note for note in notes)
    assert any("cube utilisation along n is 50 %" in note for note in notes)
    assert any("cube cores are idle" in note for note in notes)
    assert notes_of(product(4096, 4096, 4096)) == ()


def test_unsupported_dtypes_are_noted():
    assert any("no float64 operands" in note for note in notes_of(product(512, 512, 512, float64)))
    notes = notes_of(product(512, 512, 512, float32), B1.replace(cube_k_f32=0))
    assert any("three float16 products" in note for note in notes)


def test_few_tiles_with_a_long_k_use_split_k_and_cold_operands_are_read_once_if_they_fit_l2():
    assert [cube_plan(product(*shape), B1).split_k > 1 for shape in ((16, 65536, 16), (4096,) * 3)] == [True, False]
    cold, warm = (cube_plan(product(2048, 2048, 2048, cold=part), B1) for part in (1.0, 0.0))
    assert cube_traffic(warm)[0] == 0
    assert cube_traffic(cold)[0] == pytest.approx(2 * 2048 * 2048 * 2, rel=0.05)
    assert cube_traffic(cube_plan(product(16384, 16384, 16384), B1))[0] > 1.5 * 2 * 16384 * 16384 * 2


def test_a_convolution_loads_its_image_before_img2col():
    convolution = cube_plan(product(4096, 1152, 256, window=9), B1)
    plain = cube_plan(product(4096, 1152, 256), B1)
    per_k = [cube_parts.operand_bytes(plan, 1)[0] / (plan.m * plan.k) for plan in (convolution, plain)]
    assert per_k[0] * 8 < per_k[1]
    assert not convolution.nd2nz_a
    assert not convolution.nd2nz_b


NARROW = [(f"buf_{name}", 256, rf".*buf\.{name} 256") for name in ("l0a", "l0b", "l0c", "l1")]


@pytest.mark.parametrize(("key", "size", "message"), [*NARROW, ("buf_l0c", 512, r".*buf.l0c 512, .*larger buffers")])
def test_if_no_tile_fits_the_error_names_the_buffers(key, size, message):
    with pytest.raises(UsageError, match=rf"no tile of a Float16 product fits {message}"):
        cost_of(matmul(512, 512, 512), B1.replace(**{key: size}))
    with pytest.raises(UsageError, match=r"base \(256, 256, 64\) needs 262144 bytes of UB, which has 253952"):
        cost_of(matmul(512, 512, 512), chip_named("ascend310"), schedule=Schedule(base=(256, 256, 64)))


@cases(
    ("ascend310", {"buf_l1": 65536, "buf_l0c": 65536}), ("ascend310", {"buf_ub": 32768}),
    ("ascend910b1", {"buf_ub": 32768}), ("ascend910b1", {"buf_l1": 16384, "buf_l0c": 8192}),
    ("ascend910b1", {"buf_l0a": 2048, "buf_l0b": 2048}),
)  # fmt: skip
def test_small_buffers_are_slower(name, small):
    chip = chip_named(name).replace(**small)
    for kind, job in ALL_JOBS:
        slower, full = (cost.cycles + cost.head_us * chip.cores.freq_mhz
                      for cost in (cost_of(job, chip), cost_of(job, chip_named(name))))  # fmt: skip
        assert slower >= 0.98 * full, kind
