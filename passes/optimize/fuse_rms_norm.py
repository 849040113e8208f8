"""Fuses the primitives of RMS norm, for which there is no operator, into one node.

::

    %3 = square(%0)
    %4 = mean(%3) {axis=(1,), keepdims=true}
    %5 = rsqrt(%4 + 1e-6)                          ->    %8 = fused(%0, %1) {name="RmsNorm"}
    %6 = mul(%0, %5)
    %7 = mul(%6, %1)

RMS norm: Zhang and Sennrich 2019, arXiv 1910.07467. The body holds the original operators, so the pass keeps every bit.
"""

from __future__ import annotations

from minigraph.core.aliases import TensorLike
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import fuse
from passes.rewrite.tracing import S


def _is_norm(match: Match) -> bool:
    """Whether epsilon is a scalar, the mean keeps its axes, and no operand broadcasts the result."""
    return match.eps.type.size == 1 and match.attrs["keep"] is True and match.out.type == match.x.type


def _rms_norm(x: Tensor, eps: TensorLike, gamma: Tensor) -> Tensor:
    return _normalized_rows(x, eps) * gamma


def _normalized_rows(x: Tensor, eps: TensorLike) -> Tensor:
    squares = x * x | apply("square", x) | apply("pow", x, 2.0)
    total = apply("mean", squares, axis=S.axis, keepdims=S.keep) + eps
    return x * apply("rsqrt", total) | x / apply("sqrt", total)


def _example(x: Tensor, gamma: TensorLike) -> Tensor:
    return x / apply("sqrt", apply("mean", x * x, axis=-1, keepdims=True) + 1e-6) * gamma


EXAMPLE_SHAPES = (((2, 3), (3,)), ((2, 2, 3), (3,)), ((4,), (4,)))
RULES = (
    fuse("RmsNorm", _rms_norm, where=_is_norm, on=examples(_example, *EXAMPLE_SHAPES)),
    fuse("RmsRows", _normalized_rows, where=_is_norm,
         on=examples(lambda x: _example(x, 1.0), ((2, 3),), ((2, 2, 3),), ((4,),))),
)  # fmt: skip


@graph_pass
def fuse_rms_norm(graph: Graph, *, options: Options) -> None:
    """x * rsqrt(mean(x * x) + eps) * gamma -> fused: RMS norm; keeps every bit."""
    apply_rules(graph, RULES, options.statistics)
