"""Plans: the order of steps, and the values that a program returns and stores."""

import numpy as np

from minigraph import Parameter, Tensor, jit, ops, trace
from minigraph.accel.schedule.plan import make_plan

X = Tensor(np.ones((2, 3), np.float32))


def plan_of(fn, *args):
    return make_plan(trace(fn, *args))


def test_the_last_assignment_is_stored():
    weight = Parameter(Tensor(X), name="w")

    def assign_twice(x):
        ops.assign(weight, x)
        ops.assign(weight, x * 2.0)

    plan = plan_of(assign_twice, X)
    assert plan.stored["w"] == plan.steps[-1].outs[0]
    assert [step.op.stores for step in plan.steps] == [True, False], "a new result is stored, an input is copied"


def test_a_result_is_copied_where_it_is_also_returned_or_stored():
    weights = [Parameter(Tensor(X), name=name) for name in "ab"]

    def assign_and_return(x):
        y = x * 2.0
        ops.assign(weights[0], y)
        return y.reshape(3, 2)

    def assign_to_two(x):
        y = x * 2.0
        ops.assign(weights[0], y)
        ops.assign(weights[1], y)

    def assign_a_view(x):
        ops.assign(weights[0], (x * 2.0).reshape(3, 2).reshape(2, 3))

    assert [
        sum(step.op.stores for step in plan_of(fn, X).steps) for fn in (assign_and_return, assign_to_two, assign_a_view)
    ] == [1, 1, 1]


def test_a_parameter_read_after_an_assignment_is_the_assigned_result():
    weight = Parameter(Tensor(X), name="w")

    def step(x):
        ops.assign(weight, x * 2.0)
        return weight + 1.0

    plan = plan_of(step, X)
    assert plan.steps[-1].ins[0] == plan.stored["w"] == plan.steps[0].outs[0]


def test_a_step_may_have_no_results_and_has_the_users_line():
    plan = plan_of(lambda x: (ops.Print()(x * 2.0), x)[1], X)
    assert plan.steps[-1].outs == () and plan.steps[0].loc[0].text == "x * 2.0"


def test_sources_come_first_inputs_in_order():
    weight, constant = Parameter(Tensor(X), name="w"), Tensor(X)
    plan = plan_of(lambda x, y: y * weight + x * constant, X, X)
    assert [(source.role, source.payload) for source in plan.sources if source.role != "const"] == [
        ("input", 0), ("input", 1), ("parameter", "w"),
    ]  # fmt: skip


def test_a_dead_store_is_no_step_and_a_returned_input_is_copied():
    weight = Parameter(Tensor(X), name="w")

    def assign_twice(x):
        first = ops.assign(weight, x)
        ops.assign(weight, first * 2.0)
        return first

    graph = jit(assign_twice, pipeline="dead_stores").graph(X)
    assert [step.op.name for step in make_plan(graph).steps] == ["assign", "mul"]
