"""Moves a transpose of a product into the product, if one of its operands is transposed: (a^T b)^T = b^T a.

::

    %2 = transpose(%0) {axes=(1, 0)}
    %3 = matmul(%2, %1)                       ->    %5 = transpose(%1) {axes=(1, 0)}
    %4 = transpose(%3) {axes=(1, 0)}                %6 = matmul(%5, %0)

The gradient of a weight that is used transposed, such as a dense layer's, is such a product. Both forms add the same
terms, but BLAS may use another kernel for the transposed product, so results may change by rounding (for random shapes
up to 800, in a tenth of the float32 products and a sixth of the float64 products with AVX-512 kernels, in none with
AVX2 kernels). So the pass is not part of a default pipeline; ``fast`` has it. With ``exact`` it keeps every bit: it
rewrites only products for which this machine's BLAS gives the same bits in both forms, tested once for the operand
types. The pipeline ``numpy`` uses that.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from minigraph.core.aliases import Attrs
from minigraph.core.op import apply, forward_of
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, float32, float64
from minigraph.ir.graph import Graph, Ref
from minigraph.operators.linalg import MATMUL
from minigraph.operators.views import TRANSPOSE
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.driver import apply_rules
from passes.rewrite.rule import rule

RELATIVE_TOLERANCE = 1e-5  # in float32


def _transpose(x: Tensor) -> Tensor:
    return apply("transpose", x, axes=(*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def _weight_gradients(x: Tensor, g: Tensor, w: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Products of a transposed left, right or both operands."""
    left, right = _transpose(x) @ g, _transpose(w) @ _transpose(x)
    return _transpose(left), _transpose(right), _transpose(x @ _transpose(g))


EXAMPLES = examples(
    _weight_gradients, ((3, 2), (3, 2), (2, 4)), ((1, 5), (1, 5), (5, 2)), ((2, 3, 2), (2, 3, 2), (2, 2, 4))
)


@rule(root=TRANSPOSE, exact=False, tol=RELATIVE_TOLERANCE, examples=EXAMPLES)
def transpose_product(graph: Graph, node: int) -> Ref | None:
    """transpose(matmul(transpose(a), b)) -> matmul(transpose(b), a): the same terms, maybe by another BLAS kernel."""
    product = _product_of(graph, node)
    return None if product is None else _transposed_product(graph, node, product)


@rule(root=TRANSPOSE, examples=EXAMPLES)
def transpose_exact_product(graph: Graph, node: int) -> Ref | None:
    """The same, if BLAS gives the same bits in both forms, which is tested."""
    product = _product_of(graph, node)
    if product is None:
        return None
    left, right = graph.ins(product)
    views = [_is_transposed(graph, ref, graph.attrs(node)) for ref in (left, right)]
    is_exact = is_exact_transposed(graph.type(left), graph.type(right), *views)
    return _transposed_product(graph, node, product) if is_exact else None


@lru_cache(maxsize=1024)
def is_exact_transposed(x: TensorType, y: TensorType, x_is_view: bool, y_is_view: bool) -> bool:
    """Whether ``transpose(transpose(y) @ transpose(x))`` has the bits of ``x @ y``, views of transposed arrays or not.

    It is tried on random numbers, once for operands of these types: BLAS chooses the order in which it sums by sizes,
    layout and threads, not by values. Products that BLAS does not compute are not tried.

    >>> from minigraph.core.types import int32
    >>> is_exact_transposed(TensorType((2, 3), int32), TensorType((3, 4), int32), True, False)
    False
    """
    if x.dtype not in (float32, float64):
        return False
    draw, forward = np.random.default_rng(0).standard_normal, forward_of(MATMUL)
    left, right = (
        draw((*t.shape[:-2], *reversed(t.shape[-2:])), t.dtype.numpy).swapaxes(-1, -2) if is_view
        else draw(t.shape, t.dtype.numpy)
        for t, is_view in ((x, x_is_view), (y, y_is_view))
    )  # fmt: skip
    product = forward(left, right)
    return np.array_equal(product, forward(right.swapaxes(-1, -2), left.swapaxes(-1, -2)).swapaxes(-1, -2))


def _product_of(graph: Graph, node: int) -> int | None:
    """The product that a node transposes, if it has no other user and a transposed operand."""
    (product,), attrs = graph.ins(node), graph.attrs(node)
    if not isinstance(product, int) or graph.op(product) is not MATMUL or not _swaps_last_axes(attrs["axes"]):
        return None
    ranks = {graph.type(ref).ndim for ref in graph.ins(product)}
    if graph.use_count(product) > 1 or graph.is_out(product) or ranks != {graph.type(product).ndim}:
        return None
    return product if any(_is_transposed(graph, ref, attrs) for ref in graph.ins(product)) else None


def _transposed_product(graph: Graph, node: int, product: int) -> Ref:
    transposed = [_transpose_operand(graph, ref, node) for ref in reversed(graph.ins(product))]
    return graph.emit(MATMUL, transposed, sources=(node, product))


def _swaps_last_axes(axes: tuple[int, ...]) -> bool:
    """Whether axes swap only the last two axes."""
    last = len(axes) - 1
    return last > 0 and axes == (*range(last - 1), last, last - 1)


def _is_transposed(graph: Graph, ref: Ref, attrs: Attrs) -> bool:
    return isinstance(ref, int) and graph.op(ref) is TRANSPOSE and graph.attrs(ref) == attrs


def _transpose_operand(graph: Graph, ref: Ref, node: int) -> Ref:
    """The operand of a transpose, or a transpose of any other value."""
    attrs = graph.attrs(node)
    if _is_transposed(graph, ref, attrs):
        return graph.ins(ref)[0]  # type: ignore[arg-type]
    return graph.emit(TRANSPOSE, (ref,), attrs, sources=(node,))


RULES = (transpose_product, transpose_exact_product)


@graph_pass(tol=lambda options: 0.0 if options["exact"] else RELATIVE_TOLERANCE, exact=False)
def transpose_products(graph: Graph, *, options: Options) -> None:
    """transpose(matmul(transpose(a), b)) -> matmul(transpose(b), a): one transpose less; within 1e-5, or ``exact``.

    With ``exact``, only products for which this machine's BLAS gives the same bits.
    """
    apply_rules(graph, (transpose_exact_product if options["exact"] else transpose_product,), options.statistics)
