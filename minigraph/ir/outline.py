"""Outlining: a set of nodes becomes the body graph of one fused node. Every fusion uses it.

Problem: replace sets of nodes by single nodes without changing what the graph computes. Method: the outlining of LLVM's
code extractor, on graphs instead of basic blocks. The live-ins of the set become operands of the fused node and inputs
of its body, its live-outs become results, and one-element constants are copied into the body.

Invariant: the set is convex. If a path left and re-entered it, the fused node would lie on a cycle.

Values of a set are numbered in topological order. The numbering, together with operators, attributes, types and source
lines, is a key, so that equal sets share one body. Many sets are outlined in one pass: fused nodes are emitted, then
all users are rewired, then the dead nodes are removed. Order edges move to the fused nodes.

Not handled: inputs and nodes with effects, which belong to the outer graph, and sets that are not convex. ``outline``
rejects them; callers of ``outline_groups`` guarantee that there are none.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple

from minigraph.core.errors import GraphError
from minigraph.core.location import Loc
from minigraph.core.op import Attrs, Op
from minigraph.core.types import TensorType
from minigraph.ir.convexity import find_reentry
from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.graph import Graph, Ref, producer, reference, result_index
from minigraph.ir.structural_ops import FUSED, INPUT


class Group(NamedTuple):
    """The nodes to outline, and the attributes of their fused node.

    ``results`` are the live-outs, nodes with one result each (default: every value that is used outside). With
    ``keeps_used_nodes``, other nodes that are used outside also stay in the graph and are computed twice. ``by`` is the
    editor in the provenance of the fused node (default: the graph's editor).
    """

    nodes: Collection[int]
    attrs: Attrs
    results: tuple[int, ...] = ()
    keeps_used_nodes: bool = False
    by: str = ""


def outline(graph: Graph, nodes: Iterable[int], attrs: Attrs | None = None, op: Op = FUSED) -> int:
    """Replace nodes by one new node with them as its body, and return its id.

    The new node takes over their users, outputs, order edges and source lines. One-element constants are
    copied into the body. Raises ``GraphError``, before anything changes, if the set is not convex, and for
    inputs and nodes with effects, which belong to the graph itself.
    """
    members = set(nodes)
    problem = graph.invalid_reference(members) or _problem(graph, members)
    if problem:
        raise GraphError(f"outline: {problem}")
    reentry = find_reentry(graph, members)
    if reentry is not None:
        raise GraphError(f"outline: a path leaves the set and comes back through %{reentry}; fuse a convex set")
    return outline_groups(graph, [Group(members, attrs or {"name": "fused"})], op)[0]


def outline_groups(graph: Graph, groups: Sequence[Group], op: Op = FUSED) -> list[int]:
    """Outline many disjoint sets of nodes in one pass over their users; returns the fused nodes in order.

    Unchecked: the sets must be convex, also together, which holds if edges leave each set from one node only;
    ``outline`` checks a single set. Equal sets share one body.
    """
    outliner, by = _Outliner(graph, op, _dead_nodes(graph, groups)), graph.by
    fused = []
    for group in groups:
        graph.by = group.by or by
        fused.append(outliner.outline(group))
    graph.by = by
    graph.redirect(outliner.replaced, outliner.dead)
    _remove(graph, outliner.dead)
    return fused


def _remove(graph: Graph, dead: set[int]) -> None:
    """Remove the outlined nodes, after the order edges out of them, which the fused nodes have taken over."""
    for node in dead if graph.has_order else ():
        for last in graph.after(node):
            if last not in dead:
                del graph._succ[node][last], graph._pred[last][node]
    graph.discard_all(dead)


def _dead_nodes(graph: Graph, groups: Sequence[Group]) -> set[int]:
    """The nodes that are dead afterwards: all, except nodes of copied groups that are used outside."""
    dead = {node for group in groups for node in (group.results if group.keeps_used_nodes else group.nodes)}
    used = {node for group in groups if group.keeps_used_nodes for node in group.nodes if node not in dead}
    for node in reversed(graph.topological_of(used)) if used else ():
        if not graph.is_out(node) and dead.issuperset(graph.users(node)):
            dead.add(node)
    return dead


def _problem(graph: Graph, nodes: set[int]) -> str:
    """Why these nodes cannot be a body; "" if they can."""
    if not nodes:
        return "no nodes; a body needs one"
    bound = (node for node in sorted(nodes) if graph.op(node).role == "input" or graph.op(node).effects)
    return next((f"%{node} = {graph.op(node)} is an input or has an effect; leave it outside" for node in bound), "")


# ---- bodies ----------------------------------------------------------------------------------------


_Body = tuple[Graph, tuple[TensorType, ...], tuple[Loc, ...]]


class _Outliner:
    """The state of one call of ``outline_groups``: shared bodies, values to replace, and dead nodes."""

    def __init__(self, graph: Graph, op: Op, dead: set[int]) -> None:
        self.graph, self.op, self.dead = graph, op, dead
        self.outs = {ref for ref in graph.outs if producer(ref) in dead}
        self.title = f"{graph.title}.body"
        self.bodies: dict[Hashable, _Body] = {}
        self.replaced: dict[Ref, Ref] = {}

    def outline(self, group: Group) -> int:
        """Emit the fused node of one set; in the common case, replace and remove its nodes at once."""
        graph, members = self.graph, set(group.nodes)
        numbering = _numbering_of(graph, members)
        ordered = numbering.ordered
        outs: tuple[Ref, ...] = group.results or tuple(r for node in ordered for r in self._live_outs(node, members))
        body, types, loc = self._body(numbering, outs)
        node = graph.graft(
            self.op, tuple(numbering.live_ins), group.attrs, types, loc=loc, regions=(body,), sources=tuple(ordered)
        )
        if graph.has_order:
            self._move_order(ordered, members, node)
        elif len(group.results) == 1:  # nearly always
            graph.replace_node(group.results[0], node)
            if not group.keeps_used_nodes:  # at once, while they are in the cache: later it takes twice as long
                graph.discard_all(members)
                self.dead -= members
            return node
        for r, ref in enumerate(outs):
            self.replaced[ref] = reference(node, r)
        return node

    def _body(self, numbering: _Numbering, live_outs: Sequence[Ref]) -> _Body:
        """The body of a set, with its result types and its source lines; all three follow from the key."""
        key = (*numbering.key, *[numbering.numbers[ref] for ref in live_outs])
        body = self.bodies.get(key)
        if body is None:
            graph = self.graph
            types = tuple([graph.type(ref) for ref in live_outs])
            body = numbering.body(graph, self.title, live_outs), types, graph.locs(numbering.ordered)
            self.bodies[key] = body
        return body

    def _live_outs(self, node: int, nodes: set[int]) -> list[Ref]:
        """The results of a node that are used outside of the set."""
        graph = self.graph
        outside = [user for user in graph.users(node) if user not in nodes]
        if len(graph._node[node]["types"]) == 1:
            return [node] if outside or node in self.outs else []
        keys = (data for user in outside for data in graph._succ[node][user].values() if data["kind"] == "data")
        used_results = {data.get("result", 0) for data in keys}
        return [ref for ref in _results(graph, node) if result_index(ref) in used_results or ref in self.outs]

    def _move_order(self, ordered: list[int], nodes: set[int], fused: int) -> None:
        graph = self.graph
        for node in ordered:
            for first in graph.before(node):
                if first not in nodes:
                    graph.order(first, fused, graph.order_kind(first, node))
            for last in graph.after(node) if node in self.dead else ():
                if last not in nodes:
                    graph.order(fused, last, graph.order_kind(node, last))


class _OutOfOrderError(Exception):
    """A node has a smaller id than one of its operands."""


def _numbering_of(graph: Graph, nodes: set[int]) -> _Numbering:
    """The numbering of the chosen nodes; increasing ids are nearly always a topological order."""
    try:
        return _Numbering(graph, sorted(nodes), nodes)
    except _OutOfOrderError:
        return _Numbering(graph, graph.topological_of(nodes), nodes)


def _results(graph: Graph, node: int) -> list[Ref]:
    return [reference(node, r) for r in range(len(graph.types(node)))]


class _Numbering:
    """The values of a set of nodes, numbered at first use in topological order.

    ``live_ins`` are the operands of the fused node, without the one-element constants, which are copied. ``key``
    determines the body; types inside follow from those of the operands. One plain loop, because it is most of the
    cost of a fusion. Raises ``_OutOfOrderError`` if ``ordered`` is not a topological order.
    """

    def __init__(self, graph: Graph, ordered: list[int], members: Collection[int]) -> None:
        node_data = graph._node
        numbers: dict[Ref, int] = {}
        live_ins: list[Ref] = []
        key: list[Hashable] = []
        for node in ordered:
            data = node_data[node]
            for ref in data["ins"]:
                number = numbers.get(ref)
                if number is None:
                    number = numbers[ref] = len(numbers)
                    node_id = ref if ref.__class__ is int else ref[0]
                    if node_id in members:
                        raise _OutOfOrderError
                    source = node_data[node_id]
                    if source["op"].role == "const" and _is_copied(source):
                        key.append(source["attrs"]["value"])
                    else:
                        live_ins.append(ref)
                        type = source["types"][0 if ref.__class__ is int else ref[1]]
                        key += type.shape, type.dtype
                key.append(number)
            key += data["op"], data["loc"]
            if data["attrs"] or data["regions"]:
                key.append((exact_attrs_key(data["attrs"]), *map(id, data["regions"])))
            numbers[node] = len(numbers)
            for r in range(1, len(data["types"])):
                numbers[node, r] = len(numbers)
        self.ordered, self.numbers, self.live_ins, self.key = ordered, numbers, live_ins, key

    def body(self, graph: Graph, title: str, outs: Sequence[Ref]) -> Graph:
        """Build the body; inputs are emitted at their first use, so that increasing ids are a topological order."""
        body = Graph(title=title)
        inner: dict[Ref, Ref] = {}
        for node in self.ordered:
            data = graph._node[node]
            for ref in data["ins"]:
                if ref not in inner:
                    inner[ref] = _add_source(graph, ref, body, data["loc"])
            copy = body.graft(
                data["op"], tuple([inner[ref] for ref in data["ins"]]), data["attrs"], data["types"],
                loc=data["loc"], regions=data["regions"],
            )  # fmt: skip
            inner[node] = copy
            for r in range(1, len(data["types"])):
                inner[node, r] = copy, r
        body.set_outs([inner[ref] for ref in outs])
        return body


def _is_copied(data: Attrs) -> bool:
    """Whether an operand is copied into the body: a constant of one element."""
    return data["op"].role == "const" and data["types"][0].size == 1


def _add_source(graph: Graph, ref: Ref, body: Graph, loc: tuple[Loc, ...]) -> int:
    """Add a value from outside to the body; it gets the line of its first user, because bodies are shared."""
    data = graph._node[producer(ref)]
    if _is_copied(data):
        return body.graft(data["op"], (), data["attrs"], data["types"], loc=loc)
    body.inputs.append(body.next_id)
    return body.graft(INPUT, (), {"name": f"x{len(body.inputs) - 1}"}, (graph.type(ref),), loc=loc)


def set_regions(graph: Graph, node: int, regions: tuple[Graph, ...]) -> None:
    """Replace the bodies of a node by others with the same inputs and outputs."""
    graph._node[node]["regions"] = regions
    graph._note("regions", node)
