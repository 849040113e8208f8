"""Fuses scaled dot-product attention, forward and backward, into one node each that never stores the weight matrix.

::

    %4 = matmul(%0, %1)                            %7 = fused(%0, %1, %2) {name="FlashAttention"}
    %5 = softmax(%4) {axis=2}          ->            (body: matmul, softmax, matmul)
    %6 = matmul(%5, %2)

Scores may be scaled and masked before the softmax; keys that only this node reads are transposed inside of it, and
queries scaled by a number, as in the vendor's kernel. The backward node recomputes the weights from the same operands
(FlashAttention: Dao et al. 2022, arXiv 2205.14135), so the forward node need not store them. The bodies hold the
original operators, so the pass keeps every bit, and the gradient of a fused node is the gradient of its body.
"""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape
from minigraph.ir.graph import Graph, producer
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.optimize.fuse_elementwise import is_elementwise
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import fuse
from passes.rewrite.tracing import S, chain

# ---- predicates --------------------------------------------------------------------------------------


def _score_shape(match: Match) -> Shape:
    """The shape of q @ kt if both have the same batch axes, else ()."""
    q, kt = match.q.shape, match.kt.shape
    return (*q[:-1], kt[-1]) if len(q) >= 2 and q[:-2] == kt[:-2] else ()


def _is_row_softmax(match: Match, shape: Shape) -> bool:
    """Whether the softmax runs along the axis that the next product contracts, and no mask broadcasts the scores."""
    return shape != () and shape == _score_shape(match) and match.attrs["axis"] == len(shape) - 1


def _is_attention(match: Match) -> bool:
    graph = match.graph
    weights = graph.ins(match.root)[0]
    return _is_row_softmax(match, graph.type(weights).shape) and match.v.shape[:-2] == match.q.shape[:-2]


def _is_kernel_attention(match: Match) -> bool:
    """The same for keys that the kernel transposes and queries that it scales by a number."""
    q, k, v = match.q.shape, match.k.shape, match.v.shape
    rank = len(q)
    if match.attrs["swap"] != (*range(rank - 2), rank - 1, rank - 2):
        return False  # as a permutation it has at least two axes, as many as k
    weights = match.graph.type(match.graph.ins(match.root)[0]).shape
    is_scaled = match.scale is None or match.scale.type.size == 1
    has_equal_batches = q[:-2] == k[:-2] == v[:-2] and weights == (*q[:-1], k[-2])
    return has_equal_batches and is_scaled and match.attrs["axis"] == rank - 1


def _is_gradient(match: Match) -> bool:
    """The same for the backward part, which transposes the weights; only the forward part may also use them."""
    graph = match.graph
    transposed = producer(graph.ins(match.roots[2])[0])
    weights = producer(graph.ins(transposed)[0])
    rank, inside = len(_score_shape(match)), set(match.nodes)
    swaps_last_axes = match.attrs["swap"] == (*range(rank - 2), rank - 1, rank - 2)
    outside = [user for user in graph.users(weights) if user not in inside]
    is_softmax = _is_row_softmax(match, graph.type(weights).shape) and match.attrs["rows"] == (rank - 1,)
    return is_softmax and swaps_last_axes and len(outside) <= 1 and not graph.is_out(weights)


# ---- rules -------------------------------------------------------------------------------------------


def _weights(q: Tensor, kt: Tensor) -> Tensor:
    scores = q @ kt
    return apply("softmax", chain(is_elementwise, scores) | scores, axis=S.axis)


def _attention(q: Tensor, kt: Tensor, v: Tensor) -> Tensor:
    return _weights(q, kt) @ v


