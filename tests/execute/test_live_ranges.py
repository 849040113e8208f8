"""The steps between which a value needs its memory."""

import numpy as np

from minigraph import Tensor, ops, trace
from minigraph.execute.compile import compile_graph
from minigraph.execute.live_ranges import live_ranges

X = Tensor(np.ones((2, 3), np.float32))


def plan_of(fn, *args):
    return compile_graph(trace(fn, *args)).plan


def test_a_live_range_ends_at_the_last_use_or_after_the_last_step_for_outputs():
    plan = plan_of(lambda x: ops.exp(ops.tanh(x)) + x, X)
    assert [live_ranges(plan)[step.outs[0]] for step in plan.steps] == [(0, 1, 24), (1, 2, 24), (2, 3, 24)]
    plan = plan_of(lambda x: (ops.exp(x), ops.tanh(ops.exp(x))), X)
    assert live_ranges(plan)[plan.outs[0]][:2] == (0, len(plan.steps))


def test_a_view_extends_the_live_range_of_its_root():
    plan = plan_of(lambda x: ops.tanh(x) @ ops.exp(x).transpose(1, 0), X)
    views = [step for step in plan.steps if step.op.view]
    (exp,) = (step.outs[0] for step in plan.steps if step.outs == views[0].ins)
    assert live_ranges(plan)[exp].last == len(plan.steps) - 1
    assert views[0].outs[0] not in live_ranges(plan)
