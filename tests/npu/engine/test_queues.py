"""The event engine: programs small enough to check by hand, and invariants on all others."""

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, IDS, elementwise, matmul
from minigraph.core.errors import MinigraphError
from minigraph.npu.engine.lower import program_of
from minigraph.npu.engine.program import QUEUES, Instr, Loop, Program
from minigraph.npu.engine.queues import Core, run
from minigraph.npu.tiling import Schedule, layout_of

CHIP = B1.replace(sync_issue=1, sync_flag=5)


def run_queues(*items, rings=None):
    """The run of a hand-written program."""
    return run(Program("aiv", rings or {}, items, 1, 1.0), CHIP)


def test_queues_are_in_order_and_parallel_and_wait_for_flags():
    result = run_queues(Instr("V", "A", 10), Instr("V", "B", 10), Instr("M", "C", 15))
    expected = [(1, 11, "issue"), (11, 21, "queue"), (3, 18, "issue")]
    assert [(span.start, span.end, span.bound_by) for span in result.spans] == expected
    result = run_queues(Instr("MTE2", "L", 10, enque="r"), Instr("V", "A", 10, deque="r", free="r"), rings={"r": 1})
    assert (result.spans[1].start, result.spans[1].bound_by, result.spans[1].wait) == (11 + 5, "flag", 16 - 2)


@pytest.mark.parametrize("slots, cycles", [(1, 2 * (20 + 5 + 20 + 5) - 5 + 1), (2, 1 + 20 + 5 + 20 + 20)])
def test_double_buffering_overlaps_loads_with_computation(slots, cycles):
    tile = (Instr("MTE3", "L", 20, alloc="r", enque="r"), Instr("V", "A", 20, deque="r", free="r"))
    assert run_queues(*tile, *tile, rings={"r": slots}).cycles == cycles


def test_an_in_order_queue_never_starts_a_later_load_first():
    gated = Instr("MTE2", "A", 10, bytes_moved=64, rate=64.0, alloc="r")
    free = Instr("MTE2", "B", 10, bytes_moved=64, rate=64.0, enque="r")
    use = Instr("V", "V", 500, deque="r", free="r")
    result = run_queues(gated, free, use, gated, free, rings={"r": 1})
    starts = [span.start for span in result.spans if span.queue == "MTE2"]
    assert starts == sorted(starts)


def test_latencies_overlap_data_arrive_in_order_and_contention_slows_loads():
    load = Instr("MTE2", "L", 100, bytes_moved=640, rate=64.0)
    result = run(Program("aiv", {}, (load, load, load), 1, 1.0), CHIP.replace(mte2_outstanding=2))
    assert [(span.start, span.end) for span in result.spans] == [(1, 111), (2, 121), (111, 221)]
    assert run_queues(load, load, load).cycles == 131  # more loads in flight
    for gm, cycles, slowed in ((5.0, 1 + 10 + 10, False), (50.0, 1 + 10 + 50, True)):
        result = run_queues(Instr("MTE2", "L", 10, bytes_moved=640, rate=64.0, gm=gm))
        assert (result.cycles, result.spans[0].slowed) == (cycles, slowed)


def test_shared_memory_is_work_conserving_within_a_section():
    load = Instr("MTE2", "L", 10, bytes_moved=640, rate=64.0, gm=50.0)
    tile = (load, Instr("V", "A", 200), Instr("S", "SYNC", 1, barrier=True), load)
    in_one_loop = run_queues(Loop(tile, 1))
    assert in_one_loop.spans[0].slowed
    assert not in_one_loop.spans[-1].slowed  # the memory had idle time before
    assert run_queues(*tile).spans[-1].slowed  # separate sections: all cores load at once again


def test_a_barrier_waits_for_every_queue_and_nested_loops_run():
    result = run_queues(
        Instr("V", "A", 30), Instr("M", "B", 50), Instr("S", "SYNC", 7, barrier=True), Instr("V", "C", 1)
    )
    assert [span.start for span in result.spans[2:]] == [2 + 50, 52 + 7 + 1]
    add = Instr("V", "A", 10)
    assert run_queues(Loop((Loop((add,), 3), add), 2)).queues["V"].busy == 80


@pytest.mark.parametrize("name, job", ALL_JOBS, ids=IDS)
def test_cycles_of_a_queue_add_up_and_starts_never_decrease_on_every_class(name, job):
    for plan in layout_of(job, B1).plans:
        result = run(program_of(plan, B1), B1)
        assert set(result.queues) == set(QUEUES)
        for queue, state in result.queues.items():
            assert state.busy + state.wait + state.idle == result.cycles
            assert min(state.busy, state.wait, state.idle) >= 0
            starts = [span.start for span in result.spans if span.queue == queue]
            assert starts == sorted(starts)
        assert result.cycles == max(span.end for span in result.spans)


LONG_JOBS = [
    matmul(8192, 2048, 8192), matmul(30720, 512, 4096), elementwise(1 << 27, 2, 1, {"simple": 1}),
    elementwise(1 << 26, 3, 1, {"simple": 9, "special": 3}),
]  # fmt: skip


@pytest.mark.parametrize("buffers", [1, 2])
@pytest.mark.parametrize("job", LONG_JOBS, ids=str)
def test_extrapolating_a_loop_changes_no_result_and_runs_are_deterministic(job, buffers):
    schedule = Schedule(buffers=buffers, keep_in_l1=buffers > 1, tile=2048 if not job.work.macs else None)
    program = program_of(layout_of(job, B1, schedule).plans[0], B1)
    stepped, extrapolated = run(program, B1, extrapolate=False), run(program, B1)
    assert extrapolated.skips and extrapolated == run(program, B1)
    assert len(extrapolated.spans) < len(stepped.spans)
    assert extrapolated.cycles == stepped.cycles
    for a, b in ((extrapolated.queues[queue], stepped.queues[queue]) for queue in QUEUES):
        assert (a.busy, a.wait, a.idle, a.bytes_moved) == (b.busy, b.wait, b.idle, b.bytes_moved)


@pytest.mark.parametrize("outstanding", [3, 7, 20])
@pytest.mark.parametrize("iterations", [2500, 2501, 2519])
def test_as_many_transfers_as_the_queue_holds_are_a_period(outstanding, iterations):
    load = Instr("MTE2", "L", 190, bytes_moved=32, rate=120.0, gm=0.04, l2=0.3)
    items = (Loop((Instr("V", "A", 51), Loop((load,), iterations)), 2),)
    program, chip = Program("aiv", {}, items, 1, 1.0), CHIP.replace(mte2_outstanding=outstanding)
    stepped, extrapolated = run(program, chip, extrapolate=False), run(program, chip)
    assert len(extrapolated.spans) < 300 < len(stepped.spans)
    assert extrapolated.cycles == stepped.cycles
    for queue in QUEUES:
        a, b = extrapolated.queues[queue], stepped.queues[queue]
        assert (a.busy, a.wait, a.idle, a.bytes_moved) == (b.busy, b.wait, b.idle, b.bytes_moved)


def test_cycles_that_do_not_add_up_raise():
    core = Core(Program("aiv", {}, (Instr("V", "A", 10),), 1, 1.0), CHIP)
    core.execute(core.program.items)
    core.queues["V"].busy += 1
    with pytest.raises(MinigraphError, match="V was busy 11"):
        core.finish()
