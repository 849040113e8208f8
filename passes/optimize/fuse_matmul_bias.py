"""Fuses a matrix product with its bias and activation.

::

    %3 = matmul(%0, %1)
    %4 = add(%3, %2)                      ->    %6 = fused(%0, %1, %2) {name="MatMulBiasRelu"}
    %5 = relu(%4)

A bias is one row or a scalar, as in the hardware. A whole matrix that is added to a product, such as a momentum, stays
with the elementwise operators around it.
"""

from __future__ import annotations

from minigraph.core.op import apply
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.rewrite.driver import apply_rules
from passes.rewrite.match import Match
from passes.rewrite.rule import fuse


def _is_row(match: Match) -> bool:
    """Whether the bias is one row for all rows, or a scalar: the bias buffer of the cube unit holds no more."""
    *rows, size = match.b.shape or (1,)
    return all(row == 1 for row in rows) and size in (1, *match.w.shape[1:][-1:])


RULES = (
    fuse("MatMulBiasRelu", lambda x, w, b: apply("relu", x @ w + b), where=_is_row),
    fuse("MatMulBiasGelu", lambda x, w, b: apply("gelu", x @ w + b), where=_is_row),
    fuse("MatMulBiasTanh", lambda x, w, b: apply("tanh", x @ w + b), where=_is_row),
    fuse("MatMulBiasSigmoid", lambda x, w, b: apply("sigmoid", x @ w + b), where=_is_row),
    fuse("MatMulBias", lambda x, w, b: x @ w + b, where=_is_row),
)


@graph_pass
def fuse_matmul_bias(graph: Graph, *, options: Options) -> None:
    """relu(x @ w + b) -> fused, also with gelu, tanh, sigmoid, or the bias alone; keeps every bit.

    Outlines every match of ``RULES``; the product and the sum may have no other use.
    """
    apply_rules(graph, RULES, options.statistics)
