"""Dead-store elimination: removes assignments that are overwritten, and assignments of a Parameter's own value.

::

    %2 = assign(%0, %1) {name="w"}
    %3 = exp(%2)                                   %3 = exp(%1)
    %4 = assign(%2, %3) {name="w"}          ->     %4 = assign(%0, %3) {name="w"}

A program stores the final values of Parameters, and a read of an assigned Parameter is an operand, so only the last
assignment counts. Prints and other effects stay. The values are the same, so the pass keeps every bit.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph, Ref, producer
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite


@graph_pass
def dead_stores(graph: Graph, *, options: Options) -> None:
    """assign(w, x); assign(w, y) -> assign(w, y): removes assignments without a visible effect; keeps every bit.

    Removes assignments that a later one of the same Parameter overwrites, and those that change nothing. Only in a
    graph that keeps effects; in others, the later assignment may be dead itself.
    """
    if graph.keep_effects:
        read = _params_read_by_effects(graph)
        last: dict[str, int] = {}
        for node in graph.topological():
            if graph.op(node).stores and graph.attrs(node)["name"] not in read:
                name = graph.attrs(node)["name"]
                if name in last and graph.has_edge(last[name], node):
                    _erase(graph, last[name], options)
                last[name] = node
        for node in last.values():
            if _stores_unchanged_value(graph, node):
                _erase(graph, node, options)


def _params_read_by_effects(graph: Graph) -> set[str]:
    """Parameters that an operator other than a leaf reads as an effect, not as an operand."""
    acting = (node for node in graph if not graph.op(node).is_leaf)
    return {effect.resource for node in acting for effect in graph.effects(node) if not effect.writes}


def _stores_unchanged_value(graph: Graph, node: int) -> bool:
    """Whether the assigned value is the Parameter's own value at the start of the graph."""
    target, value = map(producer, graph.ins(node))
    if graph.op(value).role == "alias":
        value = producer(graph.ins(value)[0])
    is_same_parameter = (
        graph.op(target).role == "parameter" and graph.attrs(target)["name"] == graph.attrs(node)["name"]
    )
    return is_same_parameter and target == value


def _erase(graph: Graph, node: int, options: Options) -> None:
    """Erase an assignment: users take the assigned value, and its order edges move to its predecessors and users."""
    value = graph.ins(node)[1]
    if graph.is_out(node) and _is_leaf_or_alias(graph, value):  # a caller may write into outputs
        return
    if not should_rewrite(graph, "dead store", node):
        return
    if not graph.op(producer(value)).is_leaf:
        for last in graph.after(node):
            graph.order(producer(value), last, graph.order_kind(node, last))
    for first in graph.before(node):
        for last in {*graph.after(node), *graph.users(node)}:
            graph.order(first, last, graph.order_kind(first, node))
    for user in graph.users(node):
        if graph.op(user).stores and graph.ins(user)[0] == node:  # its target, which stays the same Parameter
            graph.set_operands(user, (graph.ins(node)[0], *graph.ins(user)[1:]))
    graph.replace_uses({node: value})
    graph.discard(node)
    options.statistics["dead store"].rewrites += 1


def _is_leaf_or_alias(graph: Graph, ref: Ref) -> bool:
    """Whether a value is a leaf's, or one that is to be assigned, which shares the leaf's memory."""
    node = producer(ref)
    if graph.op(node).role == "alias":
        return _is_leaf_or_alias(graph, graph.ins(node)[0])
    return graph.op(node).is_leaf
