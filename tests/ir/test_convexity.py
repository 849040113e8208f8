"""Convexity of sets of nodes: the fast check agrees with reachability."""

import random

import networkx as nx
import pytest

from minigraph import Graph, op_named
from minigraph.core.types import TensorType, float32
from minigraph.ir.convexity import TopologicalPositions, find_reentry
from minigraph.ir.structural_ops import INPUT

ADD = op_named("add")


def random_graph(seed: int) -> Graph:
    """An input, and twenty sums of earlier nodes."""
    graph, rng = Graph(), random.Random(seed)
    graph.inputs.append(graph.emit(INPUT, (), {"name": "x"}, [TensorType((2,), float32)]))
    for node in range(1, 21):
        graph.emit(ADD, (rng.randrange(max(0, node - 6), node), rng.randrange(node)))
    return graph


def nodes_between(graph: Graph, chosen: set[int]) -> set[int]:
    """The outside nodes that are both after and before chosen ones."""
    after = {node for start in chosen for node in nx.descendants(graph, start)}
    before = {node for end in chosen for node in nx.ancestors(graph, end)}
    return (after & before) - chosen


@pytest.mark.parametrize("seed", range(20))
def test_a_set_is_convex_if_no_node_is_between(seed: int) -> None:
    graph, rng = random_graph(seed), random.Random(seed)
    positions = TopologicalPositions(graph)
    for count in (1, 2, 2, 3, 5):
        chosen = set(rng.sample(range(1, 21), count))
        path, outside = find_reentry(graph, chosen), nodes_between(graph, chosen)
        assert path in outside if outside else path is None
        assert (positions.find_reentry(chosen) is None) == (path is None)


def test_order_edges_are_paths_too_and_positions_stay_valid_while_nodes_are_replaced() -> None:
    graph = random_graph(1)
    positions, chosen = TopologicalPositions(graph), {3, 9, 15}
    before = positions.find_reentry(chosen)
    graph.replace_node(20, graph.emit(ADD, (18, 19)))
    assert positions.find_reentry(chosen) == before == find_reentry(graph, chosen)
    first, last = graph.emit(ADD, (0, 0)), graph.emit(ADD, (0, 0))
    middle = graph.emit(ADD, (first, first))
    assert find_reentry(graph, {first, last}) is None
    graph.order(middle, last)
    assert find_reentry(graph, {first, last}) == middle
