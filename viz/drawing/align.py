"""Numbering one graph as another, so that two that have nothing but their structure in common can be compared."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping

from minigraph.ir.excerpt import structure
from minigraph.ir.graph import Graph, Ref, producer, reference
from minigraph.ir.reading import result_index
from minigraph.ir.values import exact_attrs

Kind = tuple[Hashable, ...]


def align(graph: Graph, like: Graph) -> Graph:
    """A copy of ``graph`` whose nodes have the ids of those in ``like`` that they correspond to; others have new ones.

    First come nodes that compute the same from the same; then, in the order of the graph, those of the same operator,
    attributes and types. Source lines do not count.
    """
    ids = _match_equal(graph, like)
    _match_similar(graph, like, ids)
    fresh = like.next_id
    twin = Graph(title=graph.title)
    for node in graph.topological():
        if node not in ids:
            ids[node], fresh = fresh, fresh + 1
        twin.next_id = ids[node]
        twin.graft(graph.op(node), _renumber(graph.ins(node), ids), graph.attrs(node), graph.types(node),
                   loc=graph.loc(node), regions=graph.regions(node))  # fmt: skip
        for before in graph.before(node):
            twin.order(ids[before], ids[node], graph.order_kind(before, node))
    twin.next_id, twin.rising = fresh, False  # ids come as they are in the other graph
    twin.inputs, twin.params = [ids[node] for node in graph.inputs], dict(graph.params)
    twin.set_outs(_renumber(graph.outs, ids))
    return twin


def _match_equal(graph: Graph, like: Graph) -> dict[int, int]:
    """Nodes that compute the same from the same, operand by operand from the inputs on."""
    known: dict[Hashable, deque[int]] = {}
    for node in like.topological():
        known.setdefault((_kind(like, node), like.ins(node)), deque()).append(node)
    ids: dict[int, int] = {}
    for node in graph.topological():
        if all(producer(ref) in ids for ref in graph.ins(node)):
            twins = known.get((_kind(graph, node), _renumber(graph.ins(node), ids)))
            if twins:
                ids[node] = twins.popleft()
    return ids


def _match_similar(graph: Graph, like: Graph, ids: dict[int, int]) -> None:
    """Add nodes of one kind, the first to the first that is left."""
    taken = set(ids.values())
    left: dict[Hashable, deque[int]] = {}
    for node in like.topological():
        if node not in taken:
            left.setdefault(_kind(like, node), deque()).append(node)
    for node in graph.topological():
        twins = left.get(_kind(graph, node)) if node not in ids else None
        if twins:
            ids[node] = twins.popleft()


def _kind(graph: Graph, node: int) -> Kind:
    return graph.op(node), exact_attrs(graph.attrs(node)), graph.types(node), tuple(map(structure, graph.regions(node)))


def _renumber(refs: tuple[Ref, ...], ids: Mapping[int, int]) -> tuple[Ref, ...]:
    return tuple(reference(ids[producer(ref)], result_index(ref)) for ref in refs)
