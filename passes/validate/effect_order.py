"""Which effects happen before which: what every pass has to keep.

Two nodes with effects are ordered when they touch one resource and one of them writes it, or when ``depend`` or
order edges lead from one to the other. What is reached by operands alone is no promise: a pass that finds
``x - x`` to be 0 may cut it.
"""

from __future__ import annotations

from collections.abc import Iterable

from minigraph.ir.graph import Graph, producer
from minigraph.ir.verify import touching

Pair = tuple[int, int]


def ordered_pairs(graph: Graph) -> set[Pair]:
    """Every (first, last) of nodes with effects of which one has to run before the other."""
    pairs = {(first, last) for last, firsts in _declared_order(graph).items() for first in firsts}
    place = {node: k for k, node in enumerate(graph.topological())}
    for nodes in touching(graph, place).values() if graph.keep_effects else ():
        for k, (last, writes) in enumerate(nodes):
            pairs.update((first, last) for first, wrote in nodes[:k] if wrote or writes)
    return {(first, last) for first, last in pairs if first != last}


def _declared_order(graph: Graph) -> dict[int, set[int]]:
    """By node with effects: the nodes with effects that depends and order edges put before it."""
    before: dict[int, set[int]] = {}
    for node in graph.topological():
        found: set[int] = set()
        for source in graph.before(node):
            found |= _effect_node(graph, source) | before[source]
        depends = graph.op(node).role == "depend"
        for position, source in enumerate(map(producer, graph.ins(node))):
            if depends and position:
                found |= _effect_node(graph, source) | before[source]
            elif graph.op(source).role == "depend":
                found |= before[source]
        before[node] = found
    return {node: found for node, found in before.items() if _effect_node(graph, node)}


def _effect_node(graph: Graph, node: int) -> set[int]:
    acts = not graph.op(node).is_leaf and bool(graph.effects(node))
    return {node} if acts else set()


def lost_pair(before: Graph, after: Graph) -> Pair | None:
    """A pair of nodes in both graphs that is ordered before and by no path after; ``None`` when none is."""
    return first_lost(ordered_pairs(before), after)


def first_lost(pairs: Iterable[Pair], after: Graph) -> Pair | None:
    """The first of some pairs that no path orders; ``None`` when all are ordered.

    Nodes that are gone are no matter here, for whether an effect may go is for others to say.
    """
    pairs = [(first, last) for first, last in sorted(pairs) if first in after and last in after]
    reached = _reaching_nodes(after, {first for first, _ in pairs}) if pairs else {}
    return next(((first, last) for first, last in pairs if first not in reached[last]), None)


def _reaching_nodes(graph: Graph, firsts: set[int]) -> dict[int, set[int]]:
    """By node: those of ``firsts`` from which a path of any edges leads to it."""
    reached: dict[int, set[int]] = {}
    for node in graph.topological():
        found: set[int] = set()
        for source in graph.predecessors(node):
            found |= reached[source]
            found |= {source} & firsts
        reached[node] = found
    return reached
