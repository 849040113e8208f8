"""Snapshots of a graph, from which it can be copied or restored after edits."""

from __future__ import annotations

from operator import itemgetter

from minigraph.core.lazy import cached_property
from minigraph.ir.graph import Graph

FIELDS = "op", "ins", "attrs", "types", "loc", "prov", "regions"  # of a node
_fields = itemgetter(*FIELDS)


class Snapshot:
    """A snapshot of a graph, from which a copy can be built later: far cheaper than a copy.

    Data edges follow from the operands, so only order edges are stored.
    """

    def __init__(self, graph: Graph) -> None:
        self.title, self.keep_effects = graph.title, graph.keep_effects
        self.nodes, self.rows = list(graph._node), list(map(_fields, graph._node.values()))
        ordered = graph if graph.has_order else ()
        self.order = [(first, node, graph.order_kind(first, node)) for node in ordered for first in graph.before(node)]
        self.inputs, self.outs, self.params = list(graph.inputs), graph.outs, dict(graph.params)
        self.next_id, self.has_order, self.has_topological_ids = (
            graph.next_id,
            graph.has_order,
            graph.has_topological_ids,
        )

    @cached_property
    def graph(self) -> Graph:
        """A copy of the graph, built at first use.

        >>> from minigraph.ir.text import parse
        >>> graph = parse('graph f(%0)\\n %0 = input() {name="x"} : f32[2]\\n return %0')
        >>> snapshot = Snapshot(graph)
        >>> graph.set_outs(())
        >>> snapshot.graph.outs
        (0,)
        """
        copy = Graph(title=self.title)
        self.fill(copy)
        return copy

    def fill(self, graph: Graph) -> None:
        """Replace the nodes, inputs and outputs of a graph by the snapshot's."""
        for table in (graph._node, graph._pred, graph._succ):
            table.clear()
        for node, row in zip(self.nodes, self.rows, strict=True):
            graph._node[node] = dict(zip(FIELDS, row, strict=True))
            graph._pred[node], graph._succ[node] = {}, {}
        for node, data in graph._node.items():
            graph._connect(node, data["ins"])
        for first, node, kind in self.order:
            graph.order(first, node, kind)
        graph.inputs, graph.params, graph.next_id = list(self.inputs), dict(self.params), self.next_id
        graph.has_order, graph.has_topological_ids, graph.cached_order = self.has_order, self.has_topological_ids, None
        graph.keep_effects = self.keep_effects
        graph.set_outs(self.outs)


class RestorableSnapshot(Snapshot):
    """A snapshot to which its graph can be restored."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.target, self.edits = graph, len(graph.journal or ())

    def restore(self) -> None:
        """Restore the graph and its journal."""
        self.fill(self.target)
        if self.target.journal is not None:
            del self.target.journal[self.edits :]
