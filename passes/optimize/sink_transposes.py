"""Transpose sinking: transposes move past elementwise operators towards the outputs until two of them cancel.

::

    %1 = transpose(%0) {axes=(1, 0)}
    %2 = exp(%1)                                ->    %4 = exp(%0)
    %3 = transpose(%2) {axes=(1, 0)}

A bias along one axis is reshaped to that axis before the transpose. Every element is computed from the same elements,
and products and reductions give bits that do not depend on the memory order of their operands. So the pass keeps
every bit.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.views import RESHAPE, TRANSPOSE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.optimize.canonicalize import compose_transposes
from passes.rewrite.driver import apply_rules

Axes = tuple[int, ...]


@graph_pass
def sink_transposes(graph: Graph, *, options: Options) -> None:
    """exp(x.T).T -> exp(x): transposes sink past elementwise nodes until they cancel; keeps every bit.

    Sinks every transpose whose only user is elementwise, then composes consecutive transposes.
    """
    for node in graph.topological():
        axes = _common_axes(graph, node)
        if axes is not None and should_rewrite(graph, "sink", node):
            _sink(graph, node, axes)
            options.statistics["sink"].rewrites += 1
    apply_rules(graph, [compose_transposes], options.statistics)


def _common_axes(graph: Graph, node: int) -> Axes | None:
    """The axes by which all full-shape operands are transposed; ``None`` if they differ or one is not transposed."""
    op, shape = graph.op(node), graph.types(node)[0].shape if graph.types(node) else ()
    if op.family != "elementwise" or op.effects or graph.before(node) or graph.after(node):
        return None
    orders: set[Axes] = set()
    for ref in graph.ins(node):
        if graph.type(ref).shape == shape and _is_transposed(graph, ref, node):
            orders.add(graph.attrs(producer(ref))["axes"])
        elif sum(n > 1 for n in graph.type(ref).shape) > 1:
            return None
    return orders.pop() if len(orders) == 1 else None


def _is_transposed(graph: Graph, ref: Ref, user: int) -> bool:
    """Whether a value is a transpose with this node as its only user."""
    at = producer(ref)
    if graph.op(at) is not TRANSPOSE or graph.is_out(at) or graph.before(at):
        return False
    return list(graph.successors(at)) == [user]


def _sink(graph: Graph, node: int, axes: Axes) -> None:
    """Replace a node by the same operator on the untransposed operands and a transpose of its result."""
    shape, ins = graph.types(node)[0].shape, graph.ins(node)
    transposes = [producer(ref) for ref in ins if graph.type(ref).shape == shape and _is_transposed(graph, ref, node)]
    sources = (node, *dict.fromkeys(transposes))
    operands = [
        graph.ins(producer(ref))[0] if producer(ref) in transposes else _transpose_back(graph, ref, axes, sources)
        for ref in ins
    ]
    inner = graph.emit(graph.op(node), operands, graph.attrs(node), sources=sources)
    outer = graph.emit(TRANSPOSE, (inner,), {"axes": axes}, sources=sources)
    graph.replace_uses({node: outer})
    graph.erase(sources)


def _transpose_back(graph: Graph, ref: Ref, axes: Axes, sources: tuple[int, ...]) -> Ref:
    """An operand with at most one axis of size > 1, with that axis at its position before the transpose."""
    old = graph.type(ref).shape
    if graph.type(ref).size == 1:
        return ref
    padded = (1,) * (len(axes) - len(old)) + old
    shape = tuple(padded[axes.index(k)] for k in range(len(axes)))
    return graph.emit(RESHAPE, (ref,), {"shape": shape}, sources=sources)
