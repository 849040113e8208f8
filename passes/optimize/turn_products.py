"""A transpose around a product of a transposed operand goes into the product.

::

    %2 = transpose(%0) {axes=(1, 0)}
    %3 = matmul(%2, %1)                       ->    %5 = transpose(%1) {axes=(1, 0)}
    %4 = transpose(%3) {axes=(1, 0)}                %6 = matmul(%5, %0)

The gradient of a weight that is used transposed, as a dense layer's is, is such a product. Both add the same terms,
but BLAS takes blocks of rows and columns by other kernels than blocks of columns and rows, so results may move by
rounding (of random shapes up to 800, a tenth of the float32 products and a sixth of the float64 ones with the kernels
for AVX-512, none with those for AVX2). So this is no part of a default pipeline; ``fast`` has it. With ``exact`` it
keeps every bit: only those products are rewritten of which this machine's BLAS gives the same bits either way, which
is tried once for the types of the operands. The pipeline ``numpy`` has that.
"""

from __future__ import annotations

from typing import Any

from minigraph.core.op import apply
from minigraph.ir.graph import Graph, Ref
from minigraph.operators.linalg import MATMUL, is_exact_transposed
from minigraph.operators.views import TRANSPOSE
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.driver import apply_rules
from passes.rewrite.rule import rule

TOL = 1e-5  # relative, in float32


def _transposed(x: Any) -> Any:
    return apply("transpose", x, axes=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def _weight_gradients(x: Any, g: Any, w: Any) -> Any:
    """Left, right and both operands transposed."""
    left, right = _transposed(x) @ g, _transposed(w) @ _transposed(x)
    return _transposed(left), _transposed(right), _transposed(x @ _transposed(g))


EXAMPLES = examples(
    _weight_gradients, ((3, 2), (3, 2), (2, 4)), ((1, 5), (1, 5), (5, 2)), ((2, 3, 2), (2, 3, 2), (2, 2, 4))
)


@rule(root=TRANSPOSE, exact=False, tol=TOL, on=EXAMPLES)
def turn_product(graph: Graph, node: int) -> Ref | None:
    """transpose(matmul(transpose(a), b)) -> matmul(transpose(b), a): the same terms, maybe by another kernel."""
    product = _product_of(graph, node)
    return None if product is None else _transposed_product(graph, node, product)


@rule(root=TRANSPOSE, on=EXAMPLES)
def turn_exact_product(graph: Graph, node: int) -> Ref | None:
    """The same where BLAS gives the product and its transpose the same bits, which is tried."""
    product = _product_of(graph, node)
    if product is None:
        return None
    left, right = graph.ins(product)
    views = [_is_transposed(graph, ref, graph.attrs(node)) for ref in (left, right)]
    is_exact = is_exact_transposed(graph.type(left), graph.type(right), *views)
    return _transposed_product(graph, node, product) if is_exact else None


def _product_of(graph: Graph, node: int) -> int | None:
    """The product, of one reader and a transposed operand, that a node transposes."""
    (product,), attrs = graph.ins(node), graph.attrs(node)
    if not isinstance(product, int) or graph.op(product) is not MATMUL or not _swaps_last_axes(attrs["axes"]):
        return None
    if graph.use_count(product) > 1 or graph.is_out(product) or not _has_equal_ranks(graph, product):
        return None
    return product if any(_is_transposed(graph, ref, attrs) for ref in graph.ins(product)) else None


def _transposed_product(graph: Graph, node: int, product: int) -> Ref:
    transposed = [_transpose_operand(graph, ref, node) for ref in reversed(graph.ins(product))]
    return graph.emit(MATMUL, transposed, sources=(node, product))


def _swaps_last_axes(axes: tuple[int, ...]) -> bool:
    """Whether matrices are transposed where they are."""
    last = len(axes) - 1
    return last > 0 and axes == (*range(last - 1), last, last - 1)


def _has_equal_ranks(graph: Graph, product: int) -> bool:
    """Whether both operands have as many axes as the product."""
    return {len(graph.type(ref).shape) for ref in graph.ins(product)} == {len(graph.type(product).shape)}


def _is_transposed(graph: Graph, ref: Ref, attrs: Any) -> bool:
    return isinstance(ref, int) and graph.op(ref) is TRANSPOSE and graph.attrs(ref) == attrs


def _transpose_operand(graph: Graph, ref: Ref, node: int) -> Ref:
    """What an operand shows transposed, or a transpose of it."""
    attrs = graph.attrs(node)
    return graph.ins(ref)[0] if _is_transposed(graph, ref, attrs) else graph.emit(TRANSPOSE, (ref,), attrs, sources=(node,))  # type: ignore[arg-type]


RULES = (turn_product, turn_exact_product)


@graph_pass(tol=TOL, exact=False)
def turn_products(graph: Graph, *, options: Options) -> None:
    """transpose(matmul(transpose(a), b)) -> matmul(transpose(b), a): a transpose less; values up to 1e-5.

    ``exact``: only where this machine's BLAS gives the same bits.
    """
    apply_rules(graph, (turn_exact_product if options["exact"] else turn_product,), options.tally)
