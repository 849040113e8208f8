"""Readers of a graph: users, order, effects, work, and its text and picture."""

import random

import networkx as nx
import pytest

import minigraph.core.context
import minigraph.ir.graph_reader
from minigraph.core.errors import GraphError, UnknownNameError
from minigraph.core.op import TABLE, Effect
from minigraph.core.types import TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import Ref, producer, ref_text, reference, result_index
from minigraph.ir.outline import outline
from minigraph.ir.structural_ops import INPUT
from minigraph.ir.text import parse, to_text
from tests.tables import results

TEXT = """graph f(%0) {params=("w",)}
  %0 = input() {name="x"} : f32[4]
  %1 = parameter() {name="w"} : f32[4]
  %2 = split(%0) {axis=0, sizes=(2, 2)} : f32[2], f32[2]
  %3 = add(%2, %2.1) : f32[2]
  %4 = add(%3, %3) : f32[2] after %2(depend)
  %5 = assign(%1, %0) {name="w"} : f32[4] after %4(effect)
  return %3, %3, %2.1
"""


def test_users_types_order_effects_and_maps() -> None:
    graph = parse(TEXT)
    assert graph.users(0) == [2, 5] and graph.users(2) == [3] and graph.users(5) == []
    assert [graph.use_count(node) for node in range(6)] == [2, 1, 3, 4, 0, 0]
    assert [node for node in graph if graph.is_out(node)] == [2, 3]
    assert str(graph.type((2, 1))) == "f32[2]" and len(graph.types(2)) == 2
    assert (graph.before(4), graph.after(2), graph.after(4)) == ([2], [4], [5])
    assert (graph.order_kind(2, 4), graph.order_kind(4, 5), graph.order_kind(3, 4)) == ("depend", "effect", "")
    assert graph.effects(5) == (Effect("write", "w"),) and graph.effects(1) == (Effect("read", "w"),)
    assert graph.effects(3) == ()
    assert graph.node_map() == dict(graph.nodes.items()), "the maps say what networkx says"
    assert {node: dict(graph.pred[node]) for node in graph} == graph.pred_map()
    assert {node: dict(graph.succ[node]) for node in graph} == graph.succ_map()
    assert graph.pred_map()[4] == {2: {("o", 0): {"kind": "depend"}}, 3: {k: {"kind": "data"} for k in (0, 1)}}


test_references_to_missing_values_are_reported = results(
    lambda refs: parse(TEXT).invalid_reference(refs),
    ([], ""),
    ([0, 2, (2, 1), 5], ""),
    ([0, 9, 10], "%9 is not in graph 'f'"),
    ([(9, 1)], "%9 is not in graph 'f'"),
    ([(2, 2)], "%2 = split has no result 2"),
    ([(2, -1)], "%2 = split has no result -1"),
)


@pytest.mark.parametrize(("ref", "text"), [(7, "%7"), ((7, 1), "%7.1")])
def test_references_as_text(ref: Ref, text: str) -> None:
    assert ref_text(ref) == text
    assert reference(producer(ref), result_index(ref)) == ref


def test_nodes_with_effects_are_listed_and_shared_bodies_examined_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = parse(TEXT)
    nodes_with_effects = [node for node in graph if graph.effects(node) and not graph.op(node).is_leaf]
    assert dict(graph.nodes_with_effects()) == {node: graph.effects(node) for node in nodes_with_effects}
    fused = graph.emit(TABLE["fused"], (0,), {"name": "f"}, [graph.type(0)], regions=(parse(TEXT),))
    for _ in range(5):
        graph.emit(TABLE["fused"], (0,), {"name": "f"}, [graph.type(0)], regions=graph.regions(fused))  # type: ignore[arg-type]
    queries: list[int] = []
    original = Graph.effects
    monkeypatch.setattr(Graph, "effects", lambda self, node: queries.append(node) or original(self, node))
    effects = dict(graph.nodes_with_effects())
    assert effects[fused + 5] == effects[fused] == original(graph, fused)
    assert queries.count(fused) == 1 and not {*range(fused + 1, fused + 6)}.intersection(queries)


def test_work_of_a_fused_node_is_its_bodys_without_the_traffic_inside() -> None:
    graph = parse("graph f(%0)\n%0 = input() : f32[8]\n%1 = neg(%0) : f32[8]\n%2 = neg(%1) : f32[8]\nreturn %2")
    work_by_node = [graph.work(node) for node in (1, 2)]
    work = graph.work(outline(graph, [1, 2]))
    assert work.lanes == (work_by_node[0] + work_by_node[1]).lanes
    assert (work.read, work.written) == (32, 32)


def test_topological_order_is_by_id_where_it_can_be() -> None:
    graph = parse("graph f(%0)\n%0 = input() : f32[2]\nreturn %0")
    for _ in range(5):
        graph.emit(TABLE["neg"], (0,))
    late = graph.emit(TABLE["exp"], (0,))
    graph.set_operands(2, (late,))
    assert graph.topological() == [0, 1, 3, 4, 5, late, 2]
    assert graph.topological_of({2, 4, late}) == [4, late, 2]


