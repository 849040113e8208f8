"""Lowering: the graph that a program is made from, a copy that has been through a pipeline of passes.

The pipeline is ``numpy`` without compiled loops, ``numba`` with them, and ``numba_fast`` where these may change the
rounding.
"""

from __future__ import annotations

from collections import Counter

from minigraph.accel.loops.fused_nodes import may_change_rounding, should_compile_loops
from minigraph.core.context import resolve
from minigraph.core.machine import MIN_BATCHED_SUM_TERMS
from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from minigraph.ir.graph_reader import GraphReader
from minigraph.operators.chwn import CHWN_KERNELS
from minigraph.operators.elementwise import ADD
from minigraph.operators.indexing import INDEX_ADD
from minigraph.operators.linalg import MATMUL
from minigraph.operators.views import TRANSPOSE

PIPELINES = "passes.default:PIPELINES"
# The passes of "numpy" only apply to these, to transposed products, and to sums of many terms.
LOWERED_OPS = {INDEX_ADD, *CHWN_KERNELS}


def lower_graph(graph: Graph) -> Graph:
    """A copy of the graph that has been through the pipeline; the graph itself where no pass can apply."""
    kernels = should_compile_loops()
    if not kernels and _is_lowered(_op_counts(graph, {})):
        return graph
    copy = graph.clone()
    for step in resolve(PIPELINES)["numpy" if not kernels else "numba_fast" if may_change_rounding() else "numba"]:
        step(copy)
    return copy


def _is_lowered(counts: Counter[Op]) -> bool:
    has_transposed_products = TRANSPOSE in counts and MATMUL in counts
    return LOWERED_OPS.isdisjoint(counts) and not has_transposed_products and counts[ADD] < MIN_BATCHED_SUM_TERMS - 1


def _op_counts(graph: GraphReader, counts_of_bodies: dict[int, Counter[Op]]) -> Counter[Op]:
    """How often each operator occurs in a graph and its fused nodes; ``counts_of_bodies`` memoizes shared bodies."""
    counts = Counter(map(graph.op, graph))
    for node in graph:
        if graph.op(node).role == "fused":
            body = graph.regions(node)[0]
            if id(body) not in counts_of_bodies:
                counts_of_bodies[id(body)] = _op_counts(body, counts_of_bodies)
            counts += counts_of_bodies[id(body)]
    return counts
