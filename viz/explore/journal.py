"""A graph journal that also records the wiring of each edited node after the edit.

Together with the initial graph it allows any intermediate state to be reconstructed, without a copy per step.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from minigraph.ir.graph import Edit, Graph, Ref

Order = tuple[tuple[int, str], ...]  # predecessors by order edges, each with the kind of the edge


class Wiring(NamedTuple):
    """The incoming edges of a node: its operands in order, and its predecessors by order edges.

    Predecessors may have been erased since: their edges disappear with them, without an edit of their own.
    """

    ins: tuple[Ref, ...]
    before: Order = ()


class WiringEdit(NamedTuple):
    """One edit: its verb ("emit", "operands", "order", "erase", "outs"), the node, and its wiring after the edit."""

    verb: str
    node: int
    wiring: Wiring


class RecordingJournal(list[Edit]):
    """A graph's journal with one ``WiringEdit`` per edit, and ``nodes``, the attributes of all nodes that ever existed.

    ``first``, ``outs`` and ``order`` are the initial wirings by node, outputs, and topological order.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.wiring_edits: list[WiringEdit] = []
        self.nodes = dict(graph.node_map())
        self.first = {node: wiring_of(graph, node) for node in graph}
        self.outs, self.order = graph.outs, graph.topological()

    def append(self, edit: Edit) -> None:
        """Record an edit of the graph, which has already been applied."""
        super().append(edit)
        if edit.verb == "emit":
            self.nodes[edit.node] = self.graph.node_map()[edit.node]
        self.wiring_edits.append(WiringEdit(edit.verb, edit.node, self._wiring_after(edit)))

    def __iadd__(self, edits: Iterable[Edit]) -> Self:  # type: ignore[override, misc]
        """Record several edits."""
        for edit in edits:
            self.append(edit)
        return self

    def _wiring_after(self, edit: Edit) -> Wiring:
        if edit.verb == "outs":
            return Wiring(self.graph.outs)
        return Wiring(()) if edit.verb == "erase" else wiring_of(self.graph, edit.node)


def wiring_of(graph: Graph, node: int) -> Wiring:
    """The current wiring of a node."""
    return Wiring(graph.ins(node), tuple((other, graph.order_kind(other, node)) for other in graph.before(node)))
