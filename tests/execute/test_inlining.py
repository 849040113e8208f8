"""Graphs as steps: a body that several nodes share is inlined at each of them."""

import numpy as np
import pytest

from minigraph import Tensor, ops, trace
from minigraph.execute.compile import compile_graph
from minigraph.execute.interpret import interpret
from minigraph.execute.plan import Inliner, Plan
from passes import as_pipeline
from tests.inspection import bits

X, Y = (Tensor(np.linspace(a, 2.0, 6, dtype=np.float32).reshape(2, 3)) for a in (0.5, 1.0))


def fused_graph(fn, *args, passes="fuse_elementwise"):
    graph = trace(fn, *args)
    as_pipeline(passes).run(graph)
    return graph


def inline(graph):
    plan = Plan()
    Inliner(plan).append_whole(graph)
    return plan, plan.outs


def thrice(x, y):
    for _ in range(3):
        x = ops.tanh(x * y + 1.0).sum(axis=1, keepdims=True) * y  # equal bodies, one for each
    return x


def test_shared_bodies_are_inlined_at_each_fused_node_and_their_steps_named_by_it():
    graph = fused_graph(thrice, X, Y)
    bodies = {id(graph.regions(node)[0]) for node in graph if graph.op(node).role == "fused"}
    plan, _ = inline(graph)
    reference, _ = inline(trace(thrice, X, Y))
    assert len(bodies) < sum(graph.op(node).role == "fused" for node in graph), "some are shared"
    assert [(step.op.name, step.loc) for step in plan.steps] == [(step.op.name, step.loc) for step in reference.steps]
    nodes = [step.node for step in plan.steps]
    assert len({*nodes}) == len(nodes)
    assert sum(node.count("%") == 2 for node in nodes) > 3


def test_every_value_has_a_unique_number_and_is_defined_before_its_uses():
    plan, outs = inline(fused_graph(thrice, X, Y))
    known = {*(source.value for source in plan.sources)}
    for step in plan.steps:
        assert known.issuperset(step.ins) and known.isdisjoint(step.outs)
        known.update(step.outs)
    assert known.issuperset(outs)
    assert sorted(known) == list(range(len(known)))


PIPELINES = ["fuse_elementwise", "fuse_matmul_bias,fuse_elementwise", "default", "graph_kernel"]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_programs_of_shared_bodies_equal_the_graph(pipeline):
    w, b = (Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32)) for shape in ((3, 3), (3,)))

    def layers(x, w, b):
        for _ in range(4):
            x = ops.tanh(x @ w + b) * 0.5 + x * x
        return x, x + 1.0

    graph = fused_graph(layers, X, w, b, passes=pipeline)
    expected = interpret(trace(layers, X, w, b), X, w, b)
    assert bits(compile_graph(graph)(X.array, w.array, b.array)) == bits(expected)


def test_a_body_may_take_one_value_twice_and_return_its_operands():
    plan = Plan()
    inlining = Inliner(plan)
    for pair in ((0, 0), (1, 2)):
        inlining.append(trace(lambda x, y: (x - y) * 2.0, X, Y), pair, "%7.")
        assert inlining.append(trace(lambda x, y: (y, x), X, Y), pair) == pair[::-1]
    assert [step.ins[:2] for step in plan.steps[::2]] == [(0, 0), (1, 2)]
