"""The edges of a graph, which mirror the operands of its nodes; these primitives keep both consistent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from itertools import repeat
from typing import NamedTuple

from minigraph.core.errors import GraphError
from minigraph.ir.graph_reader import Ref, producer, ref_text, result_index
from minigraph.ir.locked_graph import LockedGraph

DATA_EDGE: dict[str, object] = {"kind": "data"}  # shared by all data edges from result 0: saves 300 bytes per node
# Shared, by operand position, by all pairs of nodes with a single such edge: saves 200 bytes per edge. So a dict with
# one key is immutable: it is replaced, never changed.
SHARED_POSITIONS = 16  # operands from this position on have their own dicts
SHARED_EDGES = tuple({position: DATA_EDGE} for position in range(SHARED_POSITIONS))


class Edit(NamedTuple):
    """A journal entry: ``verb`` ("emit", "operands", "regions", "erase", "order", "outs"), node, and the editor."""

    verb: str
    node: int
    by: str


edit_of = partial(tuple.__new__, Edit)  # an Edit from a tuple, without a Python call: there are hundreds of thousands


def resolve_chains(mapping: Mapping[Ref, Ref]) -> dict[Ref, Ref]:
    """The final replacement of every reference, following chains such as a -> b and b -> c in linear time.

    Raises ``GraphError`` for a cyclic chain.

    >>> resolve_chains({1: 2, 2: 3})
    {1: 3, 2: 3}
    """
    if mapping.keys().isdisjoint(mapping.values()):  # nearly always
        return dict(mapping)
    final: dict[Ref, Ref] = {}
    for old in mapping:
        path, end = {old: None}, old
        while end not in final and mapping.get(end, end) != end:
            end = mapping[end]
            if end in path:
                raise GraphError(f"replace_uses: the replacements form a cycle through {ref_text(end)}; keep one value")
            path[end] = None
        final.update(dict.fromkeys(path, final.get(end, end)))
    return {old: final[old] for old in mapping}


class EdgeGraph(LockedGraph):
    """The unchecked primitives of ``Graph`` that add, move and remove edges, and journal each edit."""

    by: str
    journal: list[Edit] | None
    has_topological_ids: bool

    def discard(self, node: int) -> None:
        """Remove a node with all its edges, unchecked: the last step of ``erase``.

        The journal notes remaining users, so that a check of the edited nodes includes them.
        """
        self.cached_order = None
        for other in self._pred.pop(node):
            del self._succ[other][node]
        for other, keys in self._succ.pop(node).items():
            if self._pred[other].pop(node) and any(key.__class__ is int for key in keys):
                self._note("operands", other)
        del self._node[node]
        self._note("erase", node)

    def discard_all(self, nodes: Collection[int]) -> None:
        """Remove nodes, unchecked: no outside node may use their results or be ordered after them."""
        pred, succ, node_data = self._pred, self._succ, self._node
        self.cached_order = None
        ordered = sorted(nodes, reverse=True)
        for node in ordered:
            for other in pred.pop(node):
                if other not in nodes:
                    del succ[other][node]
            del succ[node], node_data[node]
        self._note_all("erase", ordered)

    def _connect(self, node: int, ins: tuple[Ref, ...]) -> None:
        for position, ref in enumerate(ins):
            self._link(node, position, ref)

    def _link(self, node: int, position: int, ref: Ref) -> None:
        """Add the edge of one operand."""
        pred, source = self._pred[node], producer(ref)
        self.cached_order = None
        if source >= node:
            self.has_topological_ids = False
        if source is ref and source not in pred and position < SHARED_POSITIONS:
            keys = SHARED_EDGES[position]
        else:
            data = DATA_EDGE if source is ref else {"kind": "data", "result": result_index(ref)}
            keys = {**pred.get(source, {}), position: data}
        self._succ[source][node] = pred[source] = keys

    def _unlink(self, node: int, position: int, ref: Ref) -> None:
        """Remove the edge of one operand, unless it was already erased with its other end."""
        pred, source = self._pred[node], producer(ref)
        self.cached_order = None
        keys = pred.get(source)
        if keys is not None and len(keys) > 1:
            del keys[position]
        elif keys is not None:
            del pred[source], self._succ[source][node]

    def rewire(self, node: int, old: tuple[Ref, ...], new: tuple[Ref, ...]) -> None:
        """``set_operands``, unchecked, from ``old`` to ``new`` operands; unchanged edges cost nothing."""
        pred, succ = self._pred[node], self._succ
        self._node[node]["ins"], self.cached_order = new, None
        for position, was in enumerate(old):
            ref = new[position]
            if was == ref:
                continue
            keys = pred.get(was)
            if keys is not None and len(keys) == 1 and ref.__class__ is int and ref not in pred:  # nearly always
                del pred[was], succ[was][node]
                pred[ref] = succ[ref][node] = keys
                if ref >= node:
                    self.has_topological_ids = False
            else:
                self._unlink(node, position, was)
                self._link(node, position, ref)
        if self.journal is not None:
            self.journal.append(edit_of(("operands", node, self.by)))

    def _own_edges(self) -> None:
        """Copy the dicts of edges that another graph shares, except immutable ones with one key."""
        for node, sources in self._pred.items():
            for source, keys in sources.items():
                if len(keys) > 1:
                    sources[source] = self._succ[source][node] = dict(keys)

    def _note(self, verb: str, node: int) -> None:
        if self.journal is not None:
            self.journal.append(edit_of((verb, node, self.by)))

    def _note_all(self, verb: str, nodes: Iterable[int]) -> None:
        if self.journal is not None:
            self.journal += map(edit_of, zip(repeat(verb), nodes, repeat(self.by)))
