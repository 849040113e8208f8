"""Extraction of a subgraph as a graph of its own, to draw it, cost it or try rewrites on it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.graph import Graph, Ref, producer, reference
from minigraph.ir.structural_ops import INPUT


def extract_subgraph(graph: Graph, nodes: Iterable[int]) -> tuple[Graph, dict[int, int]]:
    """The subgraph of these nodes, and their new ids: operands from outside become inputs, values used outside outputs.

    One-element constants are copied. Order edges between the nodes are kept; a node that an order edge puts before an
    outside node counts as used there.

    >>> from minigraph.ir.text import parse
    >>> graph = parse('graph f(%0)\\n %0 = input() {name="x"} : f32[2]\\n %1 = exp(%0) : f32[2]\\n return %1')
    >>> part, ids = extract_subgraph(graph, [1])
    >>> len(part), part.outs == (ids[1],)
    (2, True)
    """
    members = set(nodes)
    part = Graph(title=f"{graph.title}.part")
    inner: dict[Ref, Ref] = {}
    outs: list[Ref] = []
    ids: dict[int, int] = {}
    for node in graph.topological_of(members):
        for ref in graph.ins(node):
            if ref not in inner:
                inner[ref] = _add_source(graph, ref, part)
        ins = tuple(inner[ref] for ref in graph.ins(node))
        copy = part.graft(graph.op(node), ins, graph.attrs(node), graph.types(node),
                          loc=graph.loc(node), regions=graph.regions(node))  # fmt: skip
        ids[node] = copy
        results = [(reference(node, r), reference(copy, r)) for r in range(len(graph.types(node)))]
        inner.update(results)
        for before in graph.before(node):
            if before in ids:
                part.order(ids[before], copy, graph.order_kind(before, node))
        if graph.is_out(node) or not members.issuperset(graph._succ[node]):
            outs += [result for _, result in results]
    part.set_outs(outs)
    return part, ids


def _add_source(graph: Graph, ref: Ref, part: Graph) -> int:
    source = producer(ref)
    if graph.op(source).role == "const" and graph.type(ref).size == 1:
        return part.graft(graph.op(source), (), graph.attrs(source), graph.types(source))
    part.inputs.append(part.next_id)
    return part.graft(INPUT, (), {"name": f"x{len(part.inputs) - 1}"}, (graph.type(ref),))


def structural_key(graph: Graph) -> Hashable:
    """A key that is equal for graphs with the same nodes and operands; source lines are ignored."""
    nodes = [
        (node, data["op"], data["ins"], exact_attrs_key(data["attrs"]), data["types"], tuple(map(id, data["regions"])))
        for node, data in graph._node.items()
    ]
    return tuple(nodes), graph.outs
