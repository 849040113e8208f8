"""Inlines bodies of control flow that is decided at compile time: constant branches and loops of known trip count.

::

    %2 = const() {value=bool[]<true>}
    %3 = cond(%2, %0, %1)                       ->    %4 = add(%0, %1)
      (bodies: add, sub)

A ``cond`` with a constant condition becomes its chosen branch, a ``while_loop`` whose test is constantly false becomes
its operands, a ``scan`` over one row becomes its body on that row. The same operators run, so the pass keeps every bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from minigraph.core.location import Loc
from minigraph.ir.graph import Graph, Ref, producer, reference
from minigraph.ir.graph_reader import GraphReader
from minigraph.operators.regions import COND, SCAN, WHILE
from minigraph.operators.views import IDENTITY, RESHAPE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite


@graph_pass
def inline_bodies(graph: Graph, *, options: Options) -> None:
    """cond(true, a, b) -> a: inlines constant branches and loops of one or no iteration; keeps every bit."""
    for node in [node for node in graph.topological() if graph.op(node) in INLINABLE]:
        condition, build = INLINABLE[graph.op(node)]
        if condition(graph, node) and should_rewrite(graph, "inline", node):
            first_new = graph.next_id
            values = build(graph, node)
            replace_node(graph, node, values, range(first_new, graph.next_id))
            options.statistics["inline"].rewrites += 1


# ---- conditions --------------------------------------------------------------------------------------


def _has_constant_condition(graph: Graph, node: int) -> bool:
    return _constant_bool(graph, graph.ins(node)[0]) is not None


def _has_no_iteration(graph: Graph, node: int) -> bool:
    test = graph.regions(node)[0]
    return _constant_bool(test, test.outs[0]) is False and not any(test.effects(inner) for inner in test)


def _has_one_iteration(graph: Graph, node: int) -> bool:
    return bool(graph.attrs(node)["length"] == 1)


def _constant_bool(graph: GraphReader, ref: Ref) -> bool | None:
    """The truth value of a constant; ``None`` for other values."""
    node = producer(ref)
    return bool(graph.attrs(node)["value"].array.item()) if graph.op(node).role == "const" else None


# ---- replacements ------------------------------------------------------------------------------------


def _inline_branch(graph: Graph, node: int) -> list[Ref]:
    """Inline the branch that the constant selects; returns its results."""
    condition, *operands = graph.ins(node)
    return inline_body(graph, node, graph.regions(node)[0 if _constant_bool(graph, condition) else 1], operands)


def _initial_values(graph: Graph, node: int) -> list[Ref]:
    """The loop's results without an iteration: its carried operands."""
    carried = graph.ins(node)[: graph.attrs(node)["carries"]]
    return [graph.emit(IDENTITY, (ref,), sources=(node,)) for ref in carried]


def _inline_iteration(graph: Graph, node: int) -> list[Ref]:
    """Inline the body of a scan on the only slice of each scanned operand; returns its results."""
    attrs, body = graph.attrs(node), graph.regions(node)[0]
    first, end = attrs["carries"], attrs["carries"] + attrs["rows"]
    operands = list(graph.ins(node))
    for k in range(first, end):
        operands[k] = _emit_reshape(graph, node, operands[k], body.type(body.inputs[k]).shape)
    results, types = inline_body(graph, node, body, operands), graph.types(node)
    rows = [_emit_reshape(graph, node, ref, types[k].shape) for k, ref in enumerate(results) if k >= first]
    return [*results[:first], *rows]


def _emit_reshape(graph: Graph, node: int, ref: Ref, shape: tuple[int, ...]) -> int:
    return graph.emit(RESHAPE, (ref,), {"shape": shape}, sources=(node,))


def inline_body(
    graph: Graph, node: int, body: GraphReader, operands: Sequence[Ref], locs: tuple[Loc, ...] | None = None
) -> list[Ref]:
    """Emit the nodes of a body on these operands; returns its results, with an identity for inputs it returns.

    With ``locs``, all nodes get these user lines, else their own.
    """
    values: dict[Ref, Ref] = dict(zip(body.inputs, operands, strict=True))
    for inner in body.topological():
        if inner not in values:
            ins = tuple(values[ref] for ref in body.ins(inner))
            loc = (body.loc(inner) or graph.loc(node)) if locs is None else locs
            new_node = graph.graft(body.op(inner), ins, body.attrs(inner), body.types(inner), loc=loc,
                               regions=body.regions(inner), sources=(node,))  # fmt: skip
            values.update((reference(inner, r), reference(new_node, r)) for r in range(len(body.types(inner)) or 1))
            for first in body.before(inner):
                graph.order(producer(values[first]), new_node, body.order_kind(first, inner))
    leaves = {ref for ref in body.outs if body.op(producer(ref)).is_leaf}
    return [graph.emit(IDENTITY, (values[r],), sources=(node,)) if r in leaves else values[r] for r in body.outs]


Condition = Callable[[Graph, int], bool]
Builder = Callable[[Graph, int], list[Ref]]
INLINABLE: dict[object, tuple[Condition, Builder]] = {
    COND: (_has_constant_condition, _inline_branch),
    WHILE: (_has_no_iteration, _initial_values),
    SCAN: (_has_one_iteration, _inline_iteration),
}


def replace_node(graph: Graph, node: int, values: Sequence[Ref], new_nodes: range) -> None:
    """Replace a node by these values; the new nodes take over its order edges.

    New effects also run after the node's operands and before its users: an inlined effect may use no operand, so data
    edges alone would not keep the order that the node's own value kept.
    """
    for new in new_nodes:
        if graph.effects(new) and not graph.op(new).is_leaf:
            for source in {*map(producer, graph.ins(node))}:
                if not graph.op(source).is_leaf:
                    graph.order(source, new, "effect")
            for user in graph.users(node):
                graph.order(new, user, "effect")
    predecessors = [(first, graph.order_kind(first, node)) for first in graph.before(node)]
    successors = [(last, graph.order_kind(node, last)) for last in graph.after(node)]
    for new in new_nodes if predecessors or successors else ():
        if not graph.op(new).is_leaf:
            for first, kind in predecessors:
                graph.order(first, new, kind)
            for last, kind in successors:
                graph.order(new, last, kind)
    for first, _ in predecessors:
        for last, kind in successors:
            graph.order(first, last, kind)
    graph.replace_uses({reference(node, r): value for r, value in enumerate(values)})
    graph.discard(node)
