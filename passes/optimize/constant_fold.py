"""Constant folding: nodes with only constant operands are evaluated at compile time.

::

    %1 = const() {value=f32[]<2.0>}             %3 = const() {value=f32[]<1.4142135>}
    %2 = sqrt(%1)                         ->    %4 = mul(%0, %3)
    %4 = mul(%0, %2)
"""

from __future__ import annotations

import numpy as np

from minigraph.core.op import forward_of
from minigraph.core.scope_guard import call_ignoring_float_errors
from minigraph.core.types import type_of
from minigraph.ir.graph import Graph, Ref, producer, reference
from minigraph.ir.structural_ops import CONST, Literal
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite

Values = dict[int, tuple[np.ndarray, ...]]


@graph_pass(max_bytes=65536)
def constant_fold(graph: Graph, *, options: Options) -> None:
    """sqrt(2.0) -> 1.4142135: evaluates nodes with only constant operands; keeps every bit.

    Evaluates the operator's own ``forward``, so the bits are those that the program would compute. Not folded: effects,
    nodes with incoming order edges, nodes without operands (cheaper to compute than to store), results of more than
    ``max_bytes``, and results to which numpy gives another type or memory order (a transposed view), because a matrix
    product may round differently on another memory order.
    """
    if not any(op.role == "const" for op in graph.operators()):
        return
    values: Values = {}
    node_data, constants, max_bytes = graph.node_map(), 0, options["max_bytes"]
    for node in graph.topological():
        data = node_data[node]
        if data["op"].role == "const":
            values[node] = (data["attrs"]["value"].array,)
            constants += 1
        elif data["ins"] and producer(data["ins"][0]) in values and _is_foldable(graph, node, values, max_bytes):
            values.update(_evaluate(graph, node, values))
    folded = _nodes_to_fold(graph, values) if len(values) > constants else None
    if folded:
        _replace(graph, values, folded)


def _is_foldable(graph: Graph, node: int, values: Values, max_bytes: int) -> bool:
    op, ins = graph.op(node), graph.ins(node)
    return (
        op.role == "compute"
        and bool(ins)
        and all(producer(ref) in values for ref in ins)
        and not op.effects
        and not graph.regions(node)
        and not graph.before(node)
        and sum(t.nbytes for t in graph.types(node)) <= max_bytes
    )


def _evaluate(graph: Graph, node: int, values: Values) -> Values:
    """The results of one node, or an empty dict if their types are not the inferred ones."""
    operands = [values[producer(ref)][0 if isinstance(ref, int) else ref[1]] for ref in graph.ins(node)]
    kernel = forward_of(graph.op(node), [array.dtype for array in operands])
    out = call_ignoring_float_errors(kernel, *operands, **graph.attrs(node))
    arrays = tuple(np.asarray(item) for item in (out if isinstance(out, tuple) else (out,)))
    return {node: arrays} if tuple(map(type_of, arrays)) == graph.types(node) else {}


def _nodes_to_fold(graph: Graph, values: Values) -> set[int]:
    """The nodes to fold: all of whose users are folded, or whose results are C-contiguous, so usable as constants.

    Visits users before operands: a node that stays needs its operands as constants.
    """
    folded: set[int] = set()
    for node in reversed(graph.topological()):
        if node in values and graph.op(node).role != "const":
            is_used = graph.is_out(node) or any(user not in folded for user in graph.users(node))
            is_usable = not is_used or all(array.flags.c_contiguous for array in values[node])
            if is_usable and should_rewrite(graph, "fold", node):
                folded.add(node)
    return folded


def _replace(graph: Graph, values: Values, folded: set[int]) -> None:
    constants: dict[Ref, Ref] = {}
    for node in sorted(folded):
        if graph.is_out(node) or any(user not in folded for user in graph.users(node)):
            for r, array in enumerate(values[node]):
                constant = graph.emit(CONST, (), {"value": Literal(array)}, [graph.types(node)[r]], sources=(node,))
                constants[reference(node, r)] = constant
    graph.replace_uses(constants, keep=folded)
    graph.erase(folded)
