"""The graph for networkx: every reader and algorithm works, no mutator does."""

import copy
import json
import pickle

import networkx as nx
import pytest

from minigraph.core.errors import GraphError
from minigraph.core.op import TABLE
from minigraph.ir.compare import equal
from minigraph.ir.graph import Graph
from minigraph.ir.text import parse
from minigraph.ir.verify import verify

ADD = TABLE["add"]
TEXT = """graph f(%0, %1)
  %0 = input() {name="x"} : f32[2]
  %1 = input() {name="y"} : f32[2]
  %2 = add(%0, %1) : f32[2]  # net.py:3
  %3 = neg(%2) : f32[2]  # net.py:4
  return %3
"""


@pytest.fixture
def graph() -> Graph:
    return parse(TEXT)


MUTATORS = {
    "add_node": (7,), "add_nodes_from": ([7],), "add_edge": (0, 3), "add_edges_from": ([(0, 3)],), "remove_node": (3,),
    "remove_nodes_from": ([3],), "remove_edge": (2, 3), "remove_edges_from": ([(2, 3)],), "clear": (),
    "clear_edges": (), "update": ([(0, 3)],), "add_weighted_edges_from": ([(0, 3, 1)],),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTATORS)
def test_networkx_mutators_are_locked(graph: Graph, name: str) -> None:
    before = str(graph)
    with pytest.raises(GraphError, match=f"graph.{name}: raw networkx mutation"):
        getattr(graph, name)(*MUTATORS[name])
    assert str(graph) == before
    with graph.unsafe():
        getattr(graph, name)(*MUTATORS[name])
    assert graph.locked


def test_unsafe_blocks_nest_and_close_on_an_error(graph: Graph) -> None:
    with pytest.raises(KeyError), graph.unsafe():
        with graph.unsafe():
            pass
        graph.add_node("free")
        graph.remove_node("free")
        raise KeyError
    with pytest.raises(GraphError):
        graph.add_node("locked")


def test_networkx_readers_see_data_and_order_edges(graph: Graph) -> None:
    graph.order(0, 3)
    assert nx.is_directed_acyclic_graph(graph)
    assert list(nx.topological_sort(graph)) == graph.topological() == [0, 1, 2, 3]
    assert nx.descendants(graph, 0) == {2, 3} and nx.ancestors(graph, 3) == {0, 1, 2}
    assert nx.dag_longest_path(graph) == [0, 2, 3]
    assert dict(graph.in_degree()) == {0: 0, 1: 0, 2: 2, 3: 2}
    assert graph.number_of_edges() == 4 and graph.order() == 4 and graph.nodes[2]["op"] is ADD
    assert [set(layer) for layer in nx.topological_generations(graph)] == [{0, 1}, {2}, {3}]
    assert nx.is_isomorphic(graph, graph.clone())


DERIVED = {
    "copy": lambda g: g.copy(), "reverse": lambda g: g.reverse(), "to_undirected": lambda g: g.to_undirected(),
    "to_directed": lambda g: g.to_directed(), "subgraph": lambda g: g.subgraph([0, 2, 3]).copy(),
    "edge_subgraph": lambda g: g.edge_subgraph([(0, 2, 0)]).copy(), "closure": nx.transitive_closure,
    "ego": lambda g: nx.ego_graph(g, 0), "contracted": lambda g: nx.contracted_nodes(g, 2, 3),
    "relabelled": lambda g: nx.relabel_nodes(g, {0: "x"}), "integers": nx.convert_node_labels_to_integers,
    "composed": lambda g: nx.compose(g, g), "empty": nx.create_empty_copy, "condensed": nx.condensation,
}  # fmt: skip


@pytest.mark.parametrize("name", DERIVED)
def test_graphs_that_networkx_derives_are_mutable(graph: Graph, name: str) -> None:
    before = graph.clone()
    derived = DERIVED[name](graph)
    derived.add_edge("new", "nodes")
    derived.remove_node("nodes")
    assert len(derived) >= 3 and equal(graph, before)


def test_derived_graphs_have_the_right_edges_and_networkx_writes_it_as_json(graph: Graph) -> None:
    assert set(graph.reverse().successors(3)) == {2}
    assert set(nx.transitive_closure(graph).edges()) == {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert sorted(graph.subgraph([0, 2]).copy().edges(keys=True)) == [(0, 2, 0)]
    assert graph.to_undirected().has_edge(3, 2)
    written = json.loads(json.dumps(nx.cytoscape_data(graph), default=str))["elements"]  # alike in all versions
    assert [node["data"]["op"] for node in written["nodes"]] == ["input", "input", "add", "neg"]
    edges = [(edge["data"]["source"], edge["data"]["target"], edge["data"]["key"]) for edge in written["edges"]]
    assert edges == [(0, 2, 0), (1, 2, 1), (2, 3, 0)]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda graph: pickle.loads(pickle.dumps(graph))])
def test_deep_copies_and_pickles_are_equal_and_locked(graph: Graph, duplicate) -> None:
    clone = duplicate(graph)
    assert equal(clone, graph) and clone.op(2) is ADD
    with pytest.raises(GraphError):
        clone.add_node(7)
    verify(clone)
