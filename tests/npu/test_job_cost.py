"""Job costs: bounds hold, verdicts are the profiler's, better chips are not slower."""

import pytest

from benchmarks.ascend.jobs import ALL_JOBS, B1, B4, CLASSES, IDS, convolution, elementwise, matmul, rows, table_gather
from benchmarks.ascend.published import PUBLISHED
from minigraph.core.errors import UnknownNameError
from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import float16, float32, int8
from minigraph.npu.chips.chip import INTEGER_KEYS
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.engine.resource_use import level_bytes
from minigraph.npu.job_cost import ENGINES, analytic_cycles, bound_cycles, cost_of
from minigraph.npu.tiling import Job, Schedule, layout_of
from tests.tables import results

VERDICTS = {
    "memory bound", "compute bound", "latency bound:pipeline caused", "latency bound:memory caused",
    "latency bound:compute caused",
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name, job", ALL_JOBS, ids=IDS)
def test_every_cost_is_consistent(name, job, engine):
    cost = cost_of(job, B1, engine)
    assert 0 <= cost.bound <= cost.cycles
    assert cost.verdict in VERDICTS
    assert 0 <= cost.cube_utilization <= 1
    for part in cost.parts:
        assert part.offset + part.cycles <= cost.cycles
        assert 0 < part.balance <= 1
        for queue in QUEUES:
            assert part.busy[queue] + part.wait[queue] + part.idle[queue] == part.cycles
    levels = [level_bytes(part.program) for part in cost.parts]
    assert cost.bytes == {level: sum(traffic[level] for traffic in levels) for level in cost.bytes}
    assert sum(cost.critical.values()) == (pytest.approx(cost.cycles) if engine == "event" else 0)


@pytest.mark.parametrize("name", PUBLISHED)
def test_bounds_hold_for_published_kernels(name):
    row = PUBLISHED[name]
    for job in row.jobs:
        layout = layout_of(job, row.chip, row.schedule)
        assert bound_cycles(job, layout, row.chip) <= cost_of(job, row.chip, "event", row.schedule).cycles


test_verdicts = results(
    lambda job: cost_of(job, B1).verdict,
    (elementwise(1 << 27, 2, 1, {"simple": 1}), "memory bound"),
    (elementwise(1 << 26, 1, 1, {"special": 40}), "compute bound"),
    (matmul(4608, 3456, 4608, window=9), "compute bound"),
    (matmul(768, 6144, 2048), "latency bound:memory caused"),
    (matmul(512, 64, 512), "latency bound:pipeline caused"),
)


@pytest.mark.parametrize("chip", [B1, B4], ids=str)
@pytest.mark.parametrize("name, job", ALL_JOBS, ids=IDS)
def test_the_price_is_the_analytic_cost_with_its_head(name, job, chip):
    cost = cost_of(job, chip, "analytic")
    assert analytic_cycles(job, chip) == pytest.approx(cost.cycles + cost.head_us * chip.cores.freq_mhz, abs=1)


def test_no_work_costs_nothing_and_half_the_bandwidth_doubles_memory_bound_work():
    nothing, job = Job(Work(), float32, 1, "none"), elementwise(1 << 27, 2, 1, {"simple": 1})
    assert (analytic_cycles(nothing, B1), cost_of(nothing, B1).parts) == (0, ())
    slow = cost_of(job, B1.replace(pool_gm=B1.pool.gm / 2)).cycles
    assert 1.8 <= slow / cost_of(job, B1).cycles <= 2.0
    with pytest.raises(UnknownNameError, match="did you mean 'event'"):
        cost_of(job, B1, "events")


def test_a_mix_kernel_is_faster_than_the_sum_of_its_parts_and_slower_than_each():
    n = 2048 * 2048
    work = Work(macs=(Macs(1, 2048, 2048, 2048),), lanes=(("special", 4 * n),), read=4 * n, written=2 * n)
    mixed = cost_of(Job(work, float16, n, "cube"), B1)
    parts = [part.cycles for part in mixed.parts]
    assert max(parts) < mixed.cycles < sum(parts)
    assert mixed.head_us == B1.task.head_us + B1.task.mix_extra_us
    assert mixed.parts[1].offset > 0
    assert sum(mixed.critical.values()) == pytest.approx(mixed.cycles)
    assert mixed.critical["other cores"] > 0


def test_several_products_run_one_after_another():
    pair = Work(macs=(Macs(1, 512, 512, 512),) * 2, read=4 * 512 * 512 * 2, written=2 * 512 * 512 * 2)
    cost = cost_of(Job(pair, float16, 512 * 512, "cube"), B1)
    first, second = cost.parts
    assert (first.offset, second.offset) == (0, first.cycles)
    assert cost.cycles == first.cycles + second.cycles == pytest.approx(sum(cost.critical.values()))


# Factor that improves each parameter: a larger value (2) or a smaller one (0.5).
BETTER = {
    "cores.aic": 2, "cores.aiv": 2, "buf.l0a": 2, "buf.l0b": 2, "buf.l0c": 2, "buf.l1": 2, "buf.ub": 2, "buf.l2": 2,
    "mte1.l0a": 2, "mte1.l0b": 2, "mte1.ovh": 0.5, "mte2.lat": 0.5, "mte2.lat_miss": 0.5, "mte2.cap_l1": 2,
    "mte2.lat_nz": 0.5, "mte2.row_nz": 0.5, "mte2.row_odd": 0.5, "cube.turn": 0.5, "pool.gm_write": 2,
    "vector.head_isolated": 0.5, "mte1.img2col_lat": 0.5,
    "mte2.cap_l1_miss": 2, "mte2.cap_ub": 2, "mte2.cap_ub_miss": 2, "mte2.row0": 0.5, "mte2.outstanding": 2,
    "mte3.lat": 0.5, "mte3.cap": 2, "fixp.elems": 2, "fixp.lat": 0.5, "fixp.l2_write": 2, "vector.head": 0.5,
    "cube.head": 0.5, "pool.gm": 2, "pool.l2": 2, "sync.flag": 0.5, "sync.issue": 0.5, "sync.xcore": 0.5,
    "repeat.simple_f16": 0.5, "repeat.special_f32": 0.5, "scalar.elem": 0.5,
}  # fmt: skip
SECOND_SAMPLE_JOBS = {"matmul": 2, "softmax": 1, "elementwise": 4}
SAMPLE_JOBS = [*(jobs[-1] for jobs in CLASSES.values()), *(CLASSES[name][k] for name, k in SECOND_SAMPLE_JOBS.items())]


def improve(chip, key):
    """The chip with one parameter improved."""
    value = chip.parameters[key].v * BETTER[key]
    return chip.replace(**{key.replace(".", "_", 1): int(value) if key in INTEGER_KEYS else value})


def task_cycles(cost):
    """Cycles of a task, head overhead included."""
    return cost.cycles + cost.head_us * B1.cores.freq_mhz


@pytest.mark.parametrize("key", BETTER)
def test_a_better_chip_is_not_slower(key):
    """Within 1 % by the analytic model, which chooses the tiles; within 2 % by the event engine."""
    better = improve(B1, key)
    for job in SAMPLE_JOBS:
        for engine, slack in (("analytic", 1.01), ("event", 1.02)):
            before, after = task_cycles(cost_of(job, B1, engine)), task_cycles(cost_of(job, better, engine))
            assert after <= before * slack, (engine, job, before, after)


def test_every_parameter_has_an_effect():
    """For each parameter of ``BETTER`` there is a job whose cost depends on it."""
    jobs = [
        *SAMPLE_JOBS,
        *CLASSES["skinny matmul"],
        *CLASSES["copy"],
        Job(Work(read=40, written=40), float32, 10, "scalar"),
    ]
    jobs += [matmul(4096, 1152, 4096, window=9), matmul(100, 333, 77), matmul(16384, 16, 16384, out=4)]
    jobs += [matmul(8192, 16, 8192), matmul(4096, 64, 4096, int8), elementwise(1 << 18, 6, 1, {"simple": 1})]
    jobs += [elementwise(1 << size, 1, 1, work, cold=0.0) for size, work in ((22, {}), (14, {"simple": 1}))]
    jobs += [elementwise(1 << 22, 1, 1, {"simple": 30}), rows(4096, 256, {"simple": 1}, True, run=16, cold=0.0)]
    jobs += [convolution(4, 128, 8, 48, 1536), convolution(1, 16, 64, 64, 16, stride=2)]
    jobs += [rows(4096, 256, {"reduce": 1}, False, run=256), table_gather(1 << 14, 0)]
    jobs += [rows(8, 4096, {"simple": 1}, True)]  # few cores, each at its own rate
    schedule = Schedule(nd2nz="MTE2")
    for key in BETTER:
        pairs = ([cost_of(job, chip, schedule=schedule).cycles for chip in (improve(B1, key), B1)] for job in jobs)
        assert any(better != now for better, now in pairs), key


def test_the_bound_lets_the_best_order_read_what_l2_holds():
    job = elementwise(1 << 28, 2, 1, {"simple": 1})
    bytes_moved = job.work.read + job.work.written
    expected = (bytes_moved - B1.buf.l2) / B1.per_cycle(B1.pool.gm_roof)
    assert bound_cycles(job, layout_of(job, B1), B1) == int(expected)
