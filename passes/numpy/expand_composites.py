"""Expands composite operators into the elementwise operators and reductions that loops can compute.

::

    %1 = softmax(%0) {axis=(1,)}                ->    %1 = max(%0) {axis=(1,), keepdims=true}
                                                      %2 = sub(%0, %1)
                                                      %3 = exp(%2)
                                                      %4 = sum(%3) {axis=(1,), keepdims=true}
                                                      %5 = div(%3, %4)

``fuse_loops`` can then fuse a softmax with the operators around it. The expansion rounds differently from the
composite's own forward, so this pass is not part of the default pipeline.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.tensor import wrap
from minigraph.core.types import TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.operators.scalar_expressions import REDUCTIONS, SCALARS
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize.inline_bodies import inline_body, replace_node

RELATIVE_TOLERANCE = 1e-5  # in float32


@graph_pass(tol=RELATIVE_TOLERANCE)
def expand_composites(graph: Graph, *, options: Options) -> None:
    """softmax(x) -> div(exp(x - max), sum): expands float32 composites that loops can compute; within 1e-5."""
    worklist = [node for node in graph.topological() if _is_composite(graph, node)]
    for node in worklist:  # grows during the loop
        body = _expansion(graph, node)
        if _is_loop_computable(body) and should_rewrite(graph, "expand", node):
            first_new = graph.next_id
            values = inline_body(graph, node, body, graph.ins(node), graph.loc(node))
            new_nodes = range(first_new, graph.next_id)
            replace_node(graph, node, values, new_nodes)
            worklist += [new for new in new_nodes if _is_composite(graph, new)]
            options.statistics["expand"].rewrites += 1


def _is_composite(graph: Graph, node: int) -> bool:
    """Whether a node is a float32 composite operator that loops cannot compute directly."""
    op = graph.op(node)
    if op.expand is None or op in SCALARS or op.effects:
        return False
    return all(graph.type(ref).dtype is float32 for ref in graph.ins(node))


def _expansion(graph: Graph, node: int) -> Graph:
    """The graph of a composite operator's expansion."""
    expand = graph.op(node).expand
    assert expand is not None
    return trace(partial(expand, **graph.call_attrs(node)), *(_placeholder(graph.type(ref)) for ref in graph.ins(node)))


def _placeholder(type: TensorType) -> object:
    """A tensor of a type, for tracing; it shares one element."""
    return wrap(np.broadcast_to(np.zeros((), type.dtype.numpy), type.shape))


def _is_loop_computable(graph: Graph) -> bool:
    """Whether loops can compute all nodes of a graph, or their expansions."""
    return all(
        graph.op(node).is_leaf or graph.op(node) in SCALARS or graph.op(node) in REDUCTIONS
        or (_is_composite(graph, node) and _is_loop_computable(_expansion(graph, node)))
        for node in graph.topological()
    )  # fmt: skip
