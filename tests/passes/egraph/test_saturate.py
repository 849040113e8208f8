"""Equality saturation: results are equal, cost no more, and do not depend on the order of rules."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.ir.verify import verify
from minigraph.npu import cycles
from passes import add_cost, add_rules, as_pipeline
from passes.egraph.saturate import saturate
from passes.validate.difference import GraphPair, Tolerance
from tests.passes.programs import program
from tests.passes.small_graphs import chain_graph, named_rule, names

pytest.importorskip("egglog")
X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) - 2.5)


negation_as_product = named_rule("negation_as_product", lambda x: (-x, x * -1.0))
double_negation = named_rule("double_negation", lambda x: (apply("neg", -x), x))
halves = named_rule(  # one relu instead of two, wherever the larger one is taken
    "halves",
    lambda x, y: (apply("maximum", apply("relu", x), apply("relu", y)), apply("relu", apply("maximum", x, y))),
)


def operators(graph):
    """The names of the operators, sorted."""
    return sorted(names(graph))


def run(graph, rules="mine", cost="ascend910b1", **options):
    """The record of ``saturate``, followed by cleanup."""
    step = saturate.with_options(rules=rules, cost=cost, **options)
    records = as_pipeline([step, "dce"]).run(graph)
    verify(graph)
    return records[0]


def test_the_order_of_rules_does_not_matter():
    """Applied greedily, one rule destroys the match of the other."""
    add_rules("mine", (negation_as_product, double_negation))
    greedy, graph = (trace(lambda x: apply("tanh", apply("neg", -x)), X) for _ in range(2))
    as_pipeline("rewrite{rules=negation_as_product},rewrite{rules=mine},dce").run(greedy)
    record = run(graph)
    assert operators(greedy) == ["mul", "mul", "tanh"] and operators(graph) == ["tanh"]
    assert cycles(graph) < cycles(greedy)
    (choice,) = record.choices
    assert choice.chosen == "another form" and choice.rejected[0][1] > choice.cycles
    assert record.rules["double_negation"].rewrites and record.rules["negation_as_product"].rewrites


def test_equal_values_are_merged_also_with_commuted_operands():
    add_rules("mine", halves)
    graph = trace(lambda x, y: (apply("maximum", apply("relu", x), apply("relu", y)), x * y - y * x), X, X)
    run(graph)
    assert operators(graph) == ["maximum", "mul", "relu", "sub"]
    assert len(set(graph.ins(next(node for node in graph if str(graph.op(node)) == "sub")))) == 1


@pytest.mark.parametrize("name", ["mul", "neg"])
def test_the_cost_function_decides_and_cost_never_increases(name):
    add_rules("mine", negation_as_product)
    add_cost("liking", lambda graph: 10 - names(graph).count(name))
    graph = trace(lambda x: -x, X)
    run(graph, cost="liking")
    assert operators(graph) == [name]


def test_computed_rules_and_attributes_are_supported():
    def net(x):
        transposed = apply("transpose", apply("transpose", apply("exp", x), axes=(1, 0)), axes=(1, 0))
        return apply("relu", apply("neg", -transposed)) * 1.0

    graph = trace(net, X)
    run(graph, rules="canonical")
    assert operators(graph) == ["exp", "relu"]


@pytest.mark.parametrize("seed", range(40))
def test_programs_stay_equal_and_cost_no_more(seed):
    graph, before = program(seed), program(seed)
    as_pipeline("lower_depend,dce").run(graph)
    as_pipeline("lower_depend,dce").run(before)
    price = cycles(graph)
    run(graph, rules="canonical", max_iterations=3)
    assert cycles(graph) <= price
    pair = GraphPair(before, graph, Tolerance(exact=False, tol=1e-5))
    arrays = [np.random.default_rng(seed).normal(size=before.type(n).shape).astype(np.float32) for n in before.inputs]
    params = {name: np.full(value.shape, 0.5, np.float32) for name, value in before.params.items()}
    difference = pair.compare_values(arrays, params)
    assert difference is None, difference


def test_large_graphs_are_refused_and_small_ones_left_alone():
    graph = chain_graph("exp")
    with pytest.raises(UsageError, match="saturate: 'f' has 2 nodes, more than max_nodes=1; raise max_nodes"):
        saturate(graph.clone(), max_nodes=1)
    assert not run(graph, rules="canonical").changed
