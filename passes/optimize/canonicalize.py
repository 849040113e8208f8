"""Canonicalization: equivalent forms become one canonical form. Every rule is exact, for the reason in its docstring.

::

    %1 = const() {value=f32[]<1.0>}
    %2 = mul(%0, %1)
    %3 = transpose(%2) {axes=(1, 0)}      ->    %5 = exp(%0)
    %4 = transpose(%3) {axes=(1, 0)}
    %5 = exp(%4)

"Every bit" includes NaN, infinities and the sign of zero; ``x + 0`` therefore stays (-0 + 0 is +0). numpy produces only
quiet NaNs, and an operation on one quiet NaN returns that NaN.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minigraph.capture.trace import trace
from minigraph.core.op import Attrs, Op, apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType
from minigraph.ir.graph import Graph, Ref, producer
from minigraph.operators.comparison import GREATER, WHERE
from minigraph.operators.elementwise import CAST
from minigraph.operators.pooling import MAX_POOL2D, MAX_POOL2D_GRAD
from minigraph.operators.views import BROADCAST_TO, IDENTITY, RESHAPE, TRANSPOSE
from passes.core.registry import Options, graph_pass
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rewrite_application import has_c_order_result
from passes.rewrite.rule import rule

# ---- arithmetic ------------------------------------------------------------------------------------


def _is_real(match: Match) -> bool:
    """Whether ``x`` is real: complex products mix the parts, infinity * 0 gives NaN, and -0 + 0 gives +0."""
    return match.x.dtype.kind != "c"


def _is_signed(match: Match) -> bool:
    return match.x.dtype.numpy.kind != "u"


def _keeps_type(match: Match) -> bool:
    return match.x.type == match.out.type


@rule(where=_is_real)
def mul_one(x: Tensor) -> tuple[Tensor, Tensor]:
    """A product with 1 is exact and keeps the sign, also of zero and infinity; not so for complex numbers."""
    return x * 1, x


@rule(where=_is_real)
def div_one(x: Tensor) -> tuple[Tensor, Tensor]:
    """A quotient by 1 is exact and keeps the sign; not so for complex numbers."""
    return x / 1, x


@rule
def sub_zero(x: Tensor) -> tuple[Tensor, Tensor]:
    """x - (+0) is x, because -0 - (+0) is -0 when rounding to nearest; x - (-0) is not matched."""
    return x - 0, x


@rule(where=_is_real)
def add_minus_zero(x: Tensor) -> tuple[Tensor, Tensor]:
    """x + (-0) is x, because +0 + (-0) is +0; integers and Bool have one zero; a complex -0 has a part +0."""
    return x + -0.0, x


@rule(recompute=True)
def neg_neg(x: Tensor) -> tuple[Tensor, Tensor]:
    """The sign bit is flipped twice; two's complement wraps back for the smallest integer, too."""
    return apply("neg", apply("neg", x)), x


@rule(recompute=True)
def abs_abs(x: Tensor) -> tuple[Tensor, Tensor]:
    """The sign bit is already clear; the smallest integer is unchanged both times."""
    return apply("abs", apply("abs", x)), apply("abs", x)


@rule(recompute=True, where=_is_signed)
def abs_neg(x: Tensor) -> tuple[Tensor, Tensor]:
    """The sign bit is cleared in either case; for unsigned integers, -x wraps to another number."""
    return apply("abs", -x), apply("abs", x)


@rule(recompute=True, where=_keeps_type)
def not_not(x: Tensor) -> tuple[Tensor, Tensor]:
    """For Bool only; for other dtypes the result has another type."""
    return apply("logical_not", apply("logical_not", x)), x


@rule
def max_same(x: Tensor) -> tuple[Tensor, Tensor]:
    """Both operands have the same bits."""
    return apply("maximum", x, x), x


@rule
def min_same(x: Tensor) -> tuple[Tensor, Tensor]:
    """Both operands have the same bits."""
    return apply("minimum", x, x), x


