"""Layouts: what goes to which cores, and what a reader is told."""

import pytest

from benchmarks.ascend.jobs import B1, lanes, matmul
from minigraph.core.fields import Macs, Work
from minigraph.core.types import float16, float32, int8
from minigraph.npu.tiling.cube_tiling import FEW_CUBE_CORES
from minigraph.npu.tiling.layout import ESTIMATE, MIXED, epilogue_is_free, layout_of
from minigraph.npu.tiling.plan import Job, Schedule
from minigraph.npu.tiling.vector_tiling import FEW_VECTOR_CORES


def fused(simple=0, special=0, beside=0, m=512, k=512, n=512):
    """A product with vector work behind it and ``beside`` more bytes read."""
    work = Work(
        macs=(Macs(1, m, k, n),),
        lanes=(("simple", simple * m * n), ("special", special * m * n)) if special else (("simple", simple * m * n),),
        read=(m * k + k * n) * 2 + beside,
        written=m * n * 2,
    )
    return Job(work, float16, m * n, "cube")


def test_a_job_that_asks_for_nothing_is_no_task():
    for job in (Job(Work(), float32, 1, "vector"), Job(Work(read=8, written=8), float32, 1, "none")):
        assert layout_of(job, B1).plans == ()
    assert layout_of(Job(Work(macs=(Macs(1, 4, 0, 4),)), float32, 1, "cube"), B1).plans == ()


def test_a_shared_right_operand_makes_one_tall_product_and_scalar_work_is_a_loop():
    read = (16 * 64 * 32 + 32 * 48) * 2
    job = Job(Work(macs=(Macs(16, 64, 32, 48),), read=read, written=16 * 64 * 48 * 2), float16, 16 * 64 * 48, "cube")
    assert layout_of(job, B1).cube[0].macs == 16 * 64 * 32 * 48
    assert layout_of(Job(Work(read=40, written=40), float32, 10, "scalar"), B1).scalar.elements == 10


def test_estimates_and_idle_cores_of_both_kinds_are_noted():
    assert ESTIMATE in layout_of(Job(Work(read=80, written=80, exact=False), float32, 10, "vector"), B1).notes
    assert FEW_VECTOR_CORES in layout_of(lanes(100, 2, 1, {"simple": 1}), B1).notes
    assert FEW_VECTOR_CORES not in layout_of(lanes(1 << 20, 2, 1, {"simple": 1}), B1).notes
    assert FEW_CUBE_CORES in layout_of(matmul(16, 16, 16), B1).notes


WAYS_OUT = [
    (fused(simple=0), True),
    (fused(simple=1, beside=1024), True),  # a bias row
    (fused(simple=2, beside=1024), True),  # bias and clamp
    (fused(simple=3, beside=1024), False),
    (fused(simple=1, beside=512 * 512 * 2), False),  # a whole tensor beside, a residual
    (fused(simple=1, special=1, beside=1024), False),
]


@pytest.mark.parametrize("job, free", WAYS_OUT)
def test_what_the_way_out_of_the_cube_can_do(job, free):
    assert epilogue_is_free(job.work, job.work.macs, 2) == free
    layout = layout_of(job, B1)
    assert layout.mixed != free
    assert (MIXED in layout.notes) != free


def test_vector_cores_get_the_four_byte_sums_of_one_byte_operands():
    n = 256 * 512
    work = Work((Macs(1, 256, 128, 512),), (("special", n),), read=256 * 128 + 128 * 512, written=2 * n)
    found = layout_of(Job(work, int8, n, "cube"), B1)
    assert found.cube[0].store_item == found.vector.width == 4
    assert found.vector.tiles * found.vector.load_bytes >= 4 * n


def test_a_schedule_may_say_how_the_vector_work_behind_a_product_runs():
    work = Work((Macs(1, 512, 512, 512),), (("special", 1 << 18),), read=1 << 20, written=1 << 19)
    job = Job(work, float16, 1 << 18, "cube")
    found = layout_of(job, B1, Schedule(after=Schedule(tile=1024, buffers=1)))
    assert found.vector.buffers == 1 and found.cube[0].buffers == 2
    assert found.vector.tiles > layout_of(job, B1).vector.tiles
