"""A graph journal that also records the incoming edges of each edited node after the edit.

Together with the initial graph it allows any intermediate state to be reconstructed, without a copy per step.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from minigraph.ir.graph import Edit, Graph, Ref

Order = tuple[tuple[int, str], ...]  # predecessors by order edges, each with the kind of the edge

# The incoming edges of a node: its operands in order, and its predecessors by order edges. Predecessors may have been
# erased since: their edges disappear with them, without an edit of their own. It is a plain tuple, because the garbage
# collector does not examine plain tuples of numbers again, unlike objects of classes, and there are many.
InEdges = tuple[tuple[Ref, ...], Order]
NO_IN_EDGES: InEdges = (), ()


class RecordingJournal(list[Edit]):
    """A graph's journal with ``in_edges``, the incoming edges of the node after each edit, and all nodes ever.

    ``nodes`` has their attributes. ``initial``, ``outs`` and ``order``: the initial incoming edges by node, outputs
    and the topological order.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.in_edges: list[InEdges] = []
        self.nodes = dict(graph.node_map())
        self.initial = {node: in_edges_of(graph, node) for node in graph}
        self.outs, self.order = graph.outs, graph.topological()

    def append(self, edit: Edit) -> None:
        """Record an edit of the graph, which has already been applied."""
        super().append(edit)
        if edit.verb == "emit":
            self.nodes[edit.node] = self.graph.node_map()[edit.node]
        self.in_edges.append(self._in_edges_after(edit))

    def __iadd__(self, edits: Iterable[Edit]) -> Self:  # type: ignore[override, misc]
        """Record several edits."""
        for edit in edits:
            self.append(edit)
        return self

    def _in_edges_after(self, edit: Edit) -> InEdges:
        if edit.verb == "outs":
            return self.graph.outs, ()
        return NO_IN_EDGES if edit.verb == "erase" else in_edges_of(self.graph, edit.node)


def in_edges_of(graph: Graph, node: int) -> InEdges:
    """The current incoming edges of a node."""
    return graph.ins(node), tuple([(other, graph.order_kind(other, node)) for other in graph.before(node)])
