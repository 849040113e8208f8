"""Removes explicit broadcasts in front of elementwise operators, which broadcast implicitly.

::

    %2 = broadcast_to(%1) {shape=(2, 3)}        ->    %3 = add(%0, %1)
    %3 = add(%0, %2)

If another operand has the shape of the result, numpy broadcasts the smaller operand itself, and it is faster on a
scalar than on a view of stride 0. Every element combines the same operands, so the pass keeps every bit.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.views import BROADCAST_TO
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite


@graph_pass
def drop_broadcasts(graph: Graph, *, options: Options) -> None:
    """f(x, broadcast_to(y)) -> f(x, y): elementwise operators broadcast implicitly; keeps every bit."""
    broadcasts = [node for node in graph.topological() if graph.op(node) is BROADCAST_TO]
    users = dict.fromkeys(user for node in broadcasts for user in graph.users(node))
    for node in users:
        if _has_full_operand(graph, node) and should_rewrite(graph, "drop", node):
            graph.set_operands(node, [_broadcast_source(graph, ref) for ref in graph.ins(node)])
            options.tally["drop"].rewrites += 1
    for node in reversed(broadcasts):
        if not (graph.users(node) or graph.is_out(node) or graph.before(node) or graph.after(node)):
            graph.erase([node])


def _has_full_operand(graph: Graph, node: int) -> bool:
    """Whether a node is elementwise, and an operand that is no broadcast has the shape of its result."""
    if graph.op(node).family != "elementwise" or graph.op(node).effects:
        return False
    shape = graph.types(node)[0].shape
    whole = (ref for ref in graph.ins(node) if graph.type(ref).shape == shape)
    return any(graph.op(producer(ref)) is not BROADCAST_TO for ref in whole)


def _broadcast_source(graph: Graph, ref: Ref) -> Ref:
    """The operand under one or more broadcasts; any other value itself."""
    while graph.op(producer(ref)) is BROADCAST_TO:
        (ref,) = graph.ins(producer(ref))
    return ref
