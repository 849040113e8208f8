"""Types of patterns: accepted operands, samples, and hints of earlier attempts."""

import numpy as np
import pytest

from minigraph.core.op import apply
from minigraph.core.types import float32, float64, int64
from passes import S, fuse, rule
from passes.validate.pattern_context import TypeAssignment, pattern_context


def context_for(any_rule, seed, hints=None, dtype=float64):
    """One attempt to generate a context for a rule."""
    rng = np.random.default_rng(seed)
    setting = TypeAssignment(dtype, rng, 3, not any_rule.is_fusion, {} if hints is None else hints)
    return pattern_context(any_rule.sides[0].pattern, setting)


def test_inputs_are_in_order_of_occurrence():
    any_rule = fuse("p", lambda a, b, c: apply("where", a, apply("exp", b), c))
    assert {context.names for seed in range(9) if (context := context_for(any_rule, seed))} == {("a", "b", "c")}


def test_every_assigned_type_is_valid():
    any_rule = fuse("p", lambda x, w, b: apply("relu", x @ w + b))
    graphs = [context.graph() for seed in range(20) if (context := context_for(any_rule, seed))]
    assert len(graphs) > 15 and all(len(graph) >= 7 for graph in graphs)


def test_shapes_that_an_operator_needs_are_recorded_for_its_variables():
    any_rule = fuse("p", lambda x: apply("avg_pool2d", apply("relu", x), kernel=2))
    hints = {}
    contexts = [context_for(any_rule, seed, hints) for seed in range(30)]
    assert contexts[0] is None and len(hints["x"]) == 4
    assert sum(context is not None for context in contexts) > 10


def test_a_captured_attribute_gets_values_of_the_samples():
    axes = rule(lambda x: (apply("sum", x, axis=S.a), apply("sum", apply("identity", x), axis=S.a)))
    graphs = [context.graph() for seed in range(40) if (context := context_for(axes, seed))]
    captured_axes = {
        graph.attrs(node).get("axis") for graph in graphs for node in graph if str(graph.op(node)) == "sum"
    }
    assert len(captured_axes) >= 3


def test_unmentioned_attributes_vary_only_in_fusions():
    def pattern(x):
        return apply("exp", apply("softmax", x))

    def ranks_and_axes(any_rule):
        graphs = [context.graph() for seed in range(40) if (context := context_for(any_rule, seed))]
        return {(graph.type(graph.inputs[0]).ndim, graph.attrs(1)["axis"]) for graph in graphs}

    assert any(axis != ndim - 1 for ndim, axis in ranks_and_axes(fuse("p", pattern)))
    strict = rule(lambda x: (pattern(x), apply("exp", apply("softmax", apply("identity", x)))))
    assert all(axis == ndim - 1 for ndim, axis in ranks_and_axes(strict))


@pytest.mark.parametrize("dtype", [float32, int64])
def test_variables_take_the_dtype_of_the_attempt(dtype):
    context = context_for(fuse("p", lambda x, y: apply("abs", x + y)), 1, dtype=dtype)
    assert {type.dtype for type in context.types} == {dtype}
