"""The graph that a program is made from: what the pipeline ``numpy`` leaves of a copy of it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from minigraph.core.context import resolve
from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader
from minigraph.operators.indexing import INDEX_ADD
from minigraph.operators.views import BROADCAST_TO

PIPELINE = "passes.default:NUMPY"
ACTED_ON = {BROADCAST_TO, INDEX_ADD}  # without any of these its passes have nothing to do


def lowered(graph: Graph) -> Graph:
    """A copy of the graph that the pipeline has been through; the graph itself where no pass can do anything."""
    if ACTED_ON.isdisjoint(_operators(graph)):
        return graph
    copy = graph.clone()
    for step in resolve(PIPELINE):
        step(copy)
    return copy


def _operators(graph: GraphReader) -> set[Op]:
    """The operators of a graph and of its fused nodes."""
    found = {graph.op(node) for node in graph}
    if not any(op.role == "fused" for op in found):
        return found
    bodies = chain.from_iterable(graph.regions(node) for node in graph if graph.op(node).role == "fused")
    return found.union(*map(_operators, _each_once(bodies)))


def _each_once(bodies: Iterable[GraphReader]) -> Iterable[GraphReader]:
    """The bodies, which many nodes share."""
    return {id(body): body for body in bodies}.values()
