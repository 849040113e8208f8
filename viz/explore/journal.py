"""Watching a pipeline: a journal that also keeps how each edited node was wired after the edit.

From the first graph and the shots every state in between can be drawn, without a copy of the graph per step.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from minigraph.ir.graph import Edit, Graph, Ref

Order = tuple[tuple[int, str], ...]  # the nodes that run before one, each with the kind of its order edge


class Wiring(NamedTuple):
    """What a node takes: its operands in order, and the nodes an order edge puts before it.

    Nodes among the latter may be gone meanwhile: their edges went with them, without an edit of their own.
    """

    ins: tuple[Ref, ...]
    before: Order = ()


class WiringEdit(NamedTuple):
    """One edit: its verb ("emit", "operands", "order", "erase", "outs"), the node, and its wiring afterwards."""

    verb: str
    node: int
    wiring: Wiring


class RecordingJournal(list[Edit]):
    """A graph's journal with ``shots``, one per edit, and ``nodes``: the attributes of every node there ever was.

    ``first``, ``outs`` and ``order`` are the graph as it was: wirings by node, outputs, an order in which it can run.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.wiring_edits: list[WiringEdit] = []
        self.nodes = dict(graph.node_map())
        self.first = {node: wiring_of(graph, node) for node in graph}
        self.outs, self.order = graph.outs, graph.topological()

    def append(self, edit: Edit) -> None:
        """Note an edit that has just been made."""
        super().append(edit)
        if edit.verb == "emit":
            self.nodes[edit.node] = self.graph.node_map()[edit.node]
        self.wiring_edits.append(WiringEdit(edit.verb, edit.node, self._wiring(edit)))

    def __iadd__(self, edits: Iterable[Edit]) -> Self:  # type: ignore[override, misc]
        """Note several edits at once."""
        for edit in edits:
            self.append(edit)
        return self

    def _wiring(self, edit: Edit) -> Wiring:
        if edit.verb == "outs":
            return Wiring(self.graph.outs)
        return Wiring(()) if edit.verb == "erase" else wiring_of(self.graph, edit.node)


def wiring_of(graph: Graph, node: int) -> Wiring:
    """How a node is wired now."""
    return Wiring(graph.ins(node), tuple((other, graph.order_kind(other, node)) for other in graph.before(node)))
