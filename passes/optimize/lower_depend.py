"""Lowers ``depend`` nodes to order edges, so that patterns match through them.

::

    %2 = print(%0)                              %2 = print(%0)
    %3 = depend(%1, %2)                   ->    %4 = add(%1, %0) after %2(depend)
    %4 = add(%3, %0)
"""

from __future__ import annotations

from collections.abc import Mapping

from minigraph.ir.graph import Graph, Ref, producer
from passes.core.registry import Options, graph_pass

Values = Mapping[int, Ref]  # depend node -> the value it passes through, which is not a depend


@graph_pass
def lower_depend(graph: Graph, *, options: Options) -> None:
    """depend(v, e) + 1 -> v + 1 after e: depends become order edges, so that patterns match through them.

    Every consumer of a depend takes the value itself and gets order edges from everything that the depend waited for.
    A depend that is an output stays, with order edges, because it has no consumer to order. Chains of depends resolve
    to one set of edges on the last consumer. Leaves exist before the graph runs, so nothing waits for them.
    """
    values: dict[int, Ref] = {}
    has_depends = any(op.role == "depend" for op in graph.operators())
    for node in graph.topological() if has_depends else ():
        if graph.op(node).role == "depend":
            values[node] = _resolve(values, graph.ins(node)[0])
    for node in values:
        _order_consumers(graph, node, values)
    kept_nodes = {node for node in values if graph.is_out(node) and graph.before(node)}
    if set(values) - kept_nodes or any(graph.users(node) for node in kept_nodes):
        _replace(graph, values, kept_nodes)
    for node in kept_nodes:
        if len(graph.ins(node)) > 1:
            graph.set_operands(node, graph.ins(node)[:1])


def _order_consumers(graph: Graph, node: int, values: Values) -> None:
    users = [user for user in graph.users(node) if user not in values]
    later = [last for last in graph.after(node) if last not in values]
    targets = [*users, *later, *([node] if graph.is_out(node) else [])]
    awaited = _awaited_nodes(graph, node, values) if targets else {}
    for target in targets:
        for first, kind in awaited.items():
            graph.order(first, target, kind)
    source = producer(values[node])
    for last in later if not graph.op(source).is_leaf else ():
        graph.order(source, last, graph.order_kind(node, last))


def _awaited_nodes(graph: Graph, node: int, values: Values) -> dict[int, str]:
    """The nodes that must run before a consumer of ``node``, through chains of depends, with the kind of order edge."""
    awaited: dict[int, str] = {}
    stack, seen = [node], {node}
    while stack:
        depend = stack.pop()
        value, *extra = map(producer, graph.ins(depend))
        kinds = {first: graph.order_kind(first, depend) for first in graph.before(depend)}
        for first, kind in (kinds | dict.fromkeys(extra, "depend")).items():
            source = producer(_resolve(values, first))
            if not graph.op(source).is_leaf and awaited.get(source) != "depend":
                awaited[source] = kind
        chained = [k for k in (value, *extra) if k in values and k not in seen]
        seen.update(chained)
        stack += chained
    return awaited


def _replace(graph: Graph, values: Values, kept: set[int]) -> None:
    outs = [ref if producer(ref) in kept else _resolve(values, ref) for ref in graph.outs]
    mapping: dict[Ref, Ref] = {node: value for node, value in values.items()}  # noqa: C416 - keys of a wider type
    graph.replace_uses(mapping)
    if graph.outs != tuple(outs):
        graph.set_outs(outs)
    graph.erase(set(values) - kept)


def _resolve(values: Values, ref: Ref) -> Ref:
    """The value that a depend passes through; any other reference itself."""
    return values.get(ref, ref) if isinstance(ref, int) else ref
