"""Merges a sum of matrix products with short contractions into one product of concatenated factors.

::

    %4 = matmul(%0, %1)                         %7 = concat(%0, %2) {axis=1}
    %5 = matmul(%2, %3)                   ->    %8 = concat(%1, %3) {axis=0}
    %6 = add(%4, %5)                            %9 = matmul(%7, %8)

The gradient of a weight that a loop uses is such a sum, with one product for each iteration. The merged product sums in
another order, so results change by rounding, and the pass is not part of a default pipeline; ``fast`` has it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from minigraph.core.op import Op
from minigraph.ir.exact_keys import exact_attrs_key
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.elementwise import ADD
from minigraph.operators.indexing import INDEX_ADD
from minigraph.operators.joining import CONCAT
from minigraph.operators.linalg import MATMUL
from minigraph.operators.views import TRANSPOSE
from passes.core.registry import Options, graph_pass
from passes.core.rewrite_limit import should_rewrite

RELATIVE_TOLERANCE = 1e-5  # in float32


class Term(NamedTuple):
    """A product that is a term of a sum: its nodes, outermost first, and its factors.

    The outer of two nodes is an ``index_add`` that pads the product with zeros.
    """

    nodes: tuple[int, ...]
    left: Ref
    right: Ref


@graph_pass(min_products=3, max_contraction=32, tol=RELATIVE_TOLERANCE)
def merge_products(graph: Graph, *, options: Options) -> None:
    """a @ b + c @ d -> concat(a, c) @ concat(b, d): merges sums of short products; within 1e-5.

    Merges at least ``min_products`` products that each contract at most ``max_contraction`` elements; longer ones gain
    nothing. Products that ``index_add`` adds at the same key of a tensor are merged before it.
    """
    for root in graph.topological():
        if _is_sum(graph, root) and not _is_inner_sum(graph, root):
            adds, terms = _terms(graph, root)
            groups = [group for group in _groups(graph, terms, options) if len(group) >= options["min_products"]]
            if groups and should_rewrite(graph, "merge", root):
                _merge(graph, root, adds, terms, groups)
                options.statistics["merge"].rewrites += 1


def _is_sum(graph: Graph, node: int) -> bool:
    """Whether a node adds two tensors of its own type and has no order edges."""
    has_operands_of_its_type = {*map(graph.type, graph.ins(node))} == {*graph.types(node)}
    return graph.op(node) is ADD and _is_unordered(graph, node) and has_operands_of_its_type


def _is_unordered(graph: Graph, node: int) -> bool:
    return not graph.before(node) and not graph.after(node)


def _has_single_use(graph: Graph, ref: Ref) -> bool:
    """Whether a value has one use, by a node, and no order edges."""
    return isinstance(ref, int) and graph.use_count(ref) == 1 and not graph.is_out(ref) and _is_unordered(graph, ref)


def _is_inner_sum(graph: Graph, node: int) -> bool:
    """Whether a sum is only a term of another sum."""
    return _has_single_use(graph, node) and _is_sum(graph, graph.users(node)[0])


def _terms(graph: Graph, root: int) -> tuple[list[int], list[Ref]]:
    """The additions of a sum, and its terms from left to right."""
    adds, terms, stack = [], list[Ref](), [root]
    while stack:
        ref = stack.pop()
        if ref == root or (_has_single_use(graph, ref) and _is_sum(graph, producer(ref))):
            adds.append(producer(ref))
            stack += reversed(graph.ins(producer(ref)))  # type: ignore[arg-type]
        else:
            terms.append(ref)
    return adds, terms


def _groups(graph: Graph, terms: Sequence[Ref], options: Options) -> list[list[Term]]:
    """The products among the terms, grouped by compatible shapes and outer nodes."""
    groups: dict[Hashable, list[Term]] = defaultdict(list)
    for term in _products(graph, terms):
        left, right = graph.type(term.left), graph.type(term.right)
        if (
            len(left.shape) == len(right.shape) == 2
            and left.shape[1] <= options["max_contraction"]
            and left.dtype.is_float
        ):
            outer = term.nodes[0]
            groups[left.shape[0], right.shape[1], graph.op(outer), exact_attrs_key(graph.attrs(outer))].append(term)
    return list(groups.values())


def _products(graph: Graph, terms: Sequence[Ref]) -> Iterator[Term]:
    for ref in terms:
        if not _has_single_use(graph, ref):
            continue
        node, inner = producer(ref), producer(ref)
        if graph.op(node) is INDEX_ADD and len(graph.ins(node)) == 1 and _has_single_use(graph, graph.ins(node)[0]):
            inner = producer(graph.ins(node)[0])
        if graph.op(inner) is MATMUL:
            yield Term((node, inner)[: 1 + (inner != node)], *graph.ins(inner))


def _merge(graph: Graph, root: int, adds: list[int], terms: list[Ref], groups: list[list[Term]]) -> None:
    """Rebuild the sum with one product for each group, at the position of the group's first term."""
    merged = {group[0].nodes[0]: _emit_merged(graph, group) for group in groups}
    consumed = [node for group in groups for term in group for node in term.nodes]
    terms = [merged.get(producer(ref), ref) for ref in terms if ref in merged or producer(ref) not in consumed]
    total: Ref = terms[0]
    for ref in terms[1:]:
        total = graph.emit(ADD, (total, ref), sources=(root,))
    graph.replace_uses({root: total})
    graph.erase([*adds, *consumed])


def _emit_merged(graph: Graph, group: list[Term]) -> Ref:
    """One product for a group, inside of the group's outer operator if it has one."""
    sources = tuple(node for term in group for node in term.nodes)
    left = _concat_left_factors(graph, [term.left for term in group], sources)
    right = graph.emit(CONCAT, [term.right for term in group], {"axis": 0}, sources=sources)
    product = graph.emit(MATMUL, (left, right), sources=sources)
    outer = group[0].nodes[0]
    op: Op = graph.op(outer)
    return product if op is MATMUL else graph.emit(op, (product,), graph.attrs(outer), sources=sources)


def _concat_left_factors(graph: Graph, factors: list[Ref], sources: tuple[int, ...]) -> Ref:
    """The left factors concatenated along axis 1; transposed ones along axis 0 of their operands, a faster copy."""
    nodes = [producer(ref) for ref in factors]
    if any(graph.op(node) is not TRANSPOSE for node in nodes):
        return graph.emit(CONCAT, factors, {"axis": 1}, sources=sources)
    rows = graph.emit(CONCAT, [graph.ins(node)[0] for node in nodes], {"axis": 0}, sources=sources)
    return graph.emit(TRANSPOSE, (rows,), {"axes": (1, 0)}, sources=sources)
