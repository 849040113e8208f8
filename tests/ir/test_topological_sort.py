"""Topological sorting."""

import random

import networkx as nx
import pytest

from minigraph.ir.topological_sort import are_ids_topological, topological_sort


def random_graph(seed: int, edges: int, rising: bool) -> nx.DiGraph:
    """Thirty nodes, with edges to larger ids, or along a shuffled order."""
    rng = random.Random(seed)
    line = list(range(30)) if rising else rng.sample(range(30), 30)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(30))
    for _ in range(edges):
        first, last = sorted(rng.sample(range(30), 2))
        graph.add_edge(line[first], line[last])
    return graph


@pytest.mark.parametrize("seed", range(8))
def test_the_order_equals_networkxs_lexicographical_order_and_increasing_ids_are_detected(seed: int) -> None:
    for graph in (random_graph(seed, 40, True), random_graph(seed, 40, False)):
        assert are_ids_topological(graph.pred) == all(first < last for first, last in graph.edges())
        assert topological_sort(set(graph), graph.pred, graph.succ) == list(nx.lexicographical_topological_sort(graph))
    assert not are_ids_topological({0: (0,)}), "a node that needs itself is not in order"


def test_only_chosen_nodes_count_and_those_on_or_behind_a_cycle_are_left_out() -> None:
    chain, cycle = nx.DiGraph([(3, 1), (1, 2), (2, 0)]), nx.DiGraph([(0, 1), (1, 2), (2, 1), (2, 3)])
    assert topological_sort({0, 1, 3}, chain.pred, chain.succ) == [0, 3, 1]
    assert topological_sort(set(cycle), cycle.pred, cycle.succ) == [0]
