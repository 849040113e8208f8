"""Products on operands in the cube's own layout: conversions around them, and none where one product feeds the next.

::

    %3 = matmul(%0, %1)                       %8 = to_nz(%0)       %9 = to_nz(%1)     %10 = to_nz(%2)
    %4 = relu(%3)                 ->          %11 = fused(%8, %9) {name="MatMulNZ"}
    %5 = matmul(%4, %2)                       %12 = relu(%11)
                                              %13 = fused(%12, %10) {name="MatMulNZ"}
                                              %14 = to_nd(%13) {shape=(4, 4)}

What a chip without conversion on the fly must do. The body of a product converts, multiplies and converts back, which
costs nothing there. Elementwise work stays in the layout: a bias along rows is laid out to fit. The padding is cut
off in the end, whatever became of it, and a product depends on values alone; so every bit stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.types import TensorType
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.ir.outline import Group, outline_groups
from minigraph.operators.fractal_nz import ROW_BYTES, TO_ND, TO_NZ
from minigraph.operators.joining import PAD
from minigraph.operators.linalg import MATMUL
from minigraph.operators.views import RESHAPE
from passes.core.gate import permitted
from passes.core.registry import Options, graph_pass
from passes.rewrite.index import mark_of

NAME = "MatMulNZ"


@graph_pass(sink=True)
def nz_layouts(graph: Graph, *, options: Options) -> None:
    """x @ w -> to_nd(to_nz(x) @ to_nz(w)): products in the cube's own layout; keeps every bit.

    With ``sink``, what follows element by element stays in the layout.
    """
    groups = []
    first_new = graph.next_id
    for node in graph.topological():
        if _is_product(graph, node) and permitted(graph, NAME, node):
            groups.append(_product(graph, node))
            options.tally[NAME].rewrites += 1
        elif options["sink"] and _stays(graph, node) and permitted(graph, "stay in NZ", node):
            _elementwise(graph, node)
            options.tally["stay in NZ"].rewrites += 1
    mark = mark_of(graph.by, NAME)
    outline_groups(graph, [Group(nodes, {"name": NAME}, (nodes[-1],), by=mark) for nodes in groups])
    _erase_unused(graph, first_new)


# ---- products ----------------------------------------------------------------------------------------


def _is_product(graph: Graph, node: int) -> bool:
    """A product of matrices, of which a block holds a whole number of elements."""
    types = [graph.type(ref) for ref in graph.ins(node)] if graph.op(node) is MATMUL else []
    return bool(types) and all(t.ndim >= 2 and t.dtype.kind == "f" for t in types)


def _product(graph: Graph, node: int) -> tuple[int, ...]:
    """The nodes of the product in NZ, which are to be outlined; conversions stand around them."""
    type = graph.types(node)[0]
    given = [_in_blocks(graph, ref, node) for ref in graph.ins(node)]
    plain = [
        graph.emit(TO_ND, (ref,), {"shape": graph.type(old).shape[-2:]}, sources=(node,))
        for ref, old in zip(given, graph.ins(node), strict=True)
    ]
    product = graph.emit(MATMUL, plain, graph.attrs(node), sources=(node,))
    result = graph.emit(TO_NZ, (product,), sources=(node,))
    _replace(graph, node, result, type, (*plain, product, result))
    return (*plain, product, result)


def _in_blocks(graph: Graph, ref: Ref, node: int) -> Ref:
    """A value in NZ: what it was before its conversion to ND, or its conversion."""
    made_by = producer(ref)
    if graph.op(made_by) is TO_ND:
        return graph.ins(made_by)[0]
    turned = (user for user in graph.users(made_by) if graph.op(user) is TO_NZ and graph.ins(user)[0] == ref)
    found = next(turned, None)
    return graph.emit(TO_NZ, (ref,), sources=(node,)) if found is None else found


def _replace(graph: Graph, node: int, result: int, type: TensorType, made: Sequence[int]) -> None:
    """Let the users take the result in ND, and move the order of the old node to what is new."""
    plain = graph.emit(TO_ND, (result,), {"shape": type.shape[-2:]}, sources=(node,))
    for first in graph.before(node):
        for new in made:
            graph.order(first, new, graph.order_kind(first, node))
    for last in graph.after(node):
        graph.order(result, last, graph.order_kind(node, last))
    graph.replace_uses({node: plain})
    graph.erase((node,))


# ---- what stays in the layout ------------------------------------------------------------------------


def _stays(graph: Graph, node: int) -> bool:
    """Elementwise work on values that come from NZ, and numbers or rows beside them."""
    op, types = graph.op(node), graph.types(node)
    if op.family != "elementwise" or op.effects or len(types) != 1 or types[0].ndim < 2:
        return False
    large = [ref for ref in graph.ins(node) if _is_from_blocks(graph, ref, types[0])]
    rest = [graph.type(ref) for ref in graph.ins(node) if ref not in large]
    return bool(large) and all(t.dtype.itemsize == types[0].dtype.itemsize and _is_row(t, types[0]) for t in rest)


def _is_from_blocks(graph: Graph, ref: Ref, like: TensorType) -> bool:
    return graph.type(ref) == like and graph.op(producer(ref)) is TO_ND


def _is_row(type: TensorType, like: TensorType) -> bool:
    """One number, or one for each column."""
    return type.size == 1 or (type.shape[-1] == like.shape[-1] and type.size == type.shape[-1])


def _elementwise(graph: Graph, node: int) -> None:
    type = graph.types(node)[0]
    ins = [
        graph.ins(producer(ref))[0] if _is_from_blocks(graph, ref, type) else _row_in_blocks(graph, ref, node)
        for ref in graph.ins(node)
    ]
    result = graph.emit(graph.op(node), ins, graph.attrs(node), sources=(node,))
    _replace(graph, node, result, type, (result,))


def _row_in_blocks(graph: Graph, ref: Ref, node: int) -> Ref:
    """A row laid out so that it broadcasts against a matrix in NZ: [n] as [n / n0, 1, 1, n0]; a number as it is."""
    type = graph.type(ref)
    if type.size == 1:
        return graph.emit(RESHAPE, (ref,), {"shape": ()}, sources=(node,)) if type.ndim > 4 else ref
    wide, length = ROW_BYTES // type.dtype.itemsize, type.shape[-1]
    flat: Ref = ref if type.ndim == 1 else graph.emit(RESHAPE, (ref,), {"shape": (length,)}, sources=(node,))
    if length % wide:
        widths = ((0, -length % wide),)
        flat = graph.emit(PAD, (flat,), {"widths": widths, "value": 0.0}, sources=(node,))
    shape = (-(-length // wide), 1, 1, wide)
    return graph.emit(RESHAPE, (flat,), {"shape": shape}, sources=(node,))


def _erase_unused(graph: Graph, first_new: int) -> None:
    """Take away conversions that nobody asked for in the end."""
    for node in sorted((node for node in graph if node >= first_new), reverse=True):
        if graph.op(node) in (TO_ND, TO_NZ) and not graph.use_count(node) and not graph.after(node):
            graph.erase((node,))
