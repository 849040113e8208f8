"""The graph that a program is made from: what a pipeline leaves of a copy of it.

Without kernels that is ``numpy``, with kernels ``numba``, or ``numba_fast`` where these may round otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

from minigraph.accel.loops.joined import joining, rounding
from minigraph.core.context import resolve
from minigraph.core.machine import MAX_STACKED_BYTES, MIN_STACKED_TERMS
from minigraph.core.op import Op
from minigraph.ir.graph import Graph
from minigraph.ir.reading import GraphReader, producer
from minigraph.operators.chwn import IN_CHWN
from minigraph.operators.elementwise import ADD
from minigraph.operators.indexing import INDEX_ADD
from minigraph.operators.views import BROADCAST_TO

PIPELINES = "passes.default:PIPELINES"
# Without any of these, and without many small sums, the passes of "numpy" have nothing to do.
ACTED_ON = {BROADCAST_TO, INDEX_ADD, *IN_CHWN}


def lowered(graph: Graph) -> Graph:
    """A copy of the graph that the pipeline has been through; the graph itself where no pass can do anything."""
    kernels = joining()
    if not kernels and _is_done(_seen_in(graph, {})):
        return graph
    copy = graph.clone()
    for step in resolve(PIPELINES)["numpy" if not kernels else "numba_fast" if rounding() else "numba"]:
        step(copy)
    return copy


class _Seen(NamedTuple):
    """The operators of a graph and of its fused nodes, and how many small sums are added to others."""

    ops: set[Op]
    sums: int


def _is_done(seen: _Seen) -> bool:
    return ACTED_ON.isdisjoint(seen.ops) and seen.sums < MIN_STACKED_TERMS - 2


def _seen_in(graph: GraphReader, known: dict[int, _Seen]) -> _Seen:
    """What is in a graph; ``known`` are bodies by identity, which many nodes share."""
    ops, sums = set[Op](), 0
    for node in graph:
        op = graph.op(node)
        ops.add(op)
        if op is ADD:
            sums += graph.type(node).nbytes <= MAX_STACKED_BYTES and _adds_a_sum(graph, node)
        elif op.role == "fused":
            body = graph.regions(node)[0]
            if id(body) not in known:
                known[id(body)] = _seen_in(body, known)
            sums += known[id(body)].sums
    return _Seen(ops.union(*(seen.ops for seen in known.values())), sums)


def _adds_a_sum(graph: GraphReader, node: int) -> bool:
    return any(graph.op(producer(ref)) is ADD for ref in graph.ins(node))
