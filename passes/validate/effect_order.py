"""The partial order of effects that every pass must preserve.

Two nodes with effects are ordered if they access one resource and one of them writes it, or if a path of ``depend``
or order edges connects them. A path of operands alone does not guarantee this: a pass that replaces ``x - x`` by 0
may remove it.
"""

from __future__ import annotations

from collections.abc import Iterable

from minigraph.ir.graph import Graph, producer
from minigraph.ir.verify import resource_accesses

Pair = tuple[int, int]


def ordered_pairs(graph: Graph) -> set[Pair]:
    """Every (first, last) pair of nodes with effects such that the first has to run before the last."""
    pairs = {(first, last) for last, firsts in _declared_order(graph).items() for first in firsts}
    position = {node: k for k, node in enumerate(graph.topological())}
    for accesses in resource_accesses(graph, position).values() if graph.keep_effects else ():
        for k, (last, writes) in enumerate(accesses):
            pairs.update((first, last) for first, wrote in accesses[:k] if wrote or writes)
    return {(first, last) for first, last in pairs if first != last}


def _declared_order(graph: Graph) -> dict[int, set[int]]:
    """By node with effects: the nodes with effects that ``depend`` and order edges put before it."""
    before: dict[int, set[int]] = {}
    for node in graph.topological():
        nodes: set[int] = set()
        for source in graph.before(node):
            nodes |= _effect_node(graph, source) | before[source]
        depends = graph.op(node).role == "depend"
        for position, source in enumerate(map(producer, graph.ins(node))):
            if depends and position:
                nodes |= _effect_node(graph, source) | before[source]
            elif graph.op(source).role == "depend":
                nodes |= before[source]
        before[node] = nodes
    return {node: nodes for node, nodes in before.items() if _effect_node(graph, node)}


def _effect_node(graph: Graph, node: int) -> set[int]:
    return {node} if not graph.op(node).is_leaf and bool(graph.effects(node)) else set()


def lost_order(before: Graph, after: Graph) -> Pair | None:
    """A pair of nodes in both graphs that is ordered before and by no path after; ``None`` if there is none."""
    return first_lost_order(ordered_pairs(before), after)


def first_lost_order(pairs: Iterable[Pair], after: Graph) -> Pair | None:
    """The first pair that no path orders; ``None`` if all pairs are ordered.

    Pairs with a removed node are ignored: whether an effect may be removed is checked elsewhere.
    """
    pairs = [(first, last) for first, last in sorted(pairs) if first in after and last in after]
    reaching = _reaching_nodes(after, {first for first, _ in pairs}) if pairs else {}
    return next(((first, last) for first, last in pairs if first not in reaching[last]), None)


def _reaching_nodes(graph: Graph, firsts: set[int]) -> dict[int, set[int]]:
    """By node: the nodes of ``firsts`` from which a path leads to it."""
    reaching: dict[int, set[int]] = {}
    for node in graph.topological():
        nodes: set[int] = set()
        for source in graph.predecessors(node):
            nodes |= reaching[source] | ({source} & firsts)
        reaching[node] = nodes
    return reaching
