"""Edges mirror operands after every edit, and shared dicts of edges are never changed."""

import random

import networkx as nx
import pytest

from minigraph import Graph, op_named
from minigraph.core.errors import GraphError
from minigraph.core.types import TensorType, float32
from minigraph.ir.edges import DATA_EDGE, SHARED_EDGES, Edit, resolve_chains
from minigraph.ir.structural_ops import INPUT
from minigraph.ir.topological_sort import are_ids_topological
from minigraph.ir.verify import verify

TYPE = TensorType((2,), float32)
ADD = op_named("add")


def small_graph() -> Graph:
    """Two inputs and ten sums of earlier nodes, one of them of one value twice."""
    graph = Graph(title="small")
    for name in "xy":
        graph.inputs.append(graph.emit(INPUT, (), {"name": name}, [TYPE]))
    rng = random.Random(1)
    for node in range(2, 12):
        graph.emit(ADD, (rng.randrange(node), rng.randrange(node)) if node != 5 else (3, 3))
    graph.set_outs([11, 10, 11])
    return graph


def edges(graph: Graph) -> set[tuple[int, int, int]]:
    """Every data edge, according to networkx."""
    return {(u, v, key) for u, v, key in graph.edges(keys=True) if isinstance(key, int)}


def expected_edges(graph: Graph) -> set[tuple[int, int, int]]:
    """Every data edge, according to the operands."""
    return {(source, node, k) for node in graph for k, source in enumerate(graph.ins(node)) if isinstance(source, int)}


@pytest.mark.parametrize("seed", range(30))
def test_edges_mirror_operands_after_any_edits(seed: int) -> None:
    graph, rng = small_graph(), random.Random(seed)
    graph.journal = []
    for _ in range(20):
        node = rng.choice([node for node in graph if graph.ins(node)])
        before = [other for other in graph if other < node]
        edit = rng.randrange(6)
        if edit == 0:
            graph.set_operands(node, rng.choices(before, k=2))
        elif edit == 1:
            graph.replace_uses({node: rng.choice(before)})
        elif edit == 2:
            graph.order(rng.choice(before), node, rng.choice(("depend", "effect")))
        elif edit == 3:
            graph.emit(ADD, rng.choices([*before, node], k=2))
        elif edit == 4:
            graph.set_outs([node, *before[-1:]])
        elif not graph.use_count(node):
            graph.erase([node])
        assert edges(graph) == expected_edges(graph)
        verify(graph)
        assert are_ids_topological(graph._pred) or not graph.has_topological_ids
        assert graph.outs == tuple(graph._outs) and set(graph._out_uses) == set(graph.outs)
    assert [list(keys) for keys in SHARED_EDGES] == [[position] for position in range(len(SHARED_EDGES))]
    assert all(keys[position] is DATA_EDGE for position, keys in enumerate(SHARED_EDGES)) and DATA_EDGE == {
        "kind": "data"
    }


def test_a_plain_edge_shares_its_dicts_until_a_second_one_joins_it() -> None:
    graph = small_graph()
    node = next(node for node in graph if len(set(graph.ins(node))) == 2)
    source = graph.ins(node)[0]
    assert graph._pred[node][source] is graph._succ[source][node] is SHARED_EDGES[0]
    graph.order(source, node)
    assert graph._pred[node][source] is graph._succ[source][node] is not SHARED_EDGES[0]
    assert len(graph._pred[node][source]) == 2 and len(SHARED_EDGES[0]) == 1


def test_many_operands_have_edges_of_their_own() -> None:
    graph = small_graph()
    count = len(SHARED_EDGES) + 4
    sources = [graph.emit(ADD, (k % 2, 0)) for k in range(count)]
    node = graph.emit(op_named("concat"), sources, {"axis": 0})
    assert edges(graph) == expected_edges(graph) and len(graph._pred[node]) == count
    verify(graph)


def test_unsafe_edits_change_this_graph_only() -> None:
    graph, other = small_graph(), small_graph()
    with graph.unsafe():
        graph.add_edge(0, 11, ("o", 1), kind="depend")
        graph.remove_edge(*next(iter(edges(graph))))
    assert edges(other) == expected_edges(other) and all(len(keys) == 1 for keys in SHARED_EDGES)


def test_removal_journals_remaining_users_and_keeps_other_nodes() -> None:
    graph = small_graph()
    graph.set_outs([7])
    remaining = {0, 1, 7, *nx.ancestors(graph, 7)}
    graph.discard_all(set(graph) - remaining)
    assert set(graph) == remaining and edges(graph) == expected_edges(graph)
    verify(graph)
    graph = small_graph()
    graph.journal = []
    graph.discard(5)
    users = {node for node in graph if 5 in graph.ins(node)}
    assert {edit.node for edit in graph.journal if edit.verb == "operands"} == users
    assert graph.journal[-1] == Edit("erase", 5, "capture")


def test_chains_are_followed_to_their_end_and_cycles_refused() -> None:
    assert resolve_chains({}) == {} and resolve_chains({4: 4}) == {4: 4}
    assert resolve_chains({1: 2, 3: 1, 2: (5, 1)}) == {1: (5, 1), 3: (5, 1), 2: (5, 1)}
    assert resolve_chains({1: 2, 2: 2}) == {1: 2, 2: 2}
    for circle in ({1: 2, 2: 1}, {0: 1, 1: 2, 2: 3, 3: 1}):
        with pytest.raises(GraphError, match="the replacements form a cycle through %1; keep one value"):
            resolve_chains(circle)
