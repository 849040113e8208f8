"""A pass as an installed package would offer it, under an entry point of the group ``minigraph.passes``."""

from __future__ import annotations

from minigraph.ir.graph import Graph
from passes import Options, graph_pass


@graph_pass
def offered(graph: Graph, *, options: Options) -> None:
    """graph f -> graph f, unchanged."""
