"""Putting matched nodes into the body of one fused node: how every fusion is made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from minigraph.errors import GraphError
from minigraph.ir.graph import Graph, Ref, producer, reference, result_index
from minigraph.ir.records import FUSED, INPUT
from minigraph.op import Attrs, Op


def outline(graph: Graph, nodes: Iterable[int], attrs: Attrs | None = None, op: Op = FUSED) -> int:
    """Replace nodes by one new node whose body they are, and return its id.

    The new node takes over their users, outputs, order edges and source lines. One-element constants are
    copied into the body. Raises ``GraphError``, with nothing changed, when a path leaves the set and comes
    back, because the result would be a cycle, and for inputs and effects, which belong to the graph itself.
    """
    chosen = set(nodes)
    wrong = graph.missing(chosen) or _unfit(graph, chosen)
    if wrong:
        raise GraphError(f"outline: {wrong}")
    returning = path_back(graph, chosen)
    if returning is not None:
        raise GraphError(f"outline: a path leaves the set and comes back through %{returning}; fuse a convex set")
    return outline_groups(graph, [(chosen, attrs or {"name": "fused"})], op)[0]


def outline_groups(graph: Graph, groups: Sequence[tuple[Iterable[int], Attrs]], op: Op = FUSED) -> list[int]:
    """Outline many disjoint sets of nodes, each with the attributes of its fused node, in one pass over their users.

    Unchecked: of each set only one node may have edges that leave the set, which makes all of them convex,
    also together; ``outline`` checks a set on its own. Returns the fused nodes in the order of ``groups``.
    """
    sets = [(set(nodes), attrs) for nodes, attrs in groups]
    gone = set(chain.from_iterable(nodes for nodes, _ in sets))
    outs = {ref for ref in graph.outs if producer(ref) in gone}
    replaced: dict[Ref, Ref] = {}
    made = [_outlined(graph, nodes, attrs, op, replaced, outs) for nodes, attrs in sets]
    graph.replace_uses(replaced, keep=gone)
    for node in sorted(gone, reverse=True):
        graph.discard(node)
    return made


def path_back(graph: Graph, chosen: set[int]) -> int | None:
    """The first outside node on a path that leaves ``chosen`` and comes back, or ``None`` (convex).

    Costs nothing when only one chosen node has successors outside.
    """
    exits = {node for node in chosen for user in graph._succ[node] if user not in chosen}
    if len(exits) <= 1 and not any(user in chosen for node in exits for user in graph._succ[node]):
        return None
    seen: set[int] = set()
    stack: list[int] = [user for node in exits for user in graph._succ[node] if user not in chosen]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        for user in graph._succ[node]:
            if user in chosen:
                return node
            stack.append(user)
    return None


def _unfit(graph: Graph, chosen: set[int]) -> str:
    """Why these nodes cannot be a body; "" when they can."""
    if not chosen:
        return "no nodes; a body needs one"
    bound = (node for node in sorted(chosen) if graph.op(node).role == "input" or graph.op(node).effects)
    return next((f"%{node} = {graph.op(node)} is an input or has an effect; leave it outside" for node in bound), "")


def _outlined(graph: Graph, chosen: set[int], attrs: Attrs, op: Op, replaced: dict[Ref, Ref], outs: set[Ref]) -> int:
    ordered = graph.topological_of(chosen)
    escaping = [ref for node in ordered for ref in _escaping(graph, node, chosen, outs)]
    outer, body = _body_of(graph, ordered, escaping)
    fused = graph.emit(op, outer, attrs, [graph.type(ref) for ref in escaping], regions=(body,), sources=tuple(ordered))
    _move_order(graph, ordered, chosen, fused)
    replaced.update({ref: reference(fused, r) for r, ref in enumerate(escaping)})
    return fused


def _results(graph: Graph, node: int) -> list[Ref]:
    return [reference(node, r) for r in range(len(graph.types(node)))]


def _escaping(graph: Graph, node: int, chosen: set[int], outs: set[Ref]) -> list[Ref]:
    """The results of a node that somebody outside of the set takes."""
    outside = [user for user in graph.users(node) if user not in chosen]
    if len(graph.types(node)) == 1:
        return [node] if outside or node in outs else []
    keys = (data for user in outside for data in graph._succ[node][user].values() if data["kind"] == "data")
    wanted = {data.get("result", 0) for data in keys}
    return [ref for ref in _results(graph, node) if result_index(ref) in wanted or ref in outs]


def _body_of(graph: Graph, ordered: list[int], escaping: list[Ref]) -> tuple[list[Ref], Graph]:
    body = Graph(title=f"{graph.title}.body")
    inner: dict[Ref, Ref] = {}
    outer: list[Ref] = []
    for node in ordered:
        for ref in graph.ins(node):
            if ref not in inner:
                inner[ref] = _entry(graph, ref, body)
                if body.op(producer(inner[ref])).role == "input":
                    outer.append(ref)
                    body.inputs.append(producer(inner[ref]))
        twin = body.emit(
            graph.op(node), [inner[ref] for ref in graph.ins(node)], graph.attrs(node), graph.types(node),
            loc=graph.loc(node), regions=graph.regions(node),
        )  # fmt: skip
        for r in range(len(graph.types(node))):
            inner[reference(node, r)] = reference(twin, r)
    body.set_outs([inner[ref] for ref in escaping])
    return outer, body


def _entry(graph: Graph, ref: Ref, body: Graph) -> int:
    node = producer(ref)
    if graph.op(node).role == "const" and graph.type(ref).size == 1:
        return body.emit(graph.op(node), (), graph.attrs(node), graph.types(node), loc=graph.loc(node))
    return body.emit(INPUT, (), {"name": f"x{len(body.inputs)}"}, [graph.type(ref)], loc=graph.loc(node))


def _move_order(graph: Graph, ordered: list[int], chosen: set[int], fused: int) -> None:
    for node in ordered:
        for first in graph.before(node):
            if first not in chosen:
                graph.order(first, fused, graph.order_kind(first, node))
        for last in graph.after(node):
            if last not in chosen:
                graph.order(fused, last, graph.order_kind(node, last))


def set_regions(graph: Graph, node: int, regions: tuple[Graph, ...]) -> None:
    """Give a node other bodies, of the same inputs and results."""
    graph._node[node]["regions"] = regions
    graph._note("regions", node)
