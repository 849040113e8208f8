"""``depend`` nodes become order edges, so that patterns see straight through them.

::

    %2 = print(%0)                              %2 = print(%0)
    %3 = depend(%1, %2)                   ->    %4 = add(%1, %0) after %2(depend)
    %4 = add(%3, %0)
"""

from __future__ import annotations

from collections.abc import Mapping

from minigraph.ir.graph import Graph, Ref, producer
from passes.core.registry import Options, graph_pass

Values = Mapping[int, Ref]  # depend node -> the value it hands on, which is no depend's


@graph_pass
def lower_depend(graph: Graph, *, options: Options) -> None:
    """depend(v, e) + 1 -> v + 1 after e: depends become order edges, so that patterns see through them.

    Every consumer of a depend's value gets the value itself, behind all that the depend waited for.
    A depend that is an output keeps its node, now with order edges: it has no other consumer to wait.
    Chains resolve to one set of edges on the last consumer. Leaves are there from the start, so nothing
    waits for them.
    """
    values: dict[int, Ref] = {}
    waiting = any(op.role == "depend" for op in graph.operators())
    for node in graph.topological() if waiting else ():
        if graph.op(node).role == "depend":
            values[node] = _resolve(values, graph.ins(node)[0])
    for node in values:
        _order_consumers(graph, node, values)
    kept = {node for node in values if graph.is_out(node) and graph.before(node)}
    if set(values) - kept or any(graph.users(node) for node in kept):
        _replace(graph, values, kept)
    for node in kept:
        if len(graph.ins(node)) > 1:
            graph.set_operands(node, graph.ins(node)[:1])


def _order_consumers(graph: Graph, node: int, values: Values) -> None:
    users = [user for user in graph.users(node) if user not in values]
    later = [last for last in graph.after(node) if last not in values]
    targets = [*users, *later, *([node] if graph.is_out(node) else [])]
    waited = _awaited_nodes(graph, node, values) if targets else {}
    for target in targets:
        for first, kind in waited.items():
            graph.order(first, target, kind)
    made_by = producer(values[node])
    for last in later if not graph.op(made_by).is_leaf else ():
        graph.order(made_by, last, graph.order_kind(node, last))


def _awaited_nodes(graph: Graph, node: int, values: Values) -> dict[int, str]:
    """What must run before a consumer of ``node``, through all the depends behind it, and by which kind of edge."""
    found: dict[int, str] = {}
    stack, seen = [node], {node}
    while stack:
        handle = stack.pop()
        value, *extra = map(producer, graph.ins(handle))
        kinds = {first: graph.order_kind(first, handle) for first in graph.before(handle)}
        for first, kind in (kinds | dict.fromkeys(extra, "depend")).items():
            made_by = producer(_resolve(values, first))
            if not graph.op(made_by).is_leaf and found.get(made_by) != "depend":
                found[made_by] = kind
        behind = [k for k in (value, *extra) if k in values and k not in seen]
        seen.update(behind)
        stack += behind
    return found


def _replace(graph: Graph, values: Values, kept: set[int]) -> None:
    outs = [ref if producer(ref) in kept else _resolve(values, ref) for ref in graph.outs]
    mapping: dict[Ref, Ref] = {node: value for node, value in values.items()}  # noqa: C416 - keys of a wider type
    graph.replace_uses(mapping)
    if graph.outs != tuple(outs):
        graph.set_outs(outs)
    graph.erase(set(values) - kept)


def _resolve(values: Values, ref: Ref) -> Ref:
    """The value itself, when a reference is to a depend."""
    return values.get(ref, ref) if isinstance(ref, int) else ref
