"""Fusion by outlining: no node in two bodies, no cycle, order and bits kept."""

import random
from functools import partial

import networkx as nx
import pytest

from minigraph.core.op import TABLE, apply
from minigraph.ir.text import parse
from minigraph.ir.verify import verify
from passes import Statistics, apply_rules, chain, fuse, is_cheap, maybe
from passes.rewrite.outlining import cyclic_sets
from tests.passes.fixtures import assert_preserves_results
from tests.passes.small_graphs import counts, graph_of, mesh_of, names, rewrite

PAIR = fuse("Pair", lambda x, a, b: (x @ a, x @ b))
RULES = (
    fuse("MulAdd", lambda a, b, c: a * b + c),
    fuse("Epilogue", lambda x, w: chain(is_cheap, x @ w)),
    fuse("Twins", lambda x: (apply("tanh", x), apply("sigmoid", x))),
    fuse("Twice", lambda x: apply("exp", apply("tanh", x)), recompute=True),
    fuse("Maybe", lambda x, y: maybe("relu", x - y) * y),
    PAIR,
)


def random_mesh(seed):
    """A random graph with order edges and several outputs."""
    return mesh_of(seed, ("add", "mul", "sub", "matmul", "tanh", "sigmoid", "exp", "relu"), near=5, ordered=0.15)


@pytest.mark.parametrize("seed", range(60))
def test_fusing_anything_keeps_bits_and_order_and_makes_no_cycle(seed):
    graph = random_mesh(seed)
    before = nx.transitive_closure_dag(graph.copy())
    assert_preserves_results(partial(apply_rules, rules=random.Random(seed).sample(RULES, 3)), graph, seed)
    after = nx.transitive_closure_dag(graph.copy())
    owner = {node: node for node in graph}
    copied = set()  # by rules that recompute: the node is in several bodies
    for fused in (node for node in graph if graph.op(node).role == "fused"):
        sources = graph.prov(fused).sources
        copied.update(source for source in sources if source in owner)
        owner.update((source, fused) for source in sources if source not in graph)
    for pair in before.edges():
        first, last = (owner.get(node) for node in pair)
        if first != last and None not in (first, last) and copied.isdisjoint(pair):
            assert after.has_edge(first, last)


def test_the_random_meshes_are_fused_by_every_rule():
    statistics = Statistics()
    for seed in range(60):
        apply_rules(random_mesh(seed), random.Random(seed).sample(RULES, 3), statistics)
    assert all(statistics[rule.name].rewrites for rule in RULES)
    assert {"other uses", "cycle"} <= {reason for stats in statistics.values() for reason in stats.rejected}


def test_matches_that_would_make_a_cycle_are_not_both_fused():
    """Each pair is convex, but each has a product that the other one uses."""
    lines = ["matmul(%0, %1)", "matmul(%2, %1)", "exp(%3)", "exp(%4)", "matmul(%0, %6)", "matmul(%2, %5)"]
    graph, statistics = rewrite(graph_of(*lines, outs="%7, %8"), PAIR)
    assert sorted(names(graph)) == ["exp", "exp", "fused", "matmul", "matmul"]
    assert counts(statistics)["Pair"]["cycle"] >= 1 and statistics["Pair"].rewrites == 1


def test_which_sets_are_cyclic():
    graph = graph_of("neg(%0)", "neg(%1)", "exp(%3)", "exp(%4)", "tanh(%5)", outs="%6, %7")
    assert cyclic_sets(graph, [(3, 6), (4, 5)]) == {0, 1} == cyclic_sets(graph, [(3, 6), (4, 5)])
    assert cyclic_sets(graph, [(3, 5), (4, 6)]) == set()
    graph.order(5, 4)
    assert cyclic_sets(graph, [(3, 6), (4, 5)]) == {0, 1} and cyclic_sets(graph, [(3, 5)]) == set()


def test_a_longer_chain_wins_over_a_shorter_one_inside():
    graph, statistics = rewrite(graph_of("matmul(%0, %1)", "neg(%3)", "exp(%4)", "tanh(%5)"), RULES[1])
    assert names(graph) == ["fused"] and statistics["Epilogue"].rewrites == 1


@pytest.mark.parametrize(("last", "shared"), [("add(%0, %5)", False), ("add(%5, %0)", True)])
def test_equal_matches_share_one_body(last, shared):
    """Whether the operands of the sums have the same order."""
    graph, _ = rewrite(graph_of("mul(%0, %1)", "add(%3, %2)", "mul(%4, %2)", last), RULES[0])
    first, second = (graph.regions(node)[0] for node in graph if graph.op(node).role == "fused")
    assert (first is second) is shared


def test_distant_roots_are_found_without_a_search_of_the_whole_graph():
    graph = parse('graph f(%0)\n%0 = input() {name="x"} : f32[2,2]\nreturn %0')
    value = 0
    for _ in range(2_000):
        tanh, sigmoid = graph.emit(TABLE["tanh"], (value,)), graph.emit(TABLE["sigmoid"], (value,))
        value = graph.emit(TABLE["add"], (tanh, sigmoid))
    graph.set_outs([value])
    statistics = Statistics()
    apply_rules(graph, [RULES[2]], statistics)
    verify(graph)
    assert statistics["Twins"].rewrites == 2_000 and len(graph) == 4_001


def test_the_statistics_of_a_rule_are_complete():
    _, statistics = rewrite(graph_of("mul(%0, %1)", "add(%3, %2)", "neg(%3)", outs="%4, %5"), RULES[0])
    stats = statistics["MulAdd"]
    assert (stats.tries, stats.matches, stats.rewrites) == (1, 1, 0) and stats.rejected == {"other uses": 1}
    assert stats.seconds > 0
