"""Snapshots restore nodes, edges, order, outputs, source lines and journal."""

import random

import pytest

from minigraph import Graph, op_named
from minigraph.core.location import Loc
from minigraph.ir.outline import outline, set_regions
from minigraph.ir.snapshot import RestorableSnapshot, Snapshot
from minigraph.ir.text import parse, to_text
from minigraph.ir.verify import verify

TEXT = """graph f(%0, %1)
  %0 = input() {name="x"} : f32[2]
  %1 = input() {name="y"} : f32[2]
  %2 = add(%0, %1) : f32[2]  # net.py:3
  %3 = exp(%2) : f32[2]  # net.py:4
  %4 = split(%3) {axis=0, sizes=(1, 1)} : f32[1], f32[1]  # net.py:5
  %5 = add(%4.1, %4) : f32[1]  # net.py:6
  %6 = tanh(%5) : f32[1] after %2(depend)  # net.py:7
  return %6, %2, %6"""


def edges(graph: Graph) -> set[tuple[int, int, str, str]]:
    """Every edge with its key and data."""
    return {(u, v, str(key), str(sorted(data.items()))) for u, v, key, data in graph.edges(keys=True, data=True)}


def state(graph: Graph) -> tuple[object, ...]:
    """The whole state of a graph."""
    provs = [(node, graph.prov(node)) for node in graph]
    fields = tuple(graph.inputs), graph.outs, graph.next_id, graph.has_order, dict(graph._out_uses)
    return to_text(graph), edges(graph), provs, fields, list(graph.journal or ())


def spoil(graph: Graph, rng: random.Random) -> None:
    """A few edits of every kind."""
    new = graph.emit(op_named("neg"), (2,), loc=(Loc("net.py", 9),))
    graph.replace_uses({2: new}, keep=(new,))
    graph.order(0, 3, "effect")
    graph.set_operands(5, (4, 4))
    graph.replace_node(6, graph.emit(op_named("exp"), (5,)))
    graph.discard(6)
    fused = outline(graph, [new, 3])
    set_regions(graph, fused, (graph.regions(fused)[0].clone(),))  # type: ignore[attr-defined]
    for node in rng.sample([node for node in graph if len(graph.types(node)) == 1], 2):
        graph.set_outs([*graph.outs, node])
    graph.inputs.reverse()


@pytest.mark.parametrize("seed", range(5))
def test_a_graph_is_restored(seed: int) -> None:
    graph, rng = parse(TEXT), random.Random(seed)
    graph.journal, graph.by = [], "mine"
    graph.set_operands(2, (1, 0))
    initial, before = state(graph), RestorableSnapshot(graph)
    for _ in range(2):  # once more from the same memory
        spoil(graph, rng)
        assert state(graph) != initial
        before.restore()
        assert state(graph) == initial
        verify(graph)


@pytest.mark.parametrize("seed", range(5))
def test_a_snapshot_is_copied_after_any_edits(seed: int) -> None:
    graph = parse(TEXT)
    graph.keep_effects = False
    initial, snapshot = state(graph), Snapshot(graph)
    spoil(graph, random.Random(seed))
    graph.emit(op_named("exp"), (0,))
    spoiled = state(graph)
    again = snapshot.graph
    verify(again)
    assert state(again) == initial and not again.keep_effects and again is snapshot.graph
    spoil(again, random.Random(seed))
    assert state(graph) == spoiled, "they share nothing that edits change"


def test_a_restored_graph_has_no_order_or_journal_if_it_had_none_and_shares_attributes() -> None:
    graph = parse(TEXT.replace(" after %2(depend)", ""))
    initial, before, attrs = state(graph), RestorableSnapshot(graph), graph.attrs(4)
    graph.order(0, 6)
    graph.set_operands(5, (4, 4))
    before.restore()
    assert state(graph) == initial and not graph.has_order and graph.journal is None
    assert graph.attrs(4) is attrs
