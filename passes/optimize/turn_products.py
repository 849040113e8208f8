"""A transpose around a product of a transposed operand goes into the product.

::

    %2 = transpose(%0) {axes=(1, 0)}
    %3 = matmul(%2, %1)                       ->    %5 = transpose(%1) {axes=(1, 0)}
    %4 = transpose(%3) {axes=(1, 0)}                %6 = matmul(%5, %0)

The gradient of a weight that is used transposed, as a dense layer's is, is such a product. Both add the same terms,
but BLAS takes blocks of rows and columns by other kernels than blocks of columns and rows, so results may move by
rounding (of random shapes up to 800, a tenth of the float32 products and a sixth of the float64 ones; integers
never), and this is no part of a default pipeline; ``fast`` has it.
"""

from __future__ import annotations

from typing import Any

from minigraph.core.op import apply
from minigraph.ir.graph import Graph, Ref
from minigraph.operators.linalg import MATMUL
from minigraph.operators.views import TRANSPOSE
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.rewrite import apply_rules
from passes.rewrite.rule import rule

TOL = 1e-5  # relative, in float32


def _transposed(x: Any) -> Any:
    return apply("transpose", x, axes=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def _weight_gradients(x: Any, g: Any, w: Any) -> Any:
    """Left, right and both operands transposed."""
    left, right = _transposed(x) @ g, _transposed(w) @ _transposed(x)
    return _transposed(left), _transposed(right), _transposed(x @ _transposed(g))


@rule(root=TRANSPOSE, exact=False, tol=TOL,
      on=examples(_weight_gradients, ((3, 2), (3, 2), (2, 4)),
                  ((1, 5), (1, 5), (5, 2)), ((2, 3, 2), (2, 3, 2), (2, 2, 4))))  # fmt: skip
def turn_product(graph: Graph, node: int) -> Ref | None:
    """transpose(matmul(transpose(a), b)) -> matmul(transpose(b), a): the same terms, maybe by another kernel."""
    (product,), attrs = graph.ins(node), graph.attrs(node)
    if not isinstance(product, int) or graph.op(product) is not MATMUL or not _swaps(attrs["axes"]):
        return None
    left, right = graph.ins(product)
    if graph.use_count(product) > 1 or graph.is_out(product) or not _alike(graph, product):
        return None
    if not (_is_turned(graph, left, attrs) or _is_turned(graph, right, attrs)):
        return None
    turned = [_turned(graph, ref, node) for ref in (right, left)]
    return graph.emit(MATMUL, turned, sources=(node, product))


def _swaps(axes: tuple[int, ...]) -> bool:
    """Whether matrices are transposed where they are."""
    last = len(axes) - 1
    return last > 0 and axes == (*range(last - 1), last, last - 1)


def _alike(graph: Graph, product: int) -> bool:
    """Whether both operands have as many axes as the product."""
    return {len(graph.type(ref).shape) for ref in graph.ins(product)} == {len(graph.type(product).shape)}


def _is_turned(graph: Graph, ref: Ref, attrs: Any) -> bool:
    return isinstance(ref, int) and graph.op(ref) is TRANSPOSE and graph.attrs(ref) == attrs


def _turned(graph: Graph, ref: Ref, node: int) -> Ref:
    """What an operand shows transposed, or a transpose of it."""
    attrs = graph.attrs(node)
    return graph.ins(ref)[0] if _is_turned(graph, ref, attrs) else graph.emit(TRANSPOSE, (ref,), attrs, sources=(node,))  # type: ignore[arg-type]


RULES = (turn_product,)


@graph_pass(tol=TOL)
def turn_products(graph: Graph, *, options: Options) -> None:
    """transpose(matmul(transpose(a), b)) -> matmul(transpose(b), a): a transpose less; values up to 1e-5."""
    apply_rules(graph, RULES, options.tally)
