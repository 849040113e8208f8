"""What bound a cost: of parts in turn, of the longest of parts side by side."""

from benchmarks.ascend.jobs import B1, attention
from minigraph.npu.cost import Cost
from minigraph.npu.job_cost import cost_of


def test_parts_side_by_side_leave_a_rest_and_a_closed_form_knows_no_causes():
    cost, closed = (cost_of(attention(512, 512, 64), B1, engine) for engine in ("event", "analytic"))
    assert cost.layout.mixed and cost.critical["other cores"] > 0
    assert isinstance(closed, Cost) and closed.critical == {}