def add_node(graph: Graph) -> int:
    """A new node, with the largest id."""
    return graph.emit(TABLE["exp"], (0,))


def by_hand(graph: Graph) -> None:
    """An edge added without the primitives."""
    node = add_node(graph)
    with graph.unsafe():
        graph.add_edge(node, 1, ("o", 0), kind="depend")


NEWER_PREDECESSOR = {
    "operands": lambda g: g.set_operands(1, (add_node(g),)),
    "second operand": lambda g: g.set_operands(2, (0, add_node(g))),
    "uses": lambda g: g.replace_uses({1: add_node(g)}),
    "supersede": lambda g: g.replace_node(1, add_node(g)),
    "order": lambda g: g.order(add_node(g), 1),
    "by hand": by_hand,
}


@pytest.mark.parametrize("edit", NEWER_PREDECESSOR.values(), ids=NEWER_PREDECESSOR)
def test_ids_are_not_a_topological_order_once_a_node_needs_a_newer_one(edit) -> None:
    graph = parse("graph f(%0)\n%0 = input() : f32[2]\n%1 = neg(%0) : f32[2]\n%2 = add(%1, %0) : f32[2]\nreturn %2")
    assert graph.has_topological_ids and graph.topological() == [0, 1, 2]
    edit(graph)
    for copy in (graph, graph.clone(), parse(to_text(graph)), graph.subgraph(list(graph))):
        position = {node: k for k, node in enumerate(copy.topological())}
        assert list(position) != sorted(position) and all(position[u] < position[v] for u, v in copy.edges())


@pytest.mark.parametrize("seed", range(10))
def test_topological_order_puts_every_source_first(seed: int) -> None:
    rng = random.Random(seed)
    graph = parse("graph f(%0)\n%0 = input() : f32[2]\nreturn %0")
    for _ in range(60):
        graph.emit(TABLE["neg"], (rng.randrange(graph.next_id),))
    for _ in range(30):
        first, second = rng.sample(range(1, 60), 2)
        if second not in {first, *nx.ancestors(graph, first)}:
            graph.order(first, second)
    order = graph.topological()
    position = {node: k for k, node in enumerate(order)}
    assert len(order) == len(graph) and all(position[u] < position[v] for u, v in graph.edges())


def test_a_graph_is_displayed_and_display_never_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = parse(TEXT)
    bundle = graph._repr_mimebundle_()
    assert bundle["image/svg+xml"] == graph._repr_svg_() and "<svg" in bundle["image/svg+xml"]
    assert "%3 = add(%2, %2.1)" in bundle["text/html"]

    real = minigraph.core.context.resolve

    def resolve_without_viz(name: str) -> object:
        if name.startswith("viz"):
            raise UnknownNameError("no module 'viz'")
        return real(name)

    monkeypatch.setattr(minigraph.core.context, "resolve", resolve_without_viz)
    assert graph._repr_svg_() is None
    assert set(graph._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_a_graph_prints_its_text_markup_escaped_and_equality_stays_identity() -> None:
    graph, marked = parse(TEXT), Graph(title="<script>")
    assert str(graph) == to_text(graph) == TEXT
    clone = graph.clone()
    assert graph.same_as(clone) and graph != clone and len({graph, clone}) == 2
    marked.inputs = [marked.emit(INPUT, (), {"name": "<b>"}, [TensorType((), float32)])]
    assert "<script>" not in marked._repr_html_() and "&lt;b&gt;" in marked._repr_html_()


def test_a_cycle_is_named() -> None:
    graph = parse(TEXT)
    graph.set_operands(3, (4, 4))
    with pytest.raises(GraphError, match="graph 'f' has a cycle through %3, %4"):
        graph.topological()


def test_the_cached_order_is_invalidated_by_every_edit_and_unused_while_unsafe() -> None:
    """An order is cached until a node or an edge changes; callers get a copy of the list."""
    text = "graph f(%0)\n%0 = input() : f32[8]\n%1 = neg(%0) : f32[8]\n%2 = exp({}) : f32[8]\nreturn %2"
    graph, changed = parse(text.format("%1")), parse(text.format("%0"))
    edits = [
        lambda: graph.set_operands(1, (graph.emit(TABLE["tanh"], (0,)),)),
        lambda: graph.emit(TABLE["sin"], (2,)),
        lambda: graph.replace_uses({2: 1}, keep=(2,)),
        lambda: graph.order(2, graph.emit(TABLE["cos"], (0,))),
        lambda: outline(graph, [1, 3]),
        lambda: graph.erase([2, 4]) if not graph.after(2) else graph.order(0, 2),
    ]
    for edit in edits:
        graph.topological().clear()
        edit()
        order = graph.topological()
        assert sorted(order) == sorted(graph)
        position = {node: k for k, node in enumerate(order)}
        assert all(position[source] < position[node] for node in graph for source in graph._pred[node])
        assert graph.clone().topological() == order == graph.topological()
    with changed.unsafe():
        assert changed.topological() == [0, 1, 2]
        changed.add_edge(2, 1, ("o", 0), kind="depend")
        assert changed.topological() == [0, 2, 1]
    assert changed.topological() == [0, 2, 1]
