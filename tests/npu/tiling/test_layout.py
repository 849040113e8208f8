"""Layouts: the units that a job uses, and notes."""

from dataclasses import replace

import pytest

from benchmarks.ascend.jobs import B1, attention, elementwise, matmul
from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import float16, float32, int8
from minigraph.npu.tiling.analytic import layout_cycles
from minigraph.npu.tiling.cube_tiling import IDLE_CUBE_CORES_NOTE
from minigraph.npu.tiling.layout import ESTIMATE_NOTE, MIX_NOTE, epilogue_is_free, layout_of
from minigraph.npu.tiling.plan import Job
from minigraph.npu.tiling.schedule import Schedule
from minigraph.npu.tiling.vector_tiling import IDLE_VECTOR_CORES_NOTE


def matmul_with_epilogue(simple=0, special=0, extra_bytes=0, m=512, k=512, n=512):
    """A product with an epilogue that reads ``extra_bytes`` more."""
    work = Work(
        macs=(Macs(1, m, k, n),),
        lanes=(("simple", simple * m * n), ("special", special * m * n)) if special else (("simple", simple * m * n),),
        read=(m * k + k * n) * 2 + extra_bytes,
        written=m * n * 2,
    )
    return Job(work, float16, m * n, "cube")


def test_fixpipe_scales_an_int8_product_by_a_row_of_the_results_dtype():
    n, scale_bytes = 512 * 512, 512 * 4
    work = Work((Macs(1, 512, 512, 512),), (("cast", 2 * n), ("simple", n)), read=2 * n + scale_bytes, written=2 * n)
    (plan,) = layout_of(Job(work, int8, n, "cube"), B1).plans
    assert (plan.dtype, plan.store_item) == (int8, 2)


def test_a_job_without_work_makes_no_task():
    for job in (Job(Work(), float32, 1, "vector"), Job(Work(read=8, written=8), float32, 1, "none")):
        assert layout_of(job, B1).plans == ()
    assert layout_of(Job(Work(macs=(Macs(1, 4, 0, 4),)), float32, 1, "cube"), B1).plans == ()


def test_a_batch_with_a_shared_right_operand_is_folded_and_scalar_work_is_a_loop():
    read = (16 * 64 * 32 + 32 * 48) * 2
    job = Job(Work(macs=(Macs(16, 64, 32, 48),), read=read, written=16 * 64 * 48 * 2), float16, 16 * 64 * 48, "cube")
    assert layout_of(job, B1).cube[0].macs == 16 * 64 * 32 * 48
    assert layout_of(Job(Work(read=40, written=40), float32, 10, "scalar"), B1).scalar.elements == 10


def test_estimates_and_idle_cores_of_both_kinds_are_noted():
    assert ESTIMATE_NOTE in layout_of(Job(Work(read=80, written=80, exact=False), float32, 10, "vector"), B1).notes
    assert IDLE_VECTOR_CORES_NOTE in layout_of(elementwise(100, 2, 1, {"simple": 1}), B1).notes
    assert IDLE_VECTOR_CORES_NOTE not in layout_of(elementwise(1 << 20, 2, 1, {"simple": 1}), B1).notes
    assert IDLE_CUBE_CORES_NOTE in layout_of(matmul(16, 16, 16), B1).notes


EPILOGUES = [
    (matmul_with_epilogue(simple=0), True),
    (matmul_with_epilogue(simple=1, extra_bytes=1024), True),  # a bias row
    (matmul_with_epilogue(simple=2, extra_bytes=1024), True),  # bias and clamp
    (matmul_with_epilogue(simple=3, extra_bytes=1024), False),
    (matmul_with_epilogue(simple=1, extra_bytes=512 * 512 * 2), False),  # a residual tensor
    (matmul_with_epilogue(simple=1, special=1, extra_bytes=1024), False),
]


@pytest.mark.parametrize("job, free", EPILOGUES)
def test_epilogues_that_fixpipe_computes(job, free):
    assert epilogue_is_free(job.work, job.work.macs, 2) == free
    layout = layout_of(job, B1)
    assert layout.is_mix != free
    assert (MIX_NOTE in layout.notes) != free


def test_vector_cores_read_4_byte_sums_of_1_byte_operands():
    n = 256 * 512
    work = Work((Macs(1, 256, 128, 512),), (("special", n),), read=256 * 128 + 128 * 512, written=2 * n)
    layout = layout_of(Job(work, int8, n, "cube"), B1)
    assert layout.cube[0].store_item == layout.vector.width == 4
    assert layout.vector.tiles * layout.vector.load_bytes >= 4 * n


def test_a_schedule_may_fix_the_tiling_of_the_epilogue():
    work = Work((Macs(1, 512, 512, 512),), (("special", 1 << 18),), read=1 << 20, written=1 << 19)
    job = Job(work, float16, 1 << 18, "cube")
    layout = layout_of(job, B1, Schedule(vector=Schedule(tile=1024, buffers=1)))
    assert layout.vector.buffers == 1 and layout.cube[0].buffers == 2
    assert layout.vector.tiles > layout_of(job, B1).vector.tiles


def test_an_attention_kernel_exchanges_sums_of_4_bytes_and_its_cores_read_the_same_keys():
    short, long = (layout_of(attention(rows, 4096, 128), B1) for rows in (128, 2048))
    assert all(plan.store_item == 4 for plan in short.cube + long.cube)
    assert {plan.sharers_b for plan in short.cube} == {1} and {plan.sharers_b for plan in long.cube} == {16}
    assert (long.cube[0].bm, long.cube[0].bn) == (128, 128)
    unshared = replace(long, cube=tuple(replace(plan, sharers_b=1) for plan in long.cube))
    assert layout_cycles(long, B1) > 1.2 * layout_cycles(unshared, B1)


def test_attention_divides_results_instead_of_scores_and_transposes_nothing():
    job = attention(128, 1024, 128)
    n = 128 * 1024
    lanes = (("reduce", 2 * n), ("simple", 3 * n), ("special", 2 * n), ("transpose", n))
    ops = layout_of(replace(job, work=replace(job.work, lanes=lanes)), B1).vector.ops
    assert [op.kind for op in ops].count("special") == 1 and "transpose" not in {op.kind for op in ops}
