"""Bodies that certainly run once, with effects, gradients and nested bodies."""

import numpy as np
import pytest

from minigraph import Tensor, grad, interpret, ops, trace
from minigraph.core.op import apply
from passes import as_pipeline
from tests.passes.comparison import keep_bits

X, Y = (Tensor(np.array(v, np.float32)) for v in ([0.5, -2.0], [3.0, 1.0]))
PIPELINE = "constant_fold,inline_bodies,dce"


def constant(flag):
    """A condition that is an operator of constants while a function is captured."""
    return apply("less", Tensor(1.0), 2.0 if flag else 0.0)


def regions(graph):
    """How many nodes have bodies."""
    return sum(bool(graph.regions(node)) for node in graph)


def make_branch(flag):
    """A function with a branch."""
    return lambda x, y: ops.cond(constant(flag), lambda: (x * y, ops.exp(y)), lambda: (y, x - y))


@pytest.mark.parametrize("flag", [True, False])
def test_the_chosen_branch_stays_also_of_branches_in_branches(flag):
    def nested_branch(x, y):
        return ops.cond(constant(True), lambda: ops.cond(constant(flag), lambda: x + y, lambda: x - y), lambda: y)

    for fn, pipeline in ((make_branch(flag), PIPELINE), (nested_branch, f"fix({PIPELINE})")):
        graph = trace(fn, X, Y)
        keep_bits(pipeline, graph, X, Y)
        assert regions(graph) == 0


def test_effects_stay_in_order(capsys):
    def print_in_branch(x):
        ops.Print()("before")
        out = ops.cond(constant(True), lambda: (ops.Print()("inside"), x * 2.0)[1], lambda: x)
        ops.Print()("after")
        return out

    graph = trace(print_in_branch, X)
    as_pipeline(PIPELINE).run(graph)
    interpret(graph, X)
    assert regions(graph) == 0 and capsys.readouterr().out.split() == ["before", "inside", "after"]


@pytest.mark.parametrize("count", [1, 2])
def test_a_scan_over_one_row_is_one_iteration(count):
    def scan_sum(x, y):
        return ops.scan(lambda c, row: (c * row + y, c.sum()), x, ops.stack((y,) * count))

    graph = trace(scan_sum, X, Y)
    keep_bits(PIPELINE, graph, X, Y)
    assert regions(graph) == (count > 1)


def test_a_condition_with_effects_is_kept():
    def loop(x):
        return ops.while_loop(lambda v: (ops.Print()("asked"), constant(False))[1], lambda v: v * 2.0, x)

    graph = trace(loop, X)
    as_pipeline(PIPELINE).run(graph)
    assert regions(graph) == 1


def test_gradients_are_the_same():
    graph = trace(grad(lambda x, y: sum(make_branch(True)(x, y)).sum(), (0, 1)), X, Y)
    keep_bits(PIPELINE, graph, X, Y)
    assert regions(graph) == 0


def test_prints_of_a_branch_precede_prints_of_its_result():
    def step(x):
        def print_operand():
            ops.Print()(x)
            return x

        seen = ops.cond(apply("less", Tensor(1.0), 2.0), print_operand, lambda: x)
        ops.Print()(seen)
        return seen

    graph = trace(step, Tensor([1.0]))
    branch, last = prints(graph)
    as_pipeline("constant_fold,inline_bodies").run(graph, validate=True)
    inside, outside = prints(graph)
    assert branch not in graph and outside == last and graph.before(last) == [inside]


def prints(graph):
    """The nodes that print, or have a body that does, in order."""
    return [node for node in graph.topological() if graph.effects(node) and not graph.op(node).is_leaf]
