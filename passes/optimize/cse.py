"""Common subexpression elimination by global value numbering: equal computations become one node.

::

    %2 = add(%0, %1)                            %2 = add(%0, %1)
    %3 = add(%1, %0)                      ->    %4 = mul(%2, %2)
    %4 = mul(%2, %3)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from minigraph.core.op import Op
from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.graph import Graph, Ref, producer
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite


@graph_pass
def cse(graph: Graph, *, options: Options) -> None:
    """x + y, y + x -> x + y: equal computations become one node; keeps every bit.

    Merges nodes with the same operator, operands, attributes (compared by bits) and incoming order edges. Operands of
    commutative operators may be in either order. Nodes that write are never merged. Reads are merged only if their
    order edges put them after the same write; in a graph that keeps no effects, reads are never merged.
    """
    first_by_key: dict[Op, dict[Hashable, int]] = {op: {} for op in graph.operators() if _is_mergeable(graph, op)}
    replacements: dict[Ref, Ref] = {}  # by result of a removed node, the same result of the node that stays
    duplicates, nodes = set[int](), graph.node_map()
    for node in graph.topological():  # operands come first, so one traversal is enough
        data = nodes[node]
        firsts, old = first_by_key.get(data["op"]), data["ins"]
        ins = old if replacements.keys().isdisjoint(old) else tuple([replacements.get(ref, ref) for ref in old])
        first = node if firsts is None else firsts.setdefault(_key(graph, node, ins, replacements), node)
        if first != node and nodes[first]["types"] == data["types"] and should_rewrite(graph, "merge", node):
            duplicates.add(node)
            replacements[node] = first
            for result in range(1, len(data["types"])):
                replacements[node, result] = first, result
            for later in graph.after(node) if graph.has_order else ():
                graph.order(first, later, graph.order_kind(node, later))
        elif ins != old:
            graph.rewire(node, old, ins)
    if duplicates:
        graph.finish_replacement(replacements)
        graph.remove(duplicates)


def _is_mergeable(graph: Graph, op: Op) -> bool:
    """Whether two equal nodes of an operator can be merged."""
    is_pure = not op.effects or (graph.keep_effects and not op.writes)
    return is_pure and op.role in ("compute", "depend", "const") and op.family != "region"


def _key(graph: Graph, node: int, ins: tuple[Ref, ...], replacements: Mapping[Ref, Ref]) -> Hashable:
    """The hash key that is equal for two nodes of one operator that compute the same from the operands ``ins``."""
    attrs = graph.attrs(node)
    if graph.op(node).commutative and _should_swap(ins[0], ins[1]):
        ins = (ins[1], ins[0], *ins[2:])
    sources = graph.before(node) if graph.has_order else ()
    if sources:
        edges = {(producer(replacements.get(source, source)), graph.order_kind(source, node)) for source in sources}
        return ins, exact_attrs_key(attrs), tuple(sorted(edges))
    return (ins, exact_attrs_key(attrs)) if attrs else ins


def _should_swap(first: Ref, second: Ref) -> bool:
    """Whether two operands are not in canonical order: first results (ids of nodes), then others (pairs)."""
    if type(first) is type(second):
        return second < first  # type: ignore[operator]
    return not isinstance(first, int)
