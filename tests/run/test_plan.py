"""Plans: what is computed when, and what a program returns and stores."""

import numpy as np

from minigraph import Parameter, Tensor, ops, trace
from minigraph.run.plan import planned

X = Tensor(np.ones((2, 3), np.float32))


def plan_of(fn, *args):
    return planned(trace(fn, *args))


def test_the_last_assignment_is_what_is_stored():
    weight = Parameter(Tensor(X), name="w")

    def twice(x):
        ops.assign(weight, x)
        ops.assign(weight, x * 2.0)

    plan = plan_of(twice, X)
    stores = [step for step in plan.steps if step.op.stores]
    assert len(stores) == 2
    assert plan.stored["w"] == stores[-1].outs[0]


def test_a_step_without_results_needs_no_buffer():
    plan = plan_of(lambda x: (ops.Print()(x * 2.0), x)[1], X)
    assert plan.steps[-1].outs == ()


def test_steps_know_the_users_lines():
    plan = plan_of(lambda x: x * 2.0, X)
    assert plan.steps[0].loc[0].text == "x * 2.0"


def test_sources_come_first_inputs_in_order():
    weight, constant = Parameter(Tensor(X), name="w"), Tensor(X)
    plan = plan_of(lambda x, y: y * weight + x * constant, X, X)
    assert [(source.role, source.payload) for source in plan.sources if source.role != "const"] == [
        ("input", 0), ("input", 1), ("parameter", "w"),
    ]  # fmt: skip
