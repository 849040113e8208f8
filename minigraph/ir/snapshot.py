"""Going back: a graph as it was before edits, that lead nowhere or are not everybody's."""

from __future__ import annotations

from functools import cached_property
from operator import itemgetter

from minigraph.ir.graph import Graph

FIELDS = "op", "ins", "attrs", "types", "loc", "prov", "regions"  # all that there is to a node
_fields = itemgetter(*FIELDS)


class Kept:
    """A graph as it is now, for whoever may want it again: far cheaper than a copy, until it is asked for.

    Edges follow from the operands, so only those of order are kept.
    """

    def __init__(self, graph: Graph) -> None:
        self.title, self.keep_effects = graph.title, graph.keep_effects
        self.nodes, self.rows = list(graph._node), list(map(_fields, graph._node.values()))
        ordered = graph if graph.has_order else ()
        self.order = [(first, node, graph.order_kind(first, node)) for node in ordered for first in graph.before(node)]
        self.inputs, self.outs, self.params = list(graph.inputs), graph.outs, dict(graph.params)
        self.next_id, self.has_order, self.rising = graph.next_id, graph.has_order, graph.rising

    @cached_property
    def graph(self) -> Graph:
        """A graph like it, made when it is first asked for.

        >>> from minigraph.ir.text import parse
        >>> graph = parse('graph f(%0)\\n %0 = input() {name="x"} : f32[2]\\n return %0')
        >>> kept = Kept(graph)
        >>> graph.set_outs(())
        >>> kept.graph.outs
        (0,)
        """
        made = Graph(title=self.title)
        self.fill(made)
        return made

    def fill(self, graph: Graph) -> None:
        """Let a graph hold these nodes, inputs and outputs, and nothing else."""
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
        graph.has_order, graph.rising, graph.order_known = self.has_order, self.rising, None
        graph.keep_effects = self.keep_effects
        graph.set_outs(self.outs)


class Before(Kept):
    """A graph as it is now, to go back to."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.target, self.edits = graph, len(graph.journal or ())

    def restore(self) -> None:
        """Let the graph, and its journal, be what they were."""
        self.fill(self.target)
        if self.target.journal is not None:
            del self.target.journal[self.edits :]
