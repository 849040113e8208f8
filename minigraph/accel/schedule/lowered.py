"""The graph that a program is made from: what a pipeline leaves of a copy of it.

Without kernels that is ``numpy``, with kernels ``numba``, or ``numba_fast`` where these may round otherwise.
"""

from __future__ import annotations

from minigraph.accel.loops.joined import joining, rounding
from minigraph.core.context import resolve
from minigraph.ir.graph import Graph

PIPELINES = "passes.default:PIPELINES"


def lowered(graph: Graph) -> Graph:
    """A copy of the graph that the pipeline has been through."""
    copy = graph.clone()
    for step in resolve(PIPELINES)["numpy" if not joining() else "numba_fast" if rounding() else "numba"]:
        step(copy)
    return copy
