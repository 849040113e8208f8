"""A graph that supports all of networkx's readers, while its mutators raise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minigraph.core.aliases import Function
from minigraph.core.context import resolve
from minigraph.core.errors import GraphError
from minigraph.ir.graph_reader import GraphReader


class LockedGraph(GraphReader):
    """The layer of ``Graph`` above networkx, whose mutators raise while ``locked``.

    They would make operand tuples and edges inconsistent. An empty graph accepts them: networkx fills copies with them.
    """

    locked = False
    next_id: int

    def copy(self, as_view: bool = False) -> Any:
        """A plain, mutable ``networkx.MultiDiGraph`` with the same nodes, edges and attributes."""
        copy = self.to_directed_class()()
        copy.add_nodes_from((node, dict(data)) for node, data in self.nodes(data=True))
        copy.add_edges_from((u, v, key, dict(data)) for u, v, key, data in self.edges(keys=True, data=True))
        return copy

    def reverse(self, copy: bool = True) -> Any:
        """A plain reversed ``networkx.MultiDiGraph``."""
        return self.copy().reverse(copy=copy)

    def to_directed_class(self) -> Any:
        """The class of directed graphs that networkx derives from this one."""
        return resolve("networkx:MultiDiGraph")

    def to_undirected_class(self) -> Any:
        """The class of undirected graphs that networkx derives from this one."""
        return resolve("networkx:MultiGraph")

    @contextmanager
    def unsafe(self) -> Iterator[Any]:
        """Allow networkx's own mutators inside the block; ``verify`` afterwards."""
        was, self.locked, self.has_topological_ids = self.locked, False, False
        for node, sources in self._pred.items():  # dicts of edges may be shared; copy them before they change
            for source, keys in sources.items():
                sources[source] = self._succ[source][node] = dict(keys)
        try:
            yield self
        finally:
            self.locked, self.has_order, self.cached_order = was, True, None  # order edges may have been added


def _guarded_mutator(name: str) -> Function:
    def mutator(self: LockedGraph, *args: object, **kwargs: object) -> object:
        if self.locked and self.next_id:
            raise GraphError(
                f"graph.{name}: raw networkx mutation would break the operand tuples; use emit, "
                "set_operands, replace_uses, erase, order or outline, or `with graph.unsafe():`"
            )
        return getattr(super(LockedGraph, self), name)(*args, **kwargs)

    mutator.__name__ = name
    mutator.__doc__ = f"networkx's ``{name}``; raises outside of ``with graph.unsafe():``."
    return mutator


_MUTATORS = (
    "add_node", "add_nodes_from", "add_edge", "add_edges_from", "add_weighted_edges_from", "remove_node",
    "remove_nodes_from", "remove_edge", "remove_edges_from", "clear", "clear_edges", "update",
)  # fmt: skip
for _name in _MUTATORS:
    setattr(LockedGraph, _name, _guarded_mutator(_name))
