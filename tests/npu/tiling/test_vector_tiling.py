"""Vector tilings: they fit UB and cover the job, and each class of work has its instructions."""

from dataclasses import replace

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, IDS, SOFTMAX, elementwise, rows
from minigraph.core.errors import UsageError
from minigraph.core.op_fields import Work
from minigraph.core.types import float16, float32, int64
from minigraph.npu.chips.registry import chip_named
from minigraph.npu.job_cost import cost_of
from minigraph.npu.tiling import Job, Schedule, layout_of
from minigraph.npu.tiling.analytic import vector_cycles
from minigraph.npu.tiling.vector_tiling import TABLE_GATHER_NOTE, vector_notes, vector_plan
from tests.tables import error_cases


def table_gather(count, run, table, dtype=float32):
    """A gather of ``count`` elements from a table of ``table`` bytes, in contiguous runs of ``run``."""
    work = Work(lanes=(("gather", count),), read=4 * count + 8 * count // max(run, 1), written=4 * count, run=run)
    return Job(work, dtype, count, "move", 1.0, largest=table)


def transposition(count, run=0):
    """A transposition of ``count`` float32 elements, in contiguous runs of ``run``."""
    work = Work(lanes=() if run else (("transpose", count),), read=4 * count, written=4 * count, run=run)
    return Job(work, float32, count, "move")


@pytest.mark.parametrize("name, job", ALL_JOBS, ids=IDS)
def test_vector_tiles_fit_ub_and_cover_the_job(name, job):
    plan = layout_of(job, B1).vector
    if plan is not None:
        assert plan.buffers * (plan.streams * plan.load_bytes + plan.store_bytes) <= B1.buf.ub + 64 * plan.buffers
        assert plan.cores <= B1.vector_cores
        assert plan.cores * plan.per_core >= plan.tiles
    if plan is not None and not job.work.macs:
        assert plan.streams * plan.load_bytes * plan.tiles >= job.work.read
        assert plan.store_bytes * plan.tiles >= job.work.written


def test_elementwise_tiles_compute_all_lanes():
    plan = vector_plan(elementwise(1 << 20, 2, 1, {"simple": 3, "special": 1}), B1)
    for kind, count in (("simple", 3 << 20), ("special", 1 << 20)):
        assert sum(op.elements * op.times for op in plan.ops if op.kind == kind) * plan.tiles >= count


def test_a_row_that_does_not_fit_ub_is_loaded_in_passes_which_hit_l2_if_it_fits():
    assert vector_plan(rows(64, 1 << 20, SOFTMAX, True, passes=3), B1).passes == 3
    assert vector_plan(rows(64, 1000, SOFTMAX, True, passes=3), B1).passes == 1
    assert vector_plan(rows(64, 1 << 20, {"reduce": 1}, False), B1).passes == 1  # partial sums
    assert vector_plan(rows(2, 1 << 20, SOFTMAX, True, passes=3), B1).later_miss == 0.0
    assert vector_plan(rows(48, 1 << 26, SOFTMAX, True, passes=3), B1).later_miss == 1.0


SHARED = [rows(1, 1 << 22, {"reduce": 1}, False), rows(256, 1 << 16, {"reduce": 1}, False, run=256)]


@pytest.mark.parametrize("job", SHARED)
def test_one_long_row_or_a_few_strips_are_shared_by_cores_that_synchronise(job):
    plan = vector_plan(job, B1)
    assert plan.cores >= 24 + (job.work.run > 0)
    assert plan.syncs == 1


def test_long_rows_are_halved_before_they_are_reduced_and_short_ones_transposed():
    """A pooling window of 9 is 9 elementwise adds, not a reduction that uses a ninth of a register."""
    halved, plain, short = (
        vector_plan(rows(count, length, {"reduce": 1}, False), B1).ops
        for count, length in ((4096, 4096), (4096, 64), (1 << 16, 9))
    )
    assert [op.kind for op in halved] == ["simple", "reduce"] and halved[0].times == 6  # 4096 to 64 lanes
    assert [op.kind for op in plain] == ["reduce"]
    assert [op.kind for op in short] == ["transpose", "simple"] and short[1].times == 9


def test_outer_reductions_are_chains_of_adds():
    plan = vector_plan(rows(16 * 256, 256, {"reduce": 1}, False, run=256), B1)
    strip = int(plan.contiguous_bytes) // 4
    assert 8 <= strip <= 256
    assert [(op.kind, op.elements, op.chain) for op in plan.ops] == [("simple", strip, True)]
    strided, contiguous = (rows(4096, 1024, {"reduce": 1}, False, run=run) for run in (1024, 0))
    assert cost_of(strided, B1).cycles > cost_of(contiguous, B1).cycles


def test_runs_of_a_large_table_are_loaded_one_by_one_and_a_small_table_is_gathered_inside_ub():
    plan = vector_plan(table_gather(512 * 768, 768, 30000 * 768 * 4), B1)
    assert plan.loads_per_stream == plan.streams * plan.loads_per_stream > 1
    assert plan.ops == ()
    assert plan.load_bytes // plan.loads_per_stream == pytest.approx(768 * 4, rel=0.15)
    inside, outside = table_gather(1 << 14, 0, 1 << 16), table_gather(1 << 14, 0, 1 << 24)
    assert [op.kind for op in vector_plan(inside, B1).ops] == ["gather"]
    assert TABLE_GATHER_NOTE in vector_notes(outside, vector_plan(outside, B1), B1)
    assert cost_of(outside, B1).cycles > 4 * cost_of(inside, B1).cycles


def test_transpositions_are_blocks_transposed_in_ub_or_strided_loads():
    transposed, strided = vector_plan(transposition(1 << 20), B1), vector_plan(transposition(1 << 20, run=64), B1)
    assert [op.kind for op in transposed.ops] == ["transpose"]
    assert (strided.ops, strided.contiguous_bytes) == ((), 64 * 4)
    plain = cost_of(elementwise(1 << 20, 1, 1, {}, float32, cold=0.0), B1).cycles
    whole, short, long = (cost_of(transposition(1 << 20, run), B1).cycles for run in (0, 8, 512))
    assert whole > plain and short > long >= plain


def test_small_jobs_use_few_cores_8_byte_elements_are_noted_and_short_runs_are_slower():
    assert vector_plan(elementwise(16, 2, 1, {"simple": 1}), B1).cores == 1, "cores share no block of 32 bytes"
    assert any("8-byte" in note for note in layout_of(elementwise(1 << 16, 1, 1, {"simple": 1}, int64), B1).notes)
    jobs = [rows(1 << 14, 64, {"simple": 1}, True, run=run, cold=0.0) for run in (8, 32, 256)]
    short, *others = (cost_of(job, B1).cycles for job in jobs)
    assert short > max(others)
    job = elementwise(48 << 20, 1, 0, {}, float16, cold=0.0)
    separate, same = (cost_of(job, B1, schedule=Schedule(shared_loads=flag)).cycles for flag in (False, True))
    assert same > 5 * separate, "same-address loads"


test_schedules_that_do_not_fit_raise = error_cases(
    (Schedule(tile=10**6), "does not fit UB"),
    (Schedule(cores=49), "has 48"),
    (Schedule(cores=0), "has 48"),
    by=lambda schedule: vector_plan(elementwise(1 << 20, 2, 1, {"simple": 1}), B1, schedule),
    error=UsageError,
)


def test_a_scheduled_tile_may_split_rows_that_would_fit():
    job = rows(16, 8192, {"simple": 1, "reduce": 1}, True, passes=2)
    large, small = (vector_plan(job, B1, Schedule(cores=16, tile=tile)) for tile in (8192, 2048))
    assert (large.passes, large.tiles, small.passes, small.tiles) == (1, 16, 2, 64)
    assert small.load_bytes <= 2048 * 4


def test_tiles_of_whole_bank_rows_make_instructions_with_two_sources_conflict():
    """The profiler's sample: eight additions per tile of 20480 float16 cost two cycles per repeat."""
    job = replace(elementwise(83886080, 2, 1, {"simple": 8}), reads_pairs=True)
    tile = Schedule(cores=8, tile=20480, buffers=1)
    assert vector_plan(job, B1, tile).conflict and not vector_plan(job, B1, replace(tile, tile=20479)).conflict
    assert not vector_plan(replace(job, reads_pairs=False), B1, tile).conflict and not vector_plan(job, B1).conflict


@pytest.mark.parametrize("width, loads", [(8, 8), (16, 8), (64, 8), (0, 64)])
def test_a_gather_loads_each_run_of_its_table_once_and_at_least_a_block(width, loads):
    """Eight runs per core; single elements (run 0) are loaded one by one."""
    elements = 64 * max(width, 8)
    work = Work(lanes=(("gather", elements),), read=2 * elements + 256, written=2 * elements, run=width)
    plan = vector_plan(Job(work, float16, elements, "vector", largest=1 << 24), B1, Schedule(cores=8, buffers=1))
    assert plan.loads_per_stream * plan.per_core == loads and plan.streams == 1
    assert plan.load_bytes * plan.tiles >= 32 * loads * 8


def test_short_rows_are_reduced_by_the_faster_of_two_sequences():
    few, many = (vector_plan(rows(n, 16, {"reduce": 1}, False, cold=0.0), B1).ops for n in (16, 1 << 20))
    assert few[0].kind == "reduce" and many[0].kind == "transpose"


@pytest.mark.parametrize("count, length, slots", [(64, 1000, 2), (4096, 1024, 2), (4096, 8192, 2), (94, 25984, 1)])
def test_rows_take_two_slots_unless_one_is_faster(count, length, slots):
    """With two slots, a row of 25,984 float16 elements no longer fits UB and is loaded in passes."""
    job, chip = rows(count, length, SOFTMAX, True, passes=3, dtype=float16), chip_named("ascend910_9382")
    plans = [vector_plan(job, chip, schedule) for schedule in (Schedule(), Schedule(buffers=3 - slots))]
    assert plans[0].buffers == slots and vector_cycles(plans[0], chip) <= vector_cycles(plans[1], chip)


@pytest.mark.parametrize("cores", [40, 36, 30])
def test_rows_run_on_the_fewest_cores_that_give_the_busiest_one_no_further_tile(cores):
    plan = vector_plan(rows(166, 3968, SOFTMAX, True, float32), B1.replace(cores_aic=cores // 2, cores_aiv=cores))
    assert plan.cores == -(-plan.tiles // plan.per_core)
    assert not any(-(-plan.tiles // fewer) == plan.per_core for fewer in range(1, plan.cores))
