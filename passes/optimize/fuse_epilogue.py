"""Whatever is computed element by element from a product alone goes into one node with it.

::

    %4 = matmul(%0, %1)
    %5 = add(%4, %2)                            ->    %8 = fused(%0, %1, %2, %3) {name="MatMulEpilogue"}
    %6 = silu(%5)                                       (body: matmul, add, silu, add)
    %7 = add(%6, %3)

Bias, activation, scale, residual, in any order and number; ``fuse_matmul_bias`` and ``fuse_conv_bn_relu`` are the
same for the epilogues that have a name. The body holds the same operators, so every bit stays.
"""

from __future__ import annotations

from typing import Any

from minigraph.core.op import apply
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.optimize.fuse_elementwise import is_elementwise
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import fuse
from passes.rewrite.tracing import chain

MAX_EPILOGUE_NODES = 16  # nodes of one epilogue: every elementwise node may end one, and each walk is that long at most


def _keeps_shape(match: Match) -> bool:
    """Nothing beside the chain makes the product larger than the unit gives it out."""
    below = match.graph.type(match.walks[0][1])
    return match.out.type == below


def _after_matmul(x: Any, w: Any, b: Any, r: Any) -> Any:
    return apply("silu", x @ w + b) + r


def _after_conv(x: Any, w: Any, b: Any) -> Any:
    return apply("silu", apply("conv2d", x, w) * b)


MATMUL_SHAPES = (((2, 3), (3, 4), (4,), (2, 4)), ((2, 3), (3, 1), (1,), (1, 1)), ((2, 2, 3), (3, 2), (2,), (2, 2, 2)))
CONV_SHAPES = (
    ((1, 2, 3, 3), (2, 2, 2, 2), (2, 1, 1)), ((2, 1, 2, 2), (1, 1, 1, 1), (1,)), ((1, 1, 3, 3), (1, 1, 2, 2), ()),
)  # fmt: skip
RULES = (
    fuse("MatMulEpilogue", lambda x, w: chain(is_elementwise, x @ w, most=MAX_EPILOGUE_NODES), where=_keeps_shape, target="cube",
         on=examples(_after_matmul, *MATMUL_SHAPES)),
    fuse("ConvEpilogue", lambda x, w: chain(is_elementwise, apply("conv2d", x, w), most=MAX_EPILOGUE_NODES), where=_keeps_shape,
         target="cube", on=examples(_after_conv, *CONV_SHAPES)),
)  # fmt: skip


@graph_pass
def fuse_epilogue(graph: Graph, *, options: Options) -> None:
    """silu(x @ w + b) + y -> fused: a product and all that follows element by element; keeps every bit.

    Outlines every match of ``RULES``, the longest chains first; what is between may have no other use.
    """
    apply_rules(graph, RULES, options.tally)