def _kernel_attention(q: Tensor, scale: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return _weights(q * scale | q, apply("transpose", k, axes=S.swap)) @ v


def _attention_grad(q: Tensor, kt: Tensor, k: Tensor, vt: Tensor, g: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v from the cotangent of the result, if k was transposed for the product."""
    weights, score_grad = _weights_and_score_grad(q, kt, vt, g)
    return score_grad @ k, apply("transpose", score_grad, axes=S.swap) @ q, apply("transpose", weights, axes=S.swap) @ g


def _attention_grad_transposed(
    q: Tensor, kt: Tensor, k: Tensor, qt: Tensor, vt: Tensor, g: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, of the transpose of k and of v, if k was given transposed."""
    weights, score_grad = _weights_and_score_grad(q, kt, vt, g)
    return score_grad @ k, qt @ score_grad, apply("transpose", weights, axes=S.swap) @ g


def _weights_and_score_grad(q: Tensor, kt: Tensor, vt: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
    """The weights, and the gradient of the scores."""
    weights = _weights(q, kt)
    weight_grad = g @ vt
    row_sums = apply("sum", weight_grad * weights, axis=S.rows, keepdims=True)
    softmax_grad = weights * (weight_grad - row_sums)
    return weights, chain(is_elementwise, softmax_grad) | softmax_grad


def _scaled_attention(q: Tensor, kt: Tensor, v: Tensor) -> Tensor:
    return apply("softmax", q @ kt * 0.5, axis=-1) @ v


def _scaled_grad(q: Tensor, kt: Tensor, k: Tensor, vt: Tensor, g: Tensor) -> tuple[Tensor, ...]:
    weights, score_grad = _scaled_weights_and_score_grad(q, kt, vt, g)
    return score_grad @ k, score_grad.mT @ q, weights.mT @ g


def _scaled_grad_transposed(q: Tensor, kt: Tensor, k: Tensor, qt: Tensor, vt: Tensor, g: Tensor) -> tuple[Tensor, ...]:
    weights, score_grad = _scaled_weights_and_score_grad(q, kt, vt, g)
    return score_grad @ k, qt @ score_grad, weights.mT @ g


def _scaled_weights_and_score_grad(q: Tensor, kt: Tensor, vt: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
    weights, weight_grad = apply("softmax", q @ kt * 0.5, axis=-1), g @ vt
    row_sums = apply("sum", weight_grad * weights, axis=-1, keepdims=True)
    return weights, weights * (weight_grad - row_sums) * 0.5


BACKWARD = fuse(
    "FlashAttentionGrad", _attention_grad, where=_is_gradient, recompute=True, target="cube",
    examples=examples(_scaled_grad, ((2, 3), (3, 4), (4, 3), (5, 4), (2, 5)),
                ((1, 2), (2, 3), (3, 2), (2, 3), (1, 2)), ((3, 1), (1, 3), (3, 1), (3, 3), (3, 3))),
)  # fmt: skip
BACKWARD_TRANSPOSED = fuse(
    "FlashAttentionGradTransposed", _attention_grad_transposed, where=_is_gradient, recompute=True, target="cube",
    examples=examples(_scaled_grad_transposed, ((2, 3), (3, 4), (4, 3), (3, 2), (5, 4), (2, 5)),
                ((1, 2), (2, 3), (3, 2), (2, 1), (2, 3), (1, 2)), ((3, 1), (1, 3), (3, 1), (1, 3), (3, 3), (3, 3))),
)  # fmt: skip
FORWARD = fuse(
    "FlashAttention", _attention, where=_is_attention, target="cube", examples=examples(
        _scaled_attention, ((2, 3), (3, 4), (4, 2)), ((2, 2, 3), (2, 3, 4), (2, 4, 2)), ((1, 2), (2, 3), (3, 1))),
)  # fmt: skip
KERNEL = fuse(
    "FlashAttention", _kernel_attention, where=_is_kernel_attention, target="cube", examples=examples(
        lambda q, k, v: _scaled_attention(q * 0.5, k.mT, v),
        ((2, 3), (4, 3), (4, 2)), ((2, 2, 3), (2, 4, 3), (2, 4, 2)), ((1, 2), (3, 2), (3, 1))),
)  # fmt: skip
RULES = (BACKWARD, BACKWARD_TRANSPOSED, KERNEL, FORWARD)


@graph_pass
def fuse_attention(graph: Graph, *, options: Options) -> None:
    """softmax(q @ k.T) @ v -> fused; its gradient -> a fused node that recomputes the weights; keeps every bit."""
    for rule in RULES:
        apply_rules(graph, [rule], options.statistics)
