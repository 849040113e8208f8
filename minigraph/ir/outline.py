"""Putting matched nodes into the body of one fused node: how every fusion is made."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple

from minigraph.errors import GraphError
from minigraph.ground.loc import Loc
from minigraph.ir.graph import Graph, Ref, producer, reference, result_index
from minigraph.ir.records import FUSED, INPUT
from minigraph.ir.values import exact_attrs
from minigraph.op import Attrs, Op
from minigraph.types import TensorType


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
        made.append(run.fused(set(group.nodes), group))
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


# ---- convexity -------------------------------------------------------------------------------------


def path_back(graph: Graph, chosen: set[int], place: dict[int, int] | None = None) -> int | None:
    """The first outside node on a path that leaves ``chosen`` and comes back, or ``None`` (convex).

    Costs nothing when edges leave from one node only, and all others lead to it. With the ``place`` of nodes in
    an order of the graph, nothing behind the last chosen one is looked at.
    """
    exits = {node for node in chosen for user in graph._succ[node] if user not in chosen}
    ends = {node for node in chosen if chosen.isdisjoint(graph._succ[node])}
    if not exits or (exits == ends and len(ends) == 1):
        return None
    place = place or {}
    last = max((place.get(node, -1) for node in chosen), default=-1)
    stack: list[int] = [user for node in exits for user in graph._succ[node] if user not in chosen]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if node in seen or place.get(node, -1) > last >= 0:
            continue
        seen.add(node)
        for user in graph._succ[node]:
            if user in chosen:
                return node
            stack.append(user)
    return None


class Places:
    """Where the nodes of a graph stand in one order, found out when it is first asked for.

    It stays right while nodes are replaced by nodes made of what is before them; ``forget`` it after other edits.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._place: dict[int, int] | None = None

    def path_back(self, chosen: set[int]) -> int | None:
        """As the function, without looking behind the last chosen node."""
        if self._place is None:
            self._place = {node: place for place, node in enumerate(self.graph.topological())}
        return path_back(self.graph, chosen, self._place)

    def forget(self) -> None:
        """Find the order out anew when it is asked for again."""
        self._place = None


# ---- bodies ----------------------------------------------------------------------------------------


class _Outlining:
    """One call of ``outline_groups``: the bodies made so far, and what is to be replaced."""

    def __init__(self, graph: Graph, op: Op, gone: set[int]) -> None:
        self.graph, self.op, self.gone = graph, op, gone
        self.outs = {ref for ref in graph.outs if producer(ref) in gone}
        self.title = f"{graph.title}.body"
        self.bodies: dict[Hashable, tuple[Graph, tuple[TensorType, ...]]] = {}
        self.replaced: dict[Ref, Ref] = {}

    def fused(self, chosen: set[int], group: Group) -> int:
        """Emit the fused node of one set; its nodes are still there."""
        graph = self.graph
        ordered = _in_order(graph, chosen)
        escaping: tuple[Ref, ...] = group.results or tuple(r for node in ordered for r in self._escaping(node, chosen))
        layout = _Layout(graph, ordered)
        key = (*layout.key, *[layout.slots[ref] for ref in escaping])
        made = self.bodies.get(key)
        if made is None:
            types = tuple([graph.type(ref) for ref in escaping])
            made = self.bodies[key] = layout.body(graph, self.title, escaping), types
        body, types = made
        node = graph.graft(
            self.op, tuple(layout.outer), group.attrs, types,
            loc=graph.locs(ordered), regions=(body,), sources=tuple(ordered),
        )  # fmt: skip
        if graph.has_order:
            self._move_order(ordered, chosen, node)
        elif len(group.results) == 1:  # nearly always
            graph.supersede(group.results[0], node)
            return node
        for r, ref in enumerate(escaping):
            self.replaced[ref] = reference(node, r)
        return node

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


def _in_order(graph: Graph, chosen: set[int]) -> list[int]:
    """The chosen nodes, operands before users; ids already in order (nearly always) cost one look."""
    ids, pred = sorted(chosen), graph._pred
    for node in ids:
        for source in pred[node]:
            if source > node and source in chosen:
                return graph.topological_of(chosen)
    return ids


def _results(graph: Graph, node: int) -> list[Ref]:
    return [reference(node, r) for r in range(len(graph.types(node)))]


class _Layout:
    """How a set of nodes is wired: every value has a slot, numbered as it is met.

    ``outer`` are the operands that the fused node takes; constants of one element move inside. ``key`` holds all
    that a body is made of; types inside follow from those of the operands. The loop is written out, for it is
    most of what a fusion costs.
    """

    def __init__(self, graph: Graph, ordered: list[int]) -> None:
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
                    source = everything[ref if ref.__class__ is int else ref[0]]
                    if source["op"].role == "const" and _moves_in(source):
                        key.append(source["attrs"]["value"])
                    else:
                        outer.append(ref)
                        type = source["types"][0 if ref.__class__ is int else ref[1]]
                        key.append(type.shape)
                        key.append(type.dtype)
                key.append(slot)
            key.append(data["op"])
            key.append(data["loc"])
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
