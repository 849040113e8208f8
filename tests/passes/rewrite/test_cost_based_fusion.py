"""The cheapest fusions by a cost function are applied, and all alternatives are recorded."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.op import apply
from minigraph.npu import cycles
from passes import add_cost, add_rules, as_pipeline, fuse, fuse_groups, is_cheap
from passes.rewrite.cost_based_fusion import MAX_EXHAUSTIVE_PATTERNS, TOO_COSTLY
from tests.passes.fixtures import assert_preserves_results
from tests.passes.programs import program
from tests.passes.small_graphs import chain_graph, fused_names

PAIRS = fuse("Low", lambda x: apply("neg", apply("exp", x))), fuse("High", lambda x: apply("tanh", apply("neg", x)))


def prefer(expected):
    """A cost function that prefers one kind of fused node, and then few nodes."""
    return lambda graph: len(graph) - 100 * fused_names(graph).count(expected)


@pytest.mark.parametrize("expected", ["Low", "High", "cheap"])
def test_the_cost_function_decides(expected):
    add_rules("mine", (*PAIRS, fuse_groups(is_cheap, name="cheap")))
    add_cost("mine", prefer(expected))
    graph = chain_graph("exp", "neg", "tanh")
    (record,) = as_pipeline("fuse{rules=mine, cost=mine}").run(graph)
    assert fused_names(graph) == [expected]
    (choice,) = record.choices
    assert choice.node == 3 and choice.chosen == expected and choice.cycles < 0
    assert {name for name, _ in choice.rejected} == {"Low", "High", "cheap", "no fusion"} - {expected}
    assert all(cost >= choice.cycles for _, cost in choice.rejected)
    refused = {name: stats.rejected[TOO_COSTLY] for name, stats in record.rules.items() if stats.rejected[TOO_COSTLY]}
    assert refused == dict.fromkeys({"Low", "High"} - {expected}, 1)
    assert record.rules[expected].rewrites == 1


def test_a_fusion_that_increases_the_cost_is_rejected_and_without_a_cost_nothing_is_decided():
    add_rules("mine", PAIRS)
    add_cost("mine", lambda graph: -len(graph))
    (record,) = as_pipeline("fuse{rules=mine, cost=mine}").run(chain_graph("exp", "neg", "tanh"))
    assert not record.changed and [choice.chosen for choice in record.choices] == ["no fusion"]
    (record,) = as_pipeline("fuse{rules=mine}").run(chain_graph("exp", "neg", "tanh"))
    assert record.choices == () and record.changed


def layers(count):
    """Equal layers, each with an activation that two fusions match."""
    rng = np.random.default_rng(0)
    x, w, b = (Tensor(rng.normal(size=shape).astype(np.float32)) for shape in ((32, 64), (64, 64), (64,)))

    def net(x, w, b):
        for _ in range(count):
            x = apply("relu", x @ w + b) * x + x
        return x

    return trace(net, x, w, b)


def test_equal_clusters_are_priced_once():
    calls = []

    def cost(graph):
        calls.append(graph)
        return cycles(graph)

    add_cost("counting", cost)
    as_pipeline("fuse{rules=(matmul, vector), cost=counting}").run(layers(1))
    alone = len(calls)
    (record,) = as_pipeline("fuse{rules=(matmul, vector), cost=counting}").run(layers(12))
    assert len(calls) <= 4 * alone and len(record.choices) == 12


@pytest.mark.parametrize("rules", ["cube", "(cube, vector)", "(matmul, epilogue, vector)"])
def test_the_cost_is_never_higher_than_without_a_cost_function(rules):
    graph, greedy = layers(3), layers(3)
    as_pipeline(f"fuse{{rules={rules}, cost=ascend910b1}}").run(graph)
    as_pipeline(f"fuse{{rules={rules}}}").run(greedy)
    assert cycles(graph) <= cycles(greedy) < cycles(layers(3))


def test_many_patterns_in_one_cluster_are_decided_greedily():
    count = 3 * MAX_EXHAUSTIVE_PATTERNS
    graph = chain_graph(*["exp"] * (count - 1))
    add_rules("twos", fuse("Two", lambda x: apply("exp", apply("exp", x))))
    add_cost("nodes", len)
    (record,) = as_pipeline("fuse{rules=twos, cost=nodes}").run(graph)
    assert fused_names(graph) == ["Two"] * ((count - 1) // 2)
    assert record.rules["Two"].rejected[TOO_COSTLY] == record.rules["Two"].matches - record.rules["Two"].rewrites


def test_a_limit_permits_only_the_first_fusions():
    graph = layers(3)
    as_pipeline("fuse{rules=matmul, cost=ascend910b1}").run(graph, limit=3)  # the pass and two rewrites
    assert len(fused_names(graph)) == 2


@pytest.mark.parametrize("seed", range(60))
def test_programs_keep_every_bit(seed):
    chip = "ascend910b1" if seed % 3 else "ascend910b4"
    rules = ("(cube, vector)", "(cube, epilogue, attention, vector)")[seed % 2]
    pipeline = as_pipeline(f"lower_depend,cse,fuse{{rules={rules}, cost={chip}}}")
    assert_preserves_results(pipeline.run, program(seed), seed)
