"""Properties for any work, chip and graph: conservation, bounds, order, monotonicity."""

import contextlib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigraph.core.errors import UsageError
from minigraph.core.op_fields import Macs, Work
from minigraph.core.types import float16, float32, int8
from minigraph.npu import Schedule
from minigraph.npu.chips.registry import CHIPS, chip_named
from minigraph.npu.engine.program import QUEUES, Loop
from minigraph.npu.engine.resource_use import level_bytes
from minigraph.npu.job_cost import cost_of
from minigraph.npu.simulator import simulate
from minigraph.npu.tiling.layout import layout_of
from minigraph.npu.tiling.plan import CubePlan, Job
from tests.npu.graphs import ADD, MATMUL, VIEW, graph_of

QUIET = {"deadline": None, "derandomize": True, "database": None}
CHIP = st.sampled_from(sorted(CHIPS)).map(chip_named)
DTYPE, COLD = st.sampled_from([float16, float32, int8]), st.sampled_from([0.0, 0.4, 1.0])
CLASSES = ("simple", "special", "cast", "reduce", "transpose", "gather")
# Parameters that may be doubled without making a chip slower.
BETTER = (
    "pool_gm", "pool_l2", "mte2_cap_ub", "mte2_cap_l1", "mte3_cap", "mte1_l0a", "mte1_l0b", "fixp_l2_write", "buf_l2",
)  # fmt: skip


# Parameters of a random chip: buffers down to an eighth of a real one, fewer cores, slower memory, different latencies.
REDUCIBLE = (
    "buf_l0a",
    "buf_l0b",
    "buf_l0c",
    "buf_l1",
    "buf_ub",
    "buf_l2",
    "cores_aic",
    "pool_gm",
    "pool_l2",
    "mte3_cap",
)
VARIED = ("mte1_ovh", "mte2_lat_nz", "mte2_outstanding", "vector_head", "sync_flag", "sync_issue", "cube_turn")


@st.composite
def chips(draw):
    """A shipped chip with some parameters changed."""
    chip = draw(CHIP)
    factors = draw(st.dictionaries(st.sampled_from(REDUCIBLE), st.sampled_from([0.125, 0.25, 0.5]), max_size=3))
    factors |= draw(st.dictionaries(st.sampled_from(VARIED), st.sampled_from([0.5, 2, 3]), max_size=3))
    for key, factor in factors.items():
        section, _, name = key.partition("_")
        old = getattr(getattr(chip, section), name)
        chip = chip.replace(**{key: max(1, int(old * factor)) if isinstance(old, int) else old * factor})
    return chip


def sizes(largest):
    """Sizes distributed log-uniformly."""
    return st.floats(0, largest).map(lambda power: int(2**power))


