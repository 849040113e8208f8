"""Region nodes: all iterations count, and the timeline has the first one."""

import pytest

from benchmarks.ascend.jobs import B1, elementwise, matmul
from minigraph.core.op_fields import Work
from minigraph.core.types import float32
from minigraph.npu.cost import Cost
from minigraph.npu.engine.program import QUEUES
from minigraph.npu.job_cost import ENGINES, analytic_cycles, cost_of
from minigraph.npu.loop_cost import loop_cost
from minigraph.npu.tiling.plan import Job

PRODUCT, SUM = matmul(512, 512, 512, cold=0.0), elementwise(1 << 18, 2, 1, {"simple": 1}, cold=0.0)


def loop(*inside):
    """A region node with these jobs, each with its trip count."""
    return Job(Work(), float32, 1, "none", inside=inside)


@pytest.mark.parametrize("engine", ENGINES)
def test_iterations_add_up_heads_included(engine):
    first, second = cost_of(PRODUCT, B1, engine), cost_of(SUM, B1, engine)
    head = round(first.head_us * B1.cores.freq_mhz)
    cost = cost_of(loop((PRODUCT, 10), (SUM, 20)), B1, engine)
    assert cost.cycles + head == 10 * (head + first.cycles) + 20 * (head + second.cycles)
    assert cost.bytes["L2"] == pytest.approx(10 * first.bytes["L2"] + 20 * second.bytes["L2"])
    assert cost.bound == 10 * first.bound + 20 * second.bound
    assert analytic_cycles(loop((PRODUCT, 10), (SUM, 20)), B1) == 10 * analytic_cycles(
        PRODUCT, B1
    ) + 20 * analytic_cycles(SUM, B1)


def test_cycles_add_up_and_the_timeline_has_the_first_iteration():
    cost = cost_of(loop((PRODUCT, 10), (SUM, 20)), B1)
    for part in cost.parts:
        assert 0 <= part.offset <= part.offset + part.cycles <= cost.cycles
        for queue in QUEUES:
            assert part.busy[queue] + part.wait[queue] + part.idle[queue] == part.cycles
    assert sum(cost.critical.values()) == pytest.approx(cost.cycles)
    assert cost.critical["head"] > 0
    cost = cost_of(loop((PRODUCT, 10), (SUM, 10)), B1)
    skip = cost.parts[0].skips[-1]
    assert (skip.times, cost.parts[0].offset + skip.end) == (9, cost.cycles), "the others are extrapolated"
    assert cost_of(loop((PRODUCT, 1)), B1).parts[0].skips == ()


def test_loops_in_loops_units_and_a_body_that_never_runs():
    inner = loop((SUM, 3))
    assert analytic_cycles(loop((inner, 4)), B1) == 12 * analytic_cycles(SUM, B1)
    assert cost_of(loop((inner, 4)), B1).cycles > 3 * cost_of(inner, B1).cycles
    assert cost_of(loop((PRODUCT, 2), (SUM, 2)), B1).layout.units == (True, True)
    assert cost_of(loop((SUM, 2)), B1).layout.units == (False, True)
    assert cost_of(loop((SUM, 0)), B1).parts == ()
    never = loop_cost([], [], B1, ("a note",))
    assert isinstance(never, Cost) and never.layout.notes == ("a note",)
