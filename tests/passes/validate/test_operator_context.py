"""Test contexts for computed rules: their operator alone or on another operator's result."""

import contextlib

import numpy as np
import pytest

from minigraph.core.errors import MinigraphError
from minigraph.core.op import TABLE, op_named
from minigraph.core.types import float64
from passes.validate.operator_context import operator_context


def graphs_of(name, count=30):
    """Graphs of an operator's test contexts."""
    rng = np.random.default_rng(0)
    contexts = [operator_context(op_named(name), float64, rng, 3) for _ in range(count)]
    graphs = []
    for context in contexts:
        with contextlib.suppress(MinigraphError):  # only numpy accepts operands that the type rule refuses
            graphs += [context.graph()] if context is not None else []
    return graphs


SIMPLE = [name for name, op in TABLE.items() if op.samples and op.family in ("view", "reduction")]


@pytest.mark.parametrize("name", SIMPLE)
def test_the_operator_is_the_last(name):
    graphs = graphs_of(name)
    assert len(graphs) > 5
    assert all(str(graph.op(graph.ins(graph.outs[0])[0])) == name for graph in graphs)


def test_the_operator_occurs_alone_on_itself_and_on_others():
    below = {str(graph.op(graph.ins(graph.ins(graph.outs[0])[0])[0])) for graph in graphs_of("transpose", 60)}
    assert {"input", "transpose"} < below and len(below) > 5


def test_the_target_of_a_store_is_a_parameter():
    graphs = graphs_of("assign")
    assert graphs and all(graph.params for graph in graphs)
    assert all(any(graph.writes(node) for node in graph) for graph in graphs)
