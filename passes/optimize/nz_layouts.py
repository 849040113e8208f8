"""Assigns the fractal layout NZ of the cube unit: conversions around products, but none between consecutive products.

::

    %3 = matmul(%0, %1)                       %8 = to_nz(%0)       %9 = to_nz(%1)     %10 = to_nz(%2)
    %4 = relu(%3)                 ->          %11 = fused(%8, %9) {name="MatMulNZ"}
    %5 = matmul(%4, %2)                       %12 = relu(%11)
                                              %13 = fused(%12, %10) {name="MatMulNZ"}
                                              %14 = to_nd(%13) {shape=(4, 4)}

For a chip that does not convert layouts on the fly. The body of a product converts to ND, multiplies and converts back,
which is free there. Elementwise operators stay in NZ; a bias along rows is brought into NZ. The padding is removed at
the end, and a product depends on values only, so the pass keeps every bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.ir.outline import Group, outline_groups
from minigraph.operators.fractal_nz import BLOCK_ROW_BYTES, TO_ND, TO_NZ
from minigraph.operators.joining import PAD
from minigraph.operators.linalg import MATMUL
from minigraph.operators.views import RESHAPE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite
from passes.rewrite.rule_index import provenance_label

KERNEL_NAME = "MatMulNZ"


@graph_pass(sink=True)
def nz_layouts(graph: Graph, *, options: Options) -> None:
    """x @ w -> to_nd(to_nz(x) @ to_nz(w)): products in the layout of the cube unit; keeps every bit.

    With ``sink``, elementwise operators after a product stay in NZ.
    """
    groups = []
    first_new = graph.next_id
    for node in graph.topological():
        if _is_product(graph, node) and should_rewrite(graph, KERNEL_NAME, node):
            groups.append(_emit_nz_product(graph, node))
            options.statistics[KERNEL_NAME].rewrites += 1
        elif options["sink"] and _can_stay_in_nz(graph, node) and should_rewrite(graph, "stay in NZ", node):
            _move_to_nz(graph, node)
            options.statistics["stay in NZ"].rewrites += 1
    label = provenance_label(graph.by, KERNEL_NAME)
    outline_groups(graph, [Group(nodes, {"name": KERNEL_NAME}, (nodes[-1],), by=label) for nodes in groups])
    _erase_unused(graph, first_new)


# ---- products ----------------------------------------------------------------------------------------


def _is_product(graph: Graph, node: int) -> bool:
    """Whether a node is a float product of matrices."""
    types = [graph.type(ref) for ref in graph.ins(node)] if graph.op(node) is MATMUL else []
    return bool(types) and all(t.ndim >= 2 and t.dtype.kind == "f" for t in types)


def _emit_nz_product(graph: Graph, node: int) -> tuple[int, ...]:
    """Emit a product on NZ operands with conversions around it; returns its nodes, which are to be outlined."""
    type = graph.types(node)[0]
    operands = [_to_nz(graph, ref, node) for ref in graph.ins(node)]
    in_nd = [
        graph.emit(TO_ND, (ref,), {"shape": graph.type(old).shape[-2:]}, sources=(node,))
        for ref, old in zip(operands, graph.ins(node), strict=True)
    ]
    product = graph.emit(MATMUL, in_nd, graph.attrs(node), sources=(node,))
    result = graph.emit(TO_NZ, (product,), sources=(node,))
    _replace(graph, node, result, type, (*in_nd, product, result))
    return (*in_nd, product, result)


def _to_nz(graph: Graph, ref: Ref, node: int) -> Ref:
    """A value in NZ: the operand of its conversion to ND, an existing conversion to NZ, or a new one."""
    source = producer(ref)
    if graph.op(source) is TO_ND:
        return graph.ins(source)[0]
    users = (user for user in graph.users(source) if graph.op(user) is TO_NZ and graph.ins(user)[0] == ref)
    converted = next(users, None)
    return graph.emit(TO_NZ, (ref,), sources=(node,)) if converted is None else converted


def _replace(graph: Graph, node: int, result: int, type: TensorType, new_nodes: Sequence[int]) -> None:
    """Replace a node by the result converted to ND, and move its order edges to the new nodes."""
    in_nd = graph.emit(TO_ND, (result,), {"shape": type.shape[-2:]}, sources=(node,))
    for first in graph.before(node):
        for new in new_nodes:
            graph.order(first, new, graph.order_kind(first, node))
    for last in graph.after(node):
        graph.order(result, last, graph.order_kind(node, last))
    graph.replace_uses({node: in_nd})
    graph.erase((node,))


# ---- elementwise operators ---------------------------------------------------------------------------


def _can_stay_in_nz(graph: Graph, node: int) -> bool:
    """Whether a node is elementwise on values converted from NZ and, besides these, scalars or rows."""
    op, types = graph.op(node), graph.types(node)
    if op.family != "elementwise" or op.effects or len(types) != 1 or types[0].ndim < 2:
        return False
    converted = [ref for ref in graph.ins(node) if _is_from_nz(graph, ref, types[0])]
    rest = [graph.type(ref) for ref in graph.ins(node) if ref not in converted]
    return bool(converted) and all(t.dtype.itemsize == types[0].dtype.itemsize and _is_row(t, types[0]) for t in rest)


def _is_from_nz(graph: Graph, ref: Ref, like: TensorType) -> bool:
    return graph.type(ref) == like and graph.op(producer(ref)) is TO_ND


def _is_row(type: TensorType, like: TensorType) -> bool:
    """Whether a type is a scalar, or has one element for each column."""
    return type.size == 1 or (type.shape[-1] == like.shape[-1] and type.size == type.shape[-1])


def _move_to_nz(graph: Graph, node: int) -> None:
    type = graph.types(node)[0]
    ins = [
        graph.ins(producer(ref))[0] if _is_from_nz(graph, ref, type) else _row_to_nz(graph, ref, node)
        for ref in graph.ins(node)
    ]
    result = graph.emit(graph.op(node), ins, graph.attrs(node), sources=(node,))
    _replace(graph, node, result, type, (result,))


def _row_to_nz(graph: Graph, ref: Ref, node: int) -> Ref:
    """A row reshaped to broadcast against a matrix in NZ: [n] as [n / n0, 1, 1, n0]; a scalar stays a scalar."""
    type = graph.type(ref)
    if type.size == 1:
        return graph.emit(RESHAPE, (ref,), {"shape": ()}, sources=(node,)) if type.ndim > 4 else ref
    width, length = BLOCK_ROW_BYTES // type.dtype.itemsize, type.shape[-1]
    flat: Ref = ref if type.ndim == 1 else graph.emit(RESHAPE, (ref,), {"shape": (length,)}, sources=(node,))
    if length % width:
        flat = graph.emit(PAD, (flat,), {"widths": ((0, -length % width),), "value": 0.0}, sources=(node,))
    shape = (-(-length // width), 1, 1, width)
    return graph.emit(RESHAPE, (flat,), {"shape": shape}, sources=(node,))


def _erase_unused(graph: Graph, first_new: int) -> None:
    """Erase new conversions without a user."""
    for node in sorted((node for node in graph if node >= first_new), reverse=True):
        if graph.op(node) in (TO_ND, TO_NZ) and not graph.use_count(node) and not graph.after(node):
            graph.erase((node,))