@rule(where=_keeps_type)
def where_same(condition: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Both branches are x; the predicate excludes conditions that broadcast x."""
    return apply("where", condition, x, x), x


# ---- casts -----------------------------------------------------------------------------------------


@rule(root=CAST)
def drop_redundant_cast(graph: Graph, node: int) -> Ref | None:
    """cast(x) -> x to its own dtype, or back from a dtype that represents all of its values."""
    (ref,) = graph.ins(node)
    target = graph.type(node).dtype
    if graph.type(ref).dtype is target:
        return ref
    if _defining_node(graph, ref, CAST) is not None:
        (source,) = graph.ins(ref)  # type: ignore[arg-type]
        if graph.type(source).dtype is target and _can_represent(graph.type(ref).dtype, target):
            return source
    return None


def _can_represent(target: DType, source: DType) -> bool:
    """Whether a cast to ``target`` and back keeps the bits: a wider dtype of the same kind, or any dtype for Bool."""
    is_wider = target.numpy.kind == source.numpy.kind and target.itemsize >= source.itemsize
    return is_wider or source.kind == "b"


# ---- views ---------------------------------------------------------------------------------------------


@rule(root=IDENTITY, same_memory=True)
def drop_identity(graph: Graph, node: int) -> Ref | None:
    """identity(x) -> x."""
    return graph.ins(node)[0]


@rule(root=TRANSPOSE, same_memory=True)
def compose_transposes(graph: Graph, node: int) -> Ref | None:
    """transpose(transpose(x)) -> transpose(x), or x if the axes are in order; the strides are the same."""
    (ref,), axes = graph.ins(node), graph.attrs(node)["axes"]
    inner = _defining_node(graph, ref, TRANSPOSE)
    if inner is not None:
        inner_axes = graph.attrs(inner)["axes"]
        axes, (ref,) = tuple(inner_axes[axis] for axis in axes), graph.ins(inner)
    if axes == tuple(range(len(axes))):
        return ref
    return graph.emit(TRANSPOSE, (ref,), {"axes": axes}, sources=(node, inner)) if inner is not None else None


@rule(root=RESHAPE, same_memory=True)
def compose_reshapes(graph: Graph, node: int) -> Ref | None:
    """reshape(reshape(x)) -> reshape(x), or x if it has the shape: both read in C order, so the last shape decides.

    Only on a value in C order: the first reshape of a transposed view makes a copy, without which a later matrix
    product may round differently.
    """
    (ref,) = graph.ins(node)
    if graph.type(ref) == graph.type(node):
        return ref
    inner = _defining_node(graph, ref, RESHAPE)
    source = None if inner is None else graph.ins(inner)[0]
    if inner is None or not isinstance(source, int) or not has_c_order_result(graph.op(source)):
        return None
    if graph.type(source) == graph.type(node):
        return source
    return graph.emit(RESHAPE, (source,), graph.attrs(node), sources=(node, inner))


@rule(root=BROADCAST_TO, same_memory=True)
def compose_broadcasts(graph: Graph, node: int) -> Ref | None:
    """broadcast_to(broadcast_to(x)) -> broadcast_to(x), or x if it has the shape; stride 0 in either case."""
    (ref,) = graph.ins(node)
    if graph.type(ref) == graph.type(node):
        return ref
    inner = _defining_node(graph, ref, BROADCAST_TO)
    if inner is None:
        return None
    return graph.emit(BROADCAST_TO, graph.ins(inner), graph.attrs(node), sources=(node, inner))


# ---- masks of smaller tensors ----------------------------------------------------------------------


def _relu_pool_and_grad(x: object, g: object, **window: Any) -> tuple[Tensor, Tensor]:
    """The max-pool of a ReLU, and the gradient of the ReLU's operand."""
    activated = apply("relu", x)
    pooled = apply("max_pool2d", activated, **window)
    return pooled, apply("where", activated > 0, apply("max_pool2d_grad", g, activated, pooled, **window), 0)


def _pool_examples() -> list[Graph]:
    graphs = []
    for dtype in (np.float32, np.float64):
        for size, window in ((2, {"kernel": 2}), (3, {"kernel": 2, "stride": 1}), (3, {"kernel": 2, "padding": 1})):
            images = [Tensor(np.zeros((2, 1, n, n), dtype)) for n in (4, size)]
            graphs.append(trace(partial(_relu_pool_and_grad, **window), *images))
    return graphs


@rule(root=WHERE, examples=_pool_examples)
def mask_before_pool(graph: Graph, node: int) -> Ref | None:
    """where(x > 0, max_pool2d_grad(g, x, pooled), 0) -> max_pool2d_grad(where(pooled > 0, g, 0), x, pooled).

    The pool's gradient is nonzero only where x equals the pooled value, so both masks agree there; elsewhere both
    results are +0.
    """
    condition, source, zero = graph.ins(node)
    greater, grad = _defining_node(graph, condition, GREATER), _defining_node(graph, source, MAX_POOL2D_GRAD)
    if greater is None or grad is None or graph.use_count(grad) > 1 or not _is_zero(graph, zero):
        return None
    (g, x, pooled), (left, right) = graph.ins(grad), graph.ins(greater)
    if left != x or not _is_zero(graph, right) or not _is_pooled(graph, pooled, x, graph.attrs(grad)):
        return None
    mask = graph.emit(GREATER, (pooled, right), sources=(greater,))
    masked = graph.emit(WHERE, (mask, g, zero), sources=(node,))
    return graph.emit(MAX_POOL2D_GRAD, (masked, x, pooled), graph.attrs(grad), sources=(grad, node))


def _is_pooled(graph: Graph, ref: Ref, x: Ref, attrs: Attrs) -> bool:
    """Whether a value is the max-pool of ``x`` with these attributes."""
    pool = _defining_node(graph, ref, MAX_POOL2D)
    return pool is not None and graph.ins(pool) == (x,) and graph.attrs(pool) == attrs


def _is_zero(graph: Graph, ref: Ref) -> bool:
    """Whether a value is the constant scalar +0."""
    if graph.op(producer(ref)).role != "const" or graph.type(ref).shape:
        return False
    value = graph.attrs(producer(ref))["value"].array
    return bool(value == 0 and not np.signbit(value))


def _defining_node(graph: Graph, ref: Ref, op: Op) -> int | None:
    return ref if isinstance(ref, int) and graph.op(ref) is op else None


RULES = (
    mul_one, div_one, sub_zero, add_minus_zero, neg_neg, abs_abs, abs_neg, not_not, max_same, min_same, where_same,
    drop_redundant_cast, drop_identity, compose_transposes, compose_reshapes, compose_broadcasts,
    mask_before_pool,
)  # fmt: skip


@graph_pass(max_sweeps=1)
def canonicalize(graph: Graph, *, options: Options) -> None:
    """x * 1 -> x, -(-x) -> x, x.T.T -> x: equivalent forms to one canonical form, by ``RULES``; keeps every bit.

    Sweeps from operands to users at most ``max_sweeps`` times, or until nothing changes; one sweep is usually enough.
    """
    for _ in range(options["max_sweeps"]):
        before = graph.next_id, len(graph)
        apply_rules(graph, RULES, options.statistics)
        if before == (graph.next_id, len(graph)):
            return
