"""The graph that a program is made from: what a pipeline leaves of a copy of it.

Without kernels that is ``numpy``, with kernels ``numba``, or ``numba_fast`` where these may round otherwise.
"""

from __future__ import annotations

from collections import Counter

from minigraph.accel.loops.joined import joining, rounding
from minigraph.core.context import resolve
from minigraph.core.machine import MIN_STACKED_TERMS
from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader
from minigraph.operators.chwn import IN_CHWN
from minigraph.operators.elementwise import ADD
from minigraph.operators.indexing import INDEX_ADD
from minigraph.operators.linalg import MATMUL
from minigraph.operators.views import TRANSPOSE

PIPELINES = "passes.default:PIPELINES"
# Without any of these, a transposed product and a sum of many terms, the passes of "numpy" have nothing to do.
ACTED_ON = {INDEX_ADD, *IN_CHWN}


def lowered(graph: Graph) -> Graph:
    """A copy of the graph that the pipeline has been through; the graph itself where no pass can do anything."""
    kernels = joining()
    if not kernels and _is_done(_uses(graph, {})):
        return graph
    copy = graph.clone()
    for step in resolve(PIPELINES)["numpy" if not kernels else "numba_fast" if rounding() else "numba"]:
        step(copy)
    return copy


def _is_done(uses: Counter[Op]) -> bool:
    has_transposed_products = TRANSPOSE in uses and MATMUL in uses
    return ACTED_ON.isdisjoint(uses) and not has_transposed_products and uses[ADD] < MIN_STACKED_TERMS - 1


def _uses(graph: GraphReader, known: dict[int, Counter[Op]]) -> Counter[Op]:
    """How often operators are in a graph and in its fused nodes; ``known`` are bodies by identity, which many share."""
    found = Counter(map(graph.op, graph))
    for node in graph:
        if graph.op(node).role == "fused":
            body = graph.regions(node)[0]
            if id(body) not in known:
                known[id(body)] = _uses(body, known)
            found += known[id(body)]
    return found
