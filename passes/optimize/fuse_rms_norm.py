"""Fuses the operators that compute an RMS norm, and a normalization with its affine part, into one node each.

::

    %3 = square(%0)
    %4 = mean(%3) {axis=(1,), keepdims=true}
    %5 = rsqrt(%4 + 1e-6)                          ->    %8 = fused(%0, %1) {name="RmsNorm"}
    %6 = mul(%0, %5)
    %7 = mul(%6, %1)

RMS norm: Zhang and Sennrich 2019, "Root mean square layer normalization", arXiv 1910.07467. In a group norm there is
a reshape between the normalization of the groups and the scale and shift of the channels. The body holds the original
operators, so the pass keeps every bit.
"""

from __future__ import annotations

from minigraph.core.aliases import TensorLike
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.optimize.fuse_elementwise import is_elementwise
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import fuse
from passes.rewrite.tracing import S, chain


def _is_norm(match: Match) -> bool:
    """Whether epsilon is a scalar, the mean keeps its axes, and no operand broadcasts the result."""
    return match.eps.type.size == 1 and match.attrs["keep"] is True and match.out.type == match.x.type


def _rms_norm(x: Tensor, eps: TensorLike, gamma: Tensor) -> Tensor:
    return _normalized_rows(x, eps) * gamma


def _normalized_rows(x: Tensor, eps: TensorLike) -> Tensor:
    squares = x * x | apply("square", x) | apply("pow", x, 2.0)
    mean_square = apply("mean", squares, axis=S.axis, keepdims=S.keep) + eps
    return x * apply("rsqrt", mean_square) | x / apply("sqrt", mean_square)


def _is_scale_and_shift(match: Match) -> bool:
    """Whether no operand broadcasts the normalised values or changes their dtype."""
    return match.out.type == match.graph.type(match.paths[0][1])


def _affine_norm(x: Tensor) -> Tensor:
    normalized = apply("normalize", x, axis=S.axis, eps=S.eps)
    return chain(is_elementwise, apply("reshape", normalized, shape=S.shape) | normalized, max_length=AFFINE_NODES)


def _affine_example(x: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    groups = apply("normalize", x.reshape((x.shape[0], 2, -1)), axis=(2,), eps=1e-5)
    return groups.reshape(x.shape) * gamma + beta


def _example(x: Tensor, gamma: TensorLike) -> Tensor:
    return x / apply("sqrt", apply("mean", x * x, axis=-1, keepdims=True) + 1e-6) * gamma


EXAMPLE_SHAPES = (((2, 3), (3,)), ((2, 2, 3), (3,)), ((4,), (4,)))
AFFINE_NODES = 2  # a multiplication by the scale and an addition of the shift
AFFINE_SHAPES = (((2, 4), (4,), (4,)), ((1, 2), (1, 1), ()), ((3, 2, 2), (2, 1), (2, 1)))
RULES = (
    fuse("RmsNorm", _rms_norm, where=_is_norm, examples=examples(_example, *EXAMPLE_SHAPES)),
    fuse("RmsRows", _normalized_rows, where=_is_norm,
         examples=examples(lambda x: _example(x, 1.0), ((2, 3),), ((2, 2, 3),), ((4,),))),
    fuse("AffineNorm", _affine_norm, where=_is_scale_and_shift, examples=examples(_affine_example, *AFFINE_SHAPES)),
)  # fmt: skip


@graph_pass
def fuse_rms_norm(graph: Graph, *, options: Options) -> None:
    """x * rsqrt(mean(x * x) + eps) * gamma -> fused: RMS norm; a norm with scale and shift, too; keeps every bit."""
    apply_rules(graph, RULES, options.statistics)
