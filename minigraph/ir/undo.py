"""Going back: a graph as it was before edits that lead nowhere."""

from __future__ import annotations

from operator import itemgetter

from minigraph.ir.graph import Graph

CHANGING = "ins", "loc", "prov", "regions"  # what edits give a node other values of; the rest of it stays
_changing = itemgetter(*CHANGING)


class Before:
    """A graph as it is now, to go back to: much cheaper than a copy, for nothing is kept but what edits replace.

    Edges follow from the operands, so only those of order are kept.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.edits = graph, len(graph.journal or ())
        self.nodes = dict(graph._node)
        self.values = list(map(_changing, self.nodes.values()))
        self.order = [(first, node, graph.order_kind(first, node)) for node in graph for first in graph.before(node)]
        self.inputs, self.outs, self.params = list(graph.inputs), graph.outs, dict(graph.params)
        self.next_id, self.has_order, self.rising = graph.next_id, graph.has_order, graph.rising

    def restore(self) -> None:
        """Let the graph, and its journal, be what they were."""
        graph = self.graph
        for table in (graph._node, graph._pred, graph._succ):
            table.clear()
        for (node, data), values in zip(self.nodes.items(), self.values, strict=True):
            data.update(zip(CHANGING, values, strict=True))
            graph._node[node], graph._pred[node], graph._succ[node] = data, {}, {}
        for node, data in self.nodes.items():
            graph._connect(node, data["ins"])
        for first, node, kind in self.order:
            graph.order(first, node, kind)
        graph.inputs, graph.params, graph.next_id = list(self.inputs), dict(self.params), self.next_id
        graph.has_order, graph.rising, graph.order_known = self.has_order, self.rising, None
        graph.set_outs(self.outs)
        if graph.journal is not None:
            del graph.journal[self.edits :]
