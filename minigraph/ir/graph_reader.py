"""The read-only part of a graph: nodes, edges, users, effects, work, topological order."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import filterfalse
from typing import Any, NamedTuple

from minigraph.core.context import resolve, svg_of
from minigraph.core.errors import GraphError
from minigraph.core.location import Loc
from minigraph.core.op import Attrs, Op
from minigraph.core.op_fields import Effect, Work
from minigraph.core.scope_guard import reraise_handler_error
from minigraph.core.types import TensorType
from minigraph.ir.networkx_base import MultiDiGraph
from minigraph.ir.topological_sort import are_ids_topological, topological_sort

Ref = int | tuple[int, int]  # result 0 of a node, or (node, result)
# other node -> the edges to it, by operand position or ("o", n), each with its kind
Edges = Mapping[int, Mapping[Any, Mapping[str, Any]]]


class Prov(NamedTuple):
    """The provenance of a node: the pass that created it, or ``pass/rule``, and the ids it was derived from."""

    by: str
    sources: tuple[int, ...] = ()

    @property
    def editor(self) -> str:
        """The pass, or other editor, that created it."""
        return self.by.partition("/")[0]

    @property
    def rule(self) -> str:
        """The rule of that pass, or ""."""
        return self.by.partition("/")[2]


def producer(ref: Ref) -> int:
    """The node that produces a reference.

    >>> producer((7, 1)), producer(7)
    (7, 7)
    """
    return ref if isinstance(ref, int) else ref[0]


def result_index(ref: Ref) -> int:
    """The result of its node that a reference names.

    >>> result_index((7, 1)), result_index(7)
    (1, 0)
    """
    return 0 if isinstance(ref, int) else ref[1]


def reference(node: int, result: int) -> Ref:
    """The reference to one result: the plain id for result 0."""
    return node if result == 0 else (node, result)


def ref_text(ref: Ref) -> str:
    """``%7`` for result 0 of node 7, ``%7.1`` for result 1."""
    return f"%{ref}" if isinstance(ref, int) else f"%{ref[0]}.{ref[1]}"


class GraphReader(MultiDiGraph):
    """The read-only half of ``Graph``; a ``networkx.MultiDiGraph``."""

    title: str
    inputs: list[int]
    has_order: bool
    has_topological_ids: bool
    locked: bool
    cached_order: list[int] | None  # the result of ``topological``, until an edge or a node changes
    next_id: int
    params: dict[str, Any]
    keep_effects: bool
    _outs: list[Ref]
    _out_tuple: tuple[Ref, ...] | None
    _out_uses: dict[int, list[int]]  # node -> the positions of its results among the outputs

    @property
    def outs(self) -> tuple[Ref, ...]:
        """The references the graph returns."""
        if self._out_tuple is None:
            self._out_tuple = tuple(self._outs)
        return self._out_tuple

    # ---- as text and in a notebook; drawing packages are late-bound ------------------------------------

    def __str__(self) -> str:
        return str(resolve("minigraph.ir.text:to_text")(self))

    def same_as(self, other: GraphReader) -> bool:
        """Whether two graphs print the same text (``==`` stays identity, as networkx needs it)."""
        return bool(resolve("minigraph.ir.compare:equal")(self, other))

    def __repr__(self) -> str:
        return f"<graph {self.title}: {len(self)} nodes, {self.number_of_edges()} edges>"

    def _repr_svg_(self) -> str | None:
        return svg_of(self)

    def _repr_html_(self) -> str:
        """The picture with the text folded below: notebooks that prefer HTML show both."""
        try:
            text = resolve("minigraph.ir.text:to_text")(self, literals=False)
        except Exception as error:
            reraise_handler_error(error)
            text = repr(self)
        picture = self._repr_svg_() or ""
        return f"{picture}<details><summary>as text</summary><pre>{html.escape(text)}</pre></details>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        bundle = {"text/plain": repr(self), "image/svg+xml": self._repr_svg_(), "text/html": self._repr_html_()}
        return {kind: value for kind, value in bundle.items() if value is not None}

    def invalid_reference(self, refs: Iterable[Ref]) -> str:
        """The problem with the first reference that is not a value of this graph; "" if there is none."""
        for ref in filterfalse(self._node.__contains__, refs):  # nearly always none: plain ids
            node = producer(ref)
            if node not in self._node:
                return f"%{node} is not in graph '{self.title}'"
            if not 0 <= result_index(ref) < len(self.types(node)):
                return f"%{node} = {self.op(node)} has no result {result_index(ref)}"
        return ""

    def operators(self) -> set[Op]:
        """The set of operators used: far smaller than the set of nodes, for a fast search."""
        return {data["op"] for data in self._node.values()}

    # ---- all nodes: the graph's own dicts, for fast loops; read only -----------------------------------

    def node_map(self) -> Mapping[int, Mapping[str, Any]]:
        """Node -> ``op, ins, attrs, types, loc, prov, regions``, as in ``nodes``, at the speed of a dict."""
        return self._node

    def pred_map(self) -> Mapping[int, Edges]:
        """Node -> its predecessors, each with its edges by key, as in ``pred``, at the speed of a dict."""
        return self._pred

    def succ_map(self) -> Mapping[int, Edges]:
        """Node -> its successors, each with its edges by key, as in ``succ``, at the speed of a dict."""
        return self._succ

    # ---- one node -----------------------------------------------------------------------------------

    def op(self, node: int) -> Op:
        """The record of a node."""
        return self._node[node]["op"]

    def ins(self, node: int) -> tuple[Ref, ...]:
        """The operands of a node, in order."""
        return self._node[node]["ins"]

    def attrs(self, node: int) -> Attrs:
        """The static attributes of a node."""
        return self._node[node]["attrs"]

    def types(self, node: int) -> tuple[TensorType, ...]:
        """The result types of a node."""
        return self._node[node]["types"]

    def type(self, ref: Ref) -> TensorType:
        """The type of one value."""
        return self._node[producer(ref)]["types"][result_index(ref)]

    def regions(self, node: int) -> tuple[GraphReader, ...]:
        """The body graphs of a node; empty for plain operators."""
        return self._node[node]["regions"]

    def loc(self, node: int) -> tuple[Loc, ...]:
        """The user lines a node comes from."""
        return self._node[node]["loc"]

    def locs(self, nodes: Iterable[int]) -> tuple[Loc, ...]:
        """The user lines that several nodes come from, each once."""
        locations = [self._node[node]["loc"] for node in nodes]
        if locations and locations.count(locations[0]) == len(locations):  # nearly always
            return locations[0]
        return tuple(dict.fromkeys([loc for locs in locations for loc in locs]))

    def prov(self, node: int) -> Prov:
        """The provenance of a node."""
        return self._node[node]["prov"]

    def users(self, node: int) -> list[int]:
        """The nodes that take a result of ``node`` as operand, each once."""
        if not self.has_order:
            return list(self._succ[node])
        return [user for user, keys in self._succ[node].items() if any(isinstance(key, int) for key in keys)]

    def use_count(self, node: int) -> int:
        """How many operands and graph outputs take a result of ``node``."""
        operands = sum(isinstance(key, int) for keys in self._succ[node].values() for key in keys)
        return operands + len(self._out_uses.get(node, ()))

    def is_out(self, node: int) -> bool:
        """Whether a result of ``node`` is an output of the graph."""
        return node in self._out_uses

    def before(self, node: int) -> list[int]:
        """The nodes an order edge puts before ``node``."""
        if not self.has_order:
            return []
        return sorted(source for source, keys in self._pred[node].items() if any(not isinstance(k, int) for k in keys))

    def after(self, node: int) -> list[int]:
        """The nodes an order edge puts after ``node``."""
        if not self.has_order:
            return []
        return sorted(target for target, keys in self._succ[node].items() if any(not isinstance(k, int) for k in keys))

    def order_kind(self, before: int, after: int) -> str:
        """The kind ("depend" or "effect") of the order edge between two nodes; "" when there is none."""
        keys = self._succ[before].get(after, {})
        return next((data["kind"] for key, data in keys.items() if not isinstance(key, int)), "")

    def call_attrs(self, node: int) -> Attrs:
        """The attributes of a call of the operator: the node's, and its bodies as ``bodies``."""
        regions = self._node[node]["regions"]
        return {**self.attrs(node), "bodies": regions} if regions else self.attrs(node)

    def effects(self, node: int) -> tuple[Effect, ...]:
        """The effects of a node: the sum over its bodies, if it has any."""
        own_effects = self.op(node).effects_of(self.attrs(node))
        if not self.regions(node):
            return own_effects
        inner = (effect for body in self.regions(node) for inner_node in body for effect in body.effects(inner_node))
        return tuple(dict.fromkeys((*own_effects, *inner)))

    def nodes_with_effects(self) -> Iterator[tuple[int, tuple[Effect, ...]]]:
        """The nodes with effects, and their effects; without leaves, which are read before everything else.

        A body that several nodes share is examined once.
        """
        inner_effects: dict[tuple[int, ...], tuple[Effect, ...]] = {}
        effectful = {op for op in self.operators() if (op.effects and not op.is_leaf) or op.family == "region"}
        for node, data in [pair for pair in self._node.items() if pair[1]["op"] in effectful] if effectful else ():
            if data["op"].effects:
                yield node, self.effects(node)
            elif data["regions"]:
                bodies = tuple(map(id, data["regions"]))
                if bodies not in inner_effects:
                    within = [part for body in data["regions"] for part in body._node.values()]
                    inner_effects[bodies] = (
                        self.effects(node) if any(p["op"].effects or p["regions"] for p in within) else ()
                    )
                if inner_effects[bodies]:
                    yield node, inner_effects[bodies]

    def writes(self, node: int) -> bool:
        """Whether a node, or a node in its bodies, has a write effect."""
        data = self._node[node]
        return data["op"].writes or (bool(data["regions"]) and any(effect.writes for effect in self.effects(node)))

    def work(self, node: int) -> Work:
        """The work of a node, for the simulator; for a fused node the work of its bodies, without their traffic."""
        ins = [self.type(ref) for ref in self.ins(node)]
        if not self.regions(node):
            return self.op(node).work(self._out_type(node), *ins, **self.attrs(node))
        total = Work()
        for body in self.regions(node):
            for inner in body:
                total += body.work(inner)
        total = total.times(self.attrs(node).get("length", 1))  # of a scan; other trip counts are unknown
        elements = total.rows[0] * total.rows[1] if total.rows else 0
        if elements and any(t.size >= elements for t in self.types(node)):  # rows are read again for their results
            total = replace(total, passes=max(2, total.passes))
        return replace(total, read=sum(t.nbytes for t in ins), written=sum(t.nbytes for t in self.types(node)))

    def _out_type(self, node: int) -> TensorType | tuple[TensorType, ...]:
        types = self.types(node)
        return types[0] if len(types) == 1 else types

    def topological(self) -> list[int]:
        """All nodes in topological order, as close to program order as possible.

        Raises ``GraphError`` naming nodes of a cycle. If ids are a topological order (nearly always), they are sorted.
        """
        if self.has_topological_ids and self.next_id:  # networkx's views of graphs have no ids
            return sorted(self._node)
        if self.cached_order is None or not (self.locked and self.next_id):
            topological = are_ids_topological(self._pred)
            self.cached_order = sorted(self._node) if topological else self.topological_of(set(self._node))
        return self.cached_order.copy()

    def topological_of(self, nodes: set[int]) -> list[int]:
        """The chosen nodes in topological order, ties broken by id; raises ``GraphError`` naming nodes of a cycle."""
        order = topological_sort(nodes, self._pred, self._succ)
        if len(order) < len(nodes):
            stuck = sorted(nodes.difference(order))[:5]
            raise GraphError(f"graph '{self.title}' has a cycle through %" + ", %".join(map(str, stuck)))
        return order
