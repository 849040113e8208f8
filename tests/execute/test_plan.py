"""``Plan``: the steps and buffers of a compiled program, and what it derives from them."""

from minigraph.core.op import TABLE
from minigraph.core.types import TensorType, float32
from minigraph.execute.plan import Plan, Source, Step, ops_of


def test_a_plan_has_its_buffer_size_operators_outputs_and_value_types():
    small, large = TensorType((2,), float32), TensorType((7, 2), float32)
    step = Step(TABLE["neg"], (0,), {}, (5,), (large,))
    plan = Plan([Source("input", 0, 0, small)], [step], buffers=[8, 16], outs=(5,), stored={"w": 0})
    assert ops_of([step, step._replace(outs=(2,))]) == {TABLE["neg"]}
    assert (plan.nbytes, plan.live_out, plan.types) == (24, (5, 0), {0: small, 5: large})
