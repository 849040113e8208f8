"""Matches the nodes of two separately captured graphs, so that they can be compared by node id.

Method: value numbering across the graphs (nodes with equal keys and equal operands match), then a greedy match of the
remaining nodes by key in topological order. It takes linear time; it is no minimal edit distance.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping

from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.graph import Graph, Ref, producer, reference
from minigraph.ir.graph_reader import result_index
from minigraph.ir.subgraph import structural_key

NodeKey = tuple[Hashable, ...]  # what a node computes, apart from its operands


def align(graph: Graph, like: Graph) -> Graph:
    """A copy of ``graph`` whose nodes have the ids of their matches in the graph ``like``; all others get new ids.

    Nodes that compute the same from the same operands are matched first, then, in topological order, nodes with the
    same operator, attributes and types. Source lines are ignored.
    """
    ids = _match_equal(graph, like)
    _match_similar(graph, like, ids)
    next_id = like.next_id
    copy = Graph(title=graph.title)
    for node in graph.topological():
        if node not in ids:
            ids[node], next_id = next_id, next_id + 1
        copy.next_id = ids[node]
        copy.graft(graph.op(node), _renumber(graph.ins(node), ids), graph.attrs(node), graph.types(node),
                   loc=graph.loc(node), regions=graph.regions(node))  # fmt: skip
        for predecessor in graph.before(node):
            copy.order(ids[predecessor], ids[node], graph.order_kind(predecessor, node))
    copy.next_id, copy.has_topological_ids = next_id, False  # ids follow the other graph, not the topological order
    copy.inputs, copy.params = [ids[node] for node in graph.inputs], dict(graph.params)
    copy.set_outs(_renumber(graph.outs, ids))
    return copy


def _match_equal(graph: Graph, like: Graph) -> dict[int, int]:
    """The ids of nodes that compute the same from the same operands, by value numbering from the inputs."""
    unmatched: dict[Hashable, deque[int]] = {}
    for node in like.topological():
        unmatched.setdefault((_node_key(like, node), like.ins(node)), deque()).append(node)
    ids: dict[int, int] = {}
    for node in graph.topological():
        if all(producer(ref) in ids for ref in graph.ins(node)):
            candidates = unmatched.get((_node_key(graph, node), _renumber(graph.ins(node), ids)))
            if candidates:
                ids[node] = candidates.popleft()
    return ids


def _match_similar(graph: Graph, like: Graph, ids: dict[int, int]) -> None:
    """Match remaining nodes with equal keys, in topological order; adds them to ``ids``."""
    matched = set(ids.values())
    unmatched: dict[Hashable, deque[int]] = {}
    for node in like.topological():
        if node not in matched:
            unmatched.setdefault(_node_key(like, node), deque()).append(node)
    for node in graph.topological():
        candidates = unmatched.get(_node_key(graph, node)) if node not in ids else None
        if candidates:
            ids[node] = candidates.popleft()


def _node_key(graph: Graph, node: int) -> NodeKey:
    return (
        graph.op(node),
        exact_attrs_key(graph.attrs(node)),
        graph.types(node),
        tuple(map(structural_key, graph.regions(node))),
    )


def _renumber(refs: tuple[Ref, ...], ids: Mapping[int, int]) -> tuple[Ref, ...]:
    return tuple(reference(ids[producer(ref)], result_index(ref)) for ref in refs)