@st.composite
def products(draw):
    """A matrix product or a convolution, with or without an epilogue."""
    b, m, k, n = (draw(sizes(most)) for most in (3, 11, 11, 11))
    dtype, window = draw(DTYPE), draw(st.sampled_from([1, 1, 9]))
    lanes = draw(st.sampled_from([(), (("simple", b * m * n),), (("simple", 3 * b * m * n), ("special", b * m * n))]))
    read = b * (m * k // window + k * n) * dtype.itemsize
    work = Work((Macs(b, m, k, n, window),), lanes, read=read, written=b * m * n * dtype.itemsize)
    return Job(work, dtype, b * max(m * k, k * n, m * n), "cube", draw(COLD))


@st.composite
def vectors(draw):
    """Elementwise work, work on contiguous or strided rows, gathers."""
    count, length, dtype = draw(sizes(12)), draw(sizes(11)), draw(DTYPE)
    n, ins = count * length, draw(st.integers(1, 4))
    kinds = draw(st.lists(st.sampled_from(CLASSES), max_size=3, unique=True))
    lanes = tuple((kind, n * draw(st.integers(1, 4))) for kind in kinds)
    rows = draw(st.sampled_from([None, (count, length)]))
    run, passes = draw(st.sampled_from([0, 0, 1, 8, 300])), draw(st.integers(1, 3))
    written = draw(st.sampled_from([n, count])) * dtype.itemsize
    work = Work((), lanes, rows, passes, ins * n * dtype.itemsize, written, run=run)
    return Job(work, dtype, n, "vector", draw(COLD), largest=draw(st.sampled_from([1 << 10, 1 << 24])))


@given(st.one_of(products(), vectors()), chips())
@settings(max_examples=200, **QUIET)
def test_cycles_and_bytes_of_a_task_add_up(job, chip):
    cost = cost_of(job, chip)
    assert 0 <= cost.bound <= cost.cycles
    assert 0 <= cost.missed <= cost.loaded * (1 + 1e-9)
    total = dict.fromkeys(cost.bytes, 0.0)
    for part in cost.parts:
        for level, bytes_moved in level_bytes(part.program).items():
            total[level] += bytes_moved
        for queue in QUEUES:
            assert part.busy[queue] + part.wait[queue] + part.idle[queue] == part.cycles
            ends, depth = [0], chip.mte2.outstanding if queue == "MTE2" else 1
            for span in (span for span in part.spans if span.queue == queue):
                assert span.start >= ends[-min(depth, len(ends))]
                ends.append(max(span.end, ends[-1]))
        assert all(span.end <= part.cycles for span in part.spans)
    assert total == cost.bytes


@given(vectors(), chips())
@settings(max_examples=80, **QUIET)
def test_all_stored_bytes_leave_ub_and_all_read_bytes_enter_it(job, chip):
    """Whole tiles may move slightly more bytes than the job; each pass reads again."""
    cost = cost_of(job, chip, "analytic")
    plan = cost.layout.vector
    assert cost.bytes["UB"] == cost.bytes["L2"]
    stored = sum(part.program.cores * part.program.balance * _stored_bytes(part.program.items) for part in cost.parts)
    assert stored >= job.work.written * (1 - 1e-9)
    assert stored <= job.work.written + plan.tiles
    assert cost.loaded >= job.work.read * plan.passes * (1 - 1e-9) - 1


def _stored_bytes(items):
    return sum(
        _stored_bytes(item.body) * item.times if hasattr(item, "body") else item.bytes_moved * (item.queue == "MTE3")
        for item in items
    )


@given(st.one_of(products(), vectors()), chips())
@settings(max_examples=120, **QUIET)
def test_the_engines_agree_on_tasks(job, chip):
    head = chip.task.head_us * chip.cores.freq_mhz
    event, analytic = (cost_of(job, chip, engine).cycles + head for engine in ("event", "analytic"))
    assert abs(analytic / event - 1) <= 0.05


@st.composite
def schedules(draw):
    """A schedule of a product: some of its fields."""
    base = st.tuples(*[st.sampled_from([16, 64, 128, 256])] * 2, st.sampled_from([16, 32, 64, 128]))
    slots, flag = st.sampled_from([1, 2]), st.booleans()
    fields = {
        "buffers": st.integers(1, 4), "order": st.sampled_from("mn"), "l0_buffers": slots, "l0c_buffers": slots,
        "unit_flag": flag, "nd2nz": st.sampled_from(["V", "MTE2"]), "keep_in_l1": flag, "base": base, "step_k": slots,
    }  # fmt: skip
    return Schedule(**draw(st.fixed_dictionaries({}, optional=fields)))


@given(products(), CHIP, schedules())
@settings(max_examples=120, **QUIET)
def test_the_engines_agree_on_schedules_of_the_caller_that_fit(job, chip, schedule):
    head = chip.task.head_us * chip.cores.freq_mhz
    with contextlib.suppress(UsageError):
        event, analytic = (cost_of(job, chip, engine, schedule).cycles + head for engine in ("event", "analytic"))
        assert abs(analytic / event - 1) <= 0.05


@given(st.one_of(products(), vectors()), chips(), st.sampled_from(BETTER))
@settings(max_examples=120, **QUIET)
def test_improving_a_parameter_is_never_slower(job, chip, key):
    section, _, name = key.partition("_")
    better = chip.replace(**{key: 2 * getattr(getattr(chip, section), name)})
    head = chip.task.head_us * chip.cores.freq_mhz
    before, after = (cost_of(job, variant, "analytic").cycles + head for variant in (chip, better))
    assert after <= 1.02 * before


@st.composite
def graphs(draw):
    """A random graph of additions, products and views on square matrices."""
    side = draw(st.sampled_from([16, 100, 512]))
    graph, values = graph_of(*[(side, side)] * 3, title="random")
    for kind in draw(st.lists(st.sampled_from([ADD, MATMUL, VIEW]), min_size=1, max_size=12)):
        ins = [draw(st.sampled_from(values)) for _ in range(1 if kind is VIEW else 2)]
        values.append(graph.emit(kind, ins))
    graph.set_outs(values[-1:])
    return graph


@given(graphs(), chips(), st.sampled_from(["event", "analytic"]))
@settings(max_examples=40, **QUIET)
def test_any_graph_on_any_chip_has_consistent_totals(graph, chip, engine):
    report = simulate(graph, chip=chip, engine=engine)
    assert report.bound_us <= report.us
    for cycles in report.queues.values():
        assert sum(cycles) == report.cycles and min(cycles) >= 0
    for before, after in zip(report.rows, report.rows[1:], strict=False):
        assert before.end == after.start
    assert sum(report.critical.values()) <= report.cycles * (1 + 1e-9)


@given(products(), chips())
@settings(max_examples=120, **QUIET)
def test_a_product_passes_every_buffer_exactly_once(job, chip):
    """Blocks enter L0A and L0B once and are computed once, tiles leave L0C once, and all traffic passes L2."""
    layout = layout_of(job, chip)
    for plan, part in zip(layout.plans, cost_of(job, chip, "analytic").parts, strict=True):
        counts = _queue_counts(part.program.items)
        if isinstance(plan, CubePlan):
            blocks = plan.per_core * plan.blocks
            assert counts["M", "times"] == blocks and counts["MTE1", "times"] == 2 * blocks
            assert counts["MTE1", "moved"] == blocks * plan.bk * (plan.bm + plan.bn) * plan.dtype.itemsize
            assert counts["MTE2", "moved"] <= counts["MTE1", "moved"]  # padding and img2col happen inside the core
            out = "FIXP" if chip.family == "split" else "MTE3"
            stored = plan.per_core * plan.m * plan.n * plan.store_item * plan.stores
            assert counts[out, "moved"] == stored
            assert plan.tiles * plan.bm * plan.bn * plan.bk * plan.blocks >= plan.macs
        levels = level_bytes(part.program)
        total = sum(counts[queue, "moved"] for queue in ("MTE2", "MTE3", "FIXP"))
        assert levels["GM"] <= levels["L2"] * (1 + 1e-9)
        assert levels["L2"] == pytest.approx(total * part.program.cores * part.program.balance)


def _queue_counts(items, times=1):
    """Bytes moved and executed instructions by queue."""
    counts = Counter()
    for item in items:
        if isinstance(item, Loop):
            counts.update(_queue_counts(item.body, times * item.times))
        else:
            counts.update({(item.queue, "moved"): times * item.bytes_moved, (item.queue, "times"): times})
    return counts
