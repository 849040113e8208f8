"""The memory of vector work: operands that rows share are loaded by each core and fit UB with its tiles."""

from dataclasses import replace

import pytest

from benchmarks.ascend.jobs import B1, elementwise, rows, table_gather
from minigraph.npu.engine.lower import vector_program
from minigraph.npu.tiling.schedule import Schedule
from minigraph.npu.tiling.vector_memory import absorbed_share, largest_tile, later_miss, loaded_bytes, table_runs
from minigraph.npu.tiling.vector_tiling import vector_plan

NORM = {"simple": 6, "reduce": 2}


def norm(count, length):
    """A norm of float32 rows with a scale and an offset."""
    job, shared = rows(count, length, NORM, True, passes=2), 8 * length
    return replace(job, work=replace(job.work, read=job.work.read + shared), shared=shared)


def test_each_core_loads_what_its_rows_share():
    job = norm(48, 1000)
    assert loaded_bytes(job, 1, B1) == job.work.read
    assert loaded_bytes(job, 48, B1) == loaded_bytes(job, 96, B1) == job.work.read + 47 * 8000
    assert loaded_bytes(elementwise(1000, 2, 1, {"simple": 1}), 8, B1) == 2 * 1000 * 2


@pytest.mark.parametrize("count", [1, 2, 39, 48, 500])
@pytest.mark.parametrize("length", [128, 2000, 5000, 9000, 10368, 20000, 60000])
def test_rows_and_what_they_share_fit_ub(count, length):
    plan = vector_plan(norm(count, length), B1)
    program = vector_program(plan, B1)
    assert program.footprint["UB"] <= B1.buf.ub
    assert plan.streams * plan.load_bytes * plan.tiles >= norm(count, length).work.read


def test_parts_of_rows_hold_a_part_of_what_the_rows_share():
    assert largest_tile(norm(8, 1000), B1, 2, 0) == int((B1.buf.ub - 16000) / (2 * 8 + 4))
    assert largest_tile(norm(8, 1 << 20), B1, 2, 0) == int(B1.buf.ub / (2 * 8 + 4 + 2 * 8))
    assert largest_tile(norm(8, 1 << 20), B1, 2, B1.buf.ub - 1) == 1


def test_l2_holds_the_rows_of_few_cores_and_the_stores_of_small_jobs():
    job = rows(48, 1 << 24, NORM, True, passes=3)
    assert [later_miss(job, cores, B1) for cores in (48, 1)] == [1.0, 0.0]
    assert absorbed_share(job, B1, Schedule()) == 0.0 < absorbed_share(job, B1, Schedule(bypass_l2=True)) < 1
    assert absorbed_share(norm(8, 100), B1, Schedule()) == 1.0
    assert table_runs(table_gather(1 << 12, 64), B1) == 64 and table_runs(norm(8, 100), B1) == 0
