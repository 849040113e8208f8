"""What a program is made of."""

from minigraph.core.op import TABLE
from minigraph.core.types import TensorType, float32
from minigraph.execute.steps import Plan, Source, Step, ops_of


def test_steps_of_one_operator_have_one():
    step = Step(TABLE["neg"], (0,), {}, (1,), (TensorType((2,), float32),))
    assert ops_of([step, step._replace(outs=(2,))]) == {TABLE["neg"]}


def test_a_plan_counts_its_memory():
    assert Plan(buffers=[8, 16]).nbytes == 24


def test_a_plan_knows_what_leaves_it_and_the_type_of_every_value():
    small, large = TensorType((2,), float32), TensorType((7, 2), float32)
    step = Step(TABLE["neg"], (0,), {}, (5,), (large,))
    plan = Plan([Source("input", 0, 0, small)], [step], outs=(5,), stored={"w": 0})
    assert plan.leaving == (5, 0)
    assert plan.types == {0: small, 5: large}
