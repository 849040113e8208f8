"""Layouts: what goes to which cores, and what a reader is told."""

import pytest

from minigraph.errors import UsageError
from minigraph.npu.cube_tiling import FEW_CUBE_CORES
from minigraph.npu.plan import Job, Schedule
from minigraph.npu.tiling import ESTIMATE, FEW_VECTOR_CORES, MIXED, epilogue_is_free, layout_of, vector_plan
from minigraph.types import float16, float32, int64
from minigraph.work import Macs, Work
from tests.npu.jobs import ALL, B1, IDS, SOFTMAX, lanes, matmul, rows


def fused(simple=0, special=0, beside=0, m=512, k=512, n=512):
    """A product with vector work behind it and ``beside`` more bytes read."""
    work = Work(
        macs=(Macs(1, m, k, n),),
        lanes=(("simple", simple * m * n), ("special", special * m * n)) if special else (("simple", simple * m * n),),
        read=(m * k + k * n) * 2 + beside,
        written=m * n * 2,
    )
    return Job(work, float16, m * n, "cube")


@pytest.mark.parametrize("name, job", ALL, ids=IDS)
def test_vector_tiles_fit_ub_and_hold_everything(name, job):
    plan = layout_of(job, B1).vector
    if plan is not None:
        assert plan.buffers * (plan.streams * plan.load_bytes + plan.store_bytes) <= B1.buf.ub + 64 * plan.buffers
        assert plan.cores <= B1.vector_cores
        assert plan.cores * plan.per_core >= plan.tiles
        assert plan.streams * plan.load_bytes * plan.tiles >= job.work.read
        assert plan.store_bytes * plan.tiles >= job.work.written
        for kind, count in job.work.lanes:
            done = sum(n for op, n in plan.ops if op == kind) * plan.tiles * plan.sweeps
            assert done >= count


def test_a_job_that_asks_for_nothing_is_no_task():
    for job in (Job(Work(), float32, 1, "vector"), Job(Work(read=8, written=8), float32, 1, "none")):
        assert layout_of(job, B1).plans == ()
    assert layout_of(Job(Work(macs=(Macs(1, 4, 0, 4),)), float32, 1, "cube"), B1).plans == ()


def test_scalar_work_is_a_loop():
    assert layout_of(Job(Work(read=40, written=40), float32, 10, "scalar"), B1).scalar.elements == 10


@pytest.mark.parametrize(
    "job, free",
    [
        (fused(simple=0), True),
        (fused(simple=1, beside=1024), True),  # a bias row
        (fused(simple=2, beside=1024), True),  # bias and clamp
        (fused(simple=3, beside=1024), False),
        (fused(simple=1, beside=512 * 512 * 2), False),  # a whole tensor beside, a residual
        (fused(simple=1, special=1, beside=1024), False),
    ],
)
def test_what_the_way_out_of_the_cube_can_do(job, free):
    assert epilogue_is_free(job.work, job.work.macs, 2) == free
    layout = layout_of(job, B1)
    assert layout.mixed != free
    assert (MIXED in layout.notes) != free


def test_a_shared_right_operand_makes_one_tall_product():
    read = (16 * 64 * 32 + 32 * 48) * 2
    job = Job(Work(macs=(Macs(16, 64, 32, 48),), read=read, written=16 * 64 * 48 * 2), float16, 16 * 64 * 48, "cube")
    assert layout_of(job, B1).cube[0].macs == 16 * 64 * 32 * 48


def test_a_row_that_does_not_fit_is_swept():
    plan = vector_plan(rows(64, 1 << 20, SOFTMAX, True, passes=3), B1)
    assert plan.sweeps == 3
    assert vector_plan(rows(64, 1000, SOFTMAX, True, passes=3), B1).sweeps == 1


def test_sweeps_find_rows_in_l2_when_they_fit_there():
    assert vector_plan(rows(2, 1 << 20, SOFTMAX, True, passes=3), B1).miss_again == 0.0
    assert vector_plan(rows(48, 1 << 26, SOFTMAX, True, passes=3), B1).miss_again == 1.0


def test_one_long_row_is_shared_and_the_cores_meet():
    plan = vector_plan(rows(1, 1 << 22, {"reduce": 1}, False), B1)
    assert plan.cores >= 24
    assert plan.meetings == 1


def test_small_jobs_take_few_cores_and_say_so():
    assert vector_plan(lanes(100, 2, 1, {"simple": 1}), B1).cores == 1
    assert FEW_VECTOR_CORES in layout_of(lanes(100, 2, 1, {"simple": 1}), B1).notes
    assert FEW_VECTOR_CORES not in layout_of(lanes(1 << 20, 2, 1, {"simple": 1}), B1).notes
    assert FEW_CUBE_CORES in layout_of(matmul(16, 16, 16), B1).notes


def test_estimates_and_wide_numbers_are_noted():
    assert ESTIMATE in layout_of(Job(Work(read=80, written=80, exact=False), float32, 10, "vector"), B1).notes
    wide = layout_of(lanes(1 << 16, 1, 1, {"simple": 1}, int64), B1)
    assert any("8-byte" in note for note in wide.notes)


@pytest.mark.parametrize(
    "schedule, said",
    [(Schedule(tile=10**6), "does not fit UB"), (Schedule(cores=49), "has 48"), (Schedule(cores=0), "has 48")],
)
def test_impossible_schedules_are_refused(schedule, said):
    with pytest.raises(UsageError, match=said):
        vector_plan(lanes(1 << 20, 2, 1, {"simple": 1}), B1, schedule)
