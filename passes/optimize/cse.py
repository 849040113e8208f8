"""Common subexpression elimination by global value numbering: equal computations become one node.

::

    %2 = add(%0, %1)                            %2 = add(%0, %1)
    %3 = add(%1, %0)                      ->    %4 = mul(%2, %2)
    %4 = mul(%2, %3)
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from minigraph.core.op import Op
from minigraph.ir.attribute_values import exact_attrs_key
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
    first_of: dict[Op, dict[Hashable, int]] = {op: {} for op in graph.operators() if _is_mergeable(graph, op)}
    replacement: dict[Ref, Ref] = {}
    duplicates, data_of, same = set(), graph.node_map(), replacement.get
    for node in graph.topological():  # operands come first, so one sweep is enough
        data = data_of[node]
        known, old = first_of.get(data["op"]), data["ins"]
        ins = old if replacement.keys().isdisjoint(old) else tuple([same(ref, ref) for ref in old])
        kept = node if known is None else known.setdefault(_key(graph, node, data, ins, replacement), node)
        if kept != node and data_of[kept]["types"] == data["types"] and should_rewrite(graph, "merge", node):
            duplicates.add(node)
            replacement[node] = kept
            for r in range(1, len(data["types"])):
                replacement[node, r] = kept, r
            for last in graph.after(node) if graph.has_order else ():
                graph.order(kept, last, graph.order_kind(node, last))
        elif ins != old:
            graph.rewire(node, old, ins)
    if duplicates:
        graph.finish_replacement(replacement)
        graph.remove(duplicates)


def _is_mergeable(graph: Graph, op: Op) -> bool:
    """Whether two equal nodes of an operator can be merged."""
    pure = not op.effects or (graph.keep_effects and not op.writes)
    return pure and op.role in ("compute", "depend", "const") and op.family != "region"


def _key(
    graph: Graph, node: int, data: Mapping[str, Any], ins: tuple[Ref, ...], replacement: Mapping[Ref, Ref]
) -> Hashable:
    """The hash key that is equal for two nodes of one operator that compute the same."""
    op, attrs = data["op"], data["attrs"]
    if op.commutative and _should_swap(ins[0], ins[1]):
        ins = (ins[1], ins[0], *ins[2:])
    firsts = graph.before(node) if graph.has_order else ()
    if firsts:
        same = replacement.get
        before = sorted({(producer(same(k, k)), graph.order_kind(k, node)) for k in firsts})
        return ins, exact_attrs_key(attrs), tuple(before)
    return (ins, exact_attrs_key(attrs)) if attrs else ins


def _should_swap(first: Ref, second: Ref) -> bool:
    """Whether two operands are out of canonical order: first results before others, then by number."""
    if first.__class__ is second.__class__:
        return second < first  # type: ignore[operator]
    return first.__class__ is not int
