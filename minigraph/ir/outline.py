"""Putting matched nodes into the body of one fused node: how every fusion is made."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple

from minigraph.core.errors import GraphError
from minigraph.core.location import Loc
from minigraph.core.op import Attrs, Op
from minigraph.core.types import TensorType
from minigraph.ir.convexity import path_back
from minigraph.ir.graph import Graph, Ref, producer, reference, result_index
from minigraph.ir.records import FUSED, INPUT
from minigraph.ir.values import exact_attrs


class Group(NamedTuple):
    """Nodes to outline, and the attributes of their fused node.

    ``results`` are the nodes whose only results the fused node gives; without them it gives everything that is
    used outside. ``copied``: other nodes that are used outside stay there as well, computed twice. ``by`` is who
    makes the fused node, if not the graph's editor.
    """

    nodes: Collection[int]
    attrs: Attrs
    results: tuple[int, ...] = ()
    copied: bool = False
    by: str = ""


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
    return outline_groups(graph, [Group(chosen, attrs or {"name": "fused"})], op)[0]


def outline_groups(graph: Graph, groups: Sequence[Group], op: Op = FUSED) -> list[int]:
    """Outline many disjoint sets of nodes in one pass over their users; returns the fused nodes in that order.

    Unchecked: the sets must be convex, also together, as they are when of each only one node has edges that
    leave it; ``outline`` checks a set on its own. Sets that look the same share one body.
    """
    run, by = _Outlining(graph, op, _going(graph, groups)), graph.by
    made = []
    for group in groups:
        graph.by = group.by or by
        made.append(run.fused(group))
    graph.by = by
    graph.redirect(run.replaced, run.gone)
    _leave(graph, run.gone)
    return made


def _leave(graph: Graph, gone: set[int]) -> None:
    """Remove the outlined nodes; order edges out of them, which the fused nodes have taken over, go first."""
    for node in gone if graph.has_order else ():
        for last in graph.after(node):
            if last not in gone:
                del graph._succ[node][last], graph._pred[last][node]
    graph.discard_all(gone)


def _going(graph: Graph, groups: Sequence[Group]) -> set[int]:
    """The nodes that are not needed any more: all, but those of copied groups that others use."""
    gone = {node for group in groups for node in (group.results if group.copied else group.nodes)}
    rest = {node for group in groups if group.copied for node in group.nodes if node not in gone}
    for node in reversed(graph.topological_of(rest)) if rest else ():
        if not graph.is_out(node) and gone.issuperset(graph.users(node)):
            gone.add(node)
    return gone


def _unfit(graph: Graph, chosen: set[int]) -> str:
    """Why these nodes cannot be a body; "" when they can."""
    if not chosen:
        return "no nodes; a body needs one"
    bound = (node for node in sorted(chosen) if graph.op(node).role == "input" or graph.op(node).effects)
    return next((f"%{node} = {graph.op(node)} is an input or has an effect; leave it outside" for node in bound), "")


# ---- bodies ----------------------------------------------------------------------------------------


_Body = tuple[Graph, tuple[TensorType, ...], tuple[Loc, ...]]


class _Outlining:
    """One call of ``outline_groups``: the bodies made so far, and what is to be replaced."""

    def __init__(self, graph: Graph, op: Op, gone: set[int]) -> None:
        self.graph, self.op, self.gone = graph, op, gone
        self.outs = {ref for ref in graph.outs if producer(ref) in gone}
        self.title = f"{graph.title}.body"
        self.bodies: dict[Hashable, _Body] = {}
        self.replaced: dict[Ref, Ref] = {}

    def fused(self, group: Group) -> int:
        """Emit the fused node of one set. Where nothing else has to be looked at, its nodes go at once."""
        graph, chosen = self.graph, set(group.nodes)
        layout = _laid_out(graph, chosen)
        ordered = layout.ordered
        escaping: tuple[Ref, ...] = group.results or tuple(r for node in ordered for r in self._escaping(node, chosen))
        body, types, loc = self._body(layout, escaping)
        node = graph.graft(
            self.op, tuple(layout.outer), group.attrs, types, loc=loc, regions=(body,), sources=tuple(ordered)
        )
        if graph.has_order:
            self._move_order(ordered, chosen, node)
        elif len(group.results) == 1:  # nearly always
            graph.supersede(group.results[0], node)
            if not group.copied:  # while the processor has them at hand: later they cost twice as much
                graph.discard_all(chosen)
                self.gone -= chosen
            return node
        for r, ref in enumerate(escaping):
            self.replaced[ref] = reference(node, r)
        return node

    def _body(self, layout: _Layout, escaping: Sequence[Ref]) -> _Body:
        """The body of a layout, with its results' types and its lines: all three follow from the layout's key."""
        key = (*layout.key, *[layout.slots[ref] for ref in escaping])
        made = self.bodies.get(key)
        if made is None:
            graph = self.graph
            types = tuple([graph.type(ref) for ref in escaping])
            made = layout.body(graph, self.title, escaping), types, graph.locs(layout.ordered)
            self.bodies[key] = made
        return made

    def _escaping(self, node: int, chosen: set[int]) -> list[Ref]:
        """The results of a node that somebody outside of the set takes."""
        graph = self.graph
        outside = [user for user in graph.users(node) if user not in chosen]
        if len(graph._node[node]["types"]) == 1:
            return [node] if outside or node in self.outs else []
        keys = (data for user in outside for data in graph._succ[node][user].values() if data["kind"] == "data")
        wanted = {data.get("result", 0) for data in keys}
        return [ref for ref in _results(graph, node) if result_index(ref) in wanted or ref in self.outs]

    def _move_order(self, ordered: list[int], chosen: set[int], fused: int) -> None:
        graph = self.graph
        for node in ordered:
            for first in graph.before(node):
                if first not in chosen:
                    graph.order(first, fused, graph.order_kind(first, node))
            for last in graph.after(node) if node in self.gone else ():
                if last not in chosen:
                    graph.order(fused, last, graph.order_kind(node, last))


class _OutOfOrder(Exception):
    """A node has a smaller id than one that it needs."""


def _laid_out(graph: Graph, chosen: set[int]) -> _Layout:
    """The layout of the chosen nodes, operands before users; their ids nearly always are in that order."""
    try:
        return _Layout(graph, sorted(chosen), chosen)
    except _OutOfOrder:
        return _Layout(graph, graph.topological_of(chosen), chosen)


def _results(graph: Graph, node: int) -> list[Ref]:
    return [reference(node, r) for r in range(len(graph.types(node)))]


class _Layout:
    """How a set of nodes is wired: every value has a slot, numbered as it is met.

    ``outer`` are the operands that the fused node takes; constants of one element move inside. ``key`` holds all
    that a body is made of; types inside follow from those of the operands. The loop is written out, for it is
    most of what a fusion costs. Raises ``_OutOfOrder`` when a node comes before one of the ``chosen`` that it needs.
    """

    def __init__(self, graph: Graph, ordered: list[int], chosen: Collection[int]) -> None:
        everything = graph._node
        slots: dict[Ref, int] = {}
        outer: list[Ref] = []
        key: list[Hashable] = []
        for node in ordered:
            data = everything[node]
            for ref in data["ins"]:
                slot = slots.get(ref)
                if slot is None:
                    slot = slots[ref] = len(slots)
                    behind = ref if ref.__class__ is int else ref[0]
                    if behind in chosen:
                        raise _OutOfOrder
                    source = everything[behind]
                    if source["op"].role == "const" and _moves_in(source):
                        key.append(source["attrs"]["value"])
                    else:
                        outer.append(ref)
                        type = source["types"][0 if ref.__class__ is int else ref[1]]
                        key += type.shape, type.dtype
                key.append(slot)
            key += data["op"], data["loc"]
            if data["attrs"] or data["regions"]:
                key.append((exact_attrs(data["attrs"]), *map(id, data["regions"])))
            slots[node] = len(slots)
            for r in range(1, len(data["types"])):
                slots[node, r] = len(slots)
        self.ordered, self.slots, self.outer, self.key = ordered, slots, outer, key

    def body(self, graph: Graph, title: str, outs: Sequence[Ref]) -> Graph:
        """The graph of the layout: inputs where they are first used, so that ids are in order."""
        body = Graph(title=title)
        inner: dict[Ref, Ref] = {}
        for node in self.ordered:
            data = graph._node[node]
            for ref in data["ins"]:
                if ref not in inner:
                    inner[ref] = _entry(graph, ref, body, data["loc"])
            twin = body.graft(
                data["op"], tuple([inner[ref] for ref in data["ins"]]), data["attrs"], data["types"],
                loc=data["loc"], regions=data["regions"],
            )  # fmt: skip
            inner[node] = twin
            for r in range(1, len(data["types"])):
                inner[node, r] = twin, r
        body.set_outs([inner[ref] for ref in outs])
        return body


def _moves_in(data: Attrs) -> bool:
    """Whether an operand moves into the body: a constant of one element."""
    return data["op"].role == "const" and data["types"][0].size == 1


def _entry(graph: Graph, ref: Ref, body: Graph, loc: tuple[Loc, ...]) -> int:
    """What comes from outside, as a node of the body; its line is that of its first user, for bodies are shared."""
    data = graph._node[producer(ref)]
    if _moves_in(data):
        return body.graft(data["op"], (), data["attrs"], data["types"], loc=loc)
    body.inputs.append(body.next_id)
    return body.graft(INPUT, (), {"name": f"x{len(body.inputs) - 1}"}, (graph.type(ref),), loc=loc)


def set_regions(graph: Graph, node: int, regions: tuple[Graph, ...]) -> None:
    """Give a node other bodies, of the same inputs and results."""
    graph._node[node]["regions"] = regions
    graph._note("regions", node)
