"""Common subexpression elimination: the same computation once.

::

    %2 = add(%0, %1)                            %2 = add(%0, %1)
    %3 = add(%1, %0)                      ->    %4 = mul(%2, %2)
    %4 = mul(%2, %3)
"""

from __future__ import annotations

from collections.abc import Hashable

from minigraph.ir.graph import Graph, Ref, reference
from minigraph.ir.values import exact_attrs
from passes.pipelines.registry import Options, graph_pass
from passes.rules.gate import permitted


@graph_pass
def cse(graph: Graph, *, options: Options) -> None:
    """x + y, y + x -> x + y: the same computation once; keeps every bit.

    Merges nodes of the same operator, operands, attributes (to the bit) and incoming order edges.
    Operands of commutative operators may stand in either order. Nodes that write are never merged; reads
    only behind the same write, which the order edges tell, so not at all in a graph that keeps no effects.
    """
    first_of: dict[Hashable, int] = {}
    twin: dict[int, int] = {}
    for node in graph.topological():
        if _mergeable(graph, node):
            kept = first_of.setdefault(_key(graph, node, twin), node)
            if kept != node and permitted(graph, "merge", node):
                twin[node] = kept
                for last in graph.after(node):
                    graph.order(kept, last, graph.order_kind(node, last))
    if twin:
        results = [(node, r) for node in twin for r in range(len(graph.types(node)))]
        graph.replace_uses({reference(node, r): reference(twin[node], r) for node, r in results})
        graph.erase(twin)


def _mergeable(graph: Graph, node: int) -> bool:
    data = graph._node[node]
    op = data["op"]
    if op.role not in ("compute", "depend", "const") or data["regions"]:
        return False
    return not op.effects or (graph.keep_effects and not op.writes)


def _key(graph: Graph, node: int, twin: dict[int, int]) -> Hashable:
    data = graph._node[node]
    op, ins = data["op"], data["ins"]
    if twin:
        ins = tuple([twin.get(ref, ref) if ref.__class__ is int else _of_twin(ref, twin) for ref in ins])
    if op.commutative and ins[0] != ins[1] and _place(ins[1]) < _place(ins[0]):
        ins = (ins[1], ins[0], *ins[2:])
    before: tuple[tuple[int, str], ...] = ()
    if graph.has_order and sum(map(len, graph._pred[node].values())) != len(ins):
        before = tuple(sorted({(twin.get(k, k), graph.order_kind(k, node)) for k in graph.before(node)}))
    return op, ins, exact_attrs(data["attrs"]), before


def _place(ref: Ref) -> tuple[int, int]:
    return (ref, 0) if isinstance(ref, int) else ref


def _of_twin(ref: tuple[int, int], twin: dict[int, int]) -> Ref:
    return reference(twin.get(ref[0], ref[0]), ref[1])
