"""Composite operators become the elementwise operators and reductions that they are made of, where loops compute all.

::

    %1 = softmax(%0) {axis=(1,)}                ->    %1 = max(%0) {axis=(1,), keepdims=true}
                                                      %2 = sub(%0, %1)
                                                      %3 = exp(%2)
                                                      %4 = sum(%3) {axis=(1,), keepdims=true}
                                                      %5 = div(%3, %4)

A softmax is then a part of a loop like what stands around it. It rounds otherwise than its own forward
does, and so is not part of the default pipeline.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.tensor import wrap
from minigraph.core.types import TensorType, float32
from minigraph.ir.graph import Graph
from minigraph.operators.scalar_expressions import FOLDS, SCALARS
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize.inline_bodies import inline_body, replace_node

TOL = 1e-5


@graph_pass(tol=TOL)
def open_composites(graph: Graph, *, options: Options) -> None:
    """softmax(x) -> div(exp(x - max), sum): float32 composites that loops can compute; values up to 1e-5."""
    waiting = [node for node in graph.topological() if _is_composite(graph, node)]
    for node in waiting:  # grows while it is walked
        parts = _expansion(graph, node)
        if _is_loop_computable(parts) and should_rewrite(graph, "open", node):
            first_new = graph.next_id
            values = inline_body(graph, node, parts, graph.ins(node), graph.loc(node))
            made = range(first_new, graph.next_id)
            replace_node(graph, node, values, made)
            waiting += [new for new in made if _is_composite(graph, new)]
            options.tally["open"].rewrites += 1


def _is_composite(graph: Graph, node: int) -> bool:
    """Whether a node is made of others, of float32, and no loop computes it as it is."""
    op = graph.op(node)
    if op.expand is None or op in SCALARS or op.effects:
        return False
    return all(graph.type(ref).dtype is float32 for ref in graph.ins(node))


def _expansion(graph: Graph, node: int) -> Graph:
    """The graph that a composite operator stands for."""
    expand = graph.op(node).expand
    assert expand is not None
    return trace(partial(expand, **graph.call_attrs(node)), *(_placeholder(graph.type(ref)) for ref in graph.ins(node)))


def _placeholder(type: TensorType) -> object:
    """A tensor of a type that takes no memory."""
    return wrap(np.broadcast_to(np.zeros((), type.dtype.numpy), type.shape))


def _is_loop_computable(graph: Graph) -> bool:
    """Whether loops can compute all nodes of a graph, or what they in turn are made of."""
    return all(
        graph.op(node).is_leaf or graph.op(node) in SCALARS or graph.op(node) in FOLDS
        or (_is_composite(graph, node) and _is_loop_computable(_expansion(graph, node)))
        for node in graph.topological()
    )  # fmt: skip
