"""The graph that a program is made from: what a pipeline leaves of a copy of it.

Without kernels that is ``numpy``, with kernels ``numba``, or ``numba_fast`` where these may round otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from minigraph.accel.loops.joined import joining, rounding
from minigraph.core.context import resolve
from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader
from minigraph.operators.indexing import INDEX_ADD
from minigraph.operators.views import BROADCAST_TO

PIPELINES = "passes.default:PIPELINES"
ACTED_ON = {BROADCAST_TO, INDEX_ADD}  # without any of these the passes of "numpy" have nothing to do


def lowered(graph: Graph) -> Graph:
    """A copy of the graph that the pipeline has been through; the graph itself where no pass can do anything."""
    kernels = joining()
    if not kernels and ACTED_ON.isdisjoint(_operators(graph)):
        return graph
    copy = graph.clone()
    for step in resolve(PIPELINES)["numpy" if not kernels else "numba_fast" if rounding() else "numba"]:
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
