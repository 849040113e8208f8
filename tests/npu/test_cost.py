"""Critical paths of costs: of sequential parts, and of the longest of concurrent parts."""

from benchmarks.ascend.jobs import B1, attention
from minigraph.npu.cost import Cost
from minigraph.npu.job_cost import cost_of


def test_concurrent_parts_have_other_cores_as_a_cause_and_the_analytic_engine_no_critical_path():
    cost, analytic = (cost_of(attention(512, 512, 64), B1, engine) for engine in ("event", "analytic"))
    assert cost.layout.is_mix and cost.critical["other cores"] > 0
    assert isinstance(analytic, Cost) and analytic.critical == {}
