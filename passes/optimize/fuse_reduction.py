"""Fuses a reduction with the elementwise operators that only it uses, and with a division of its rows by the result.

::

    %2 = sub(%0, %1)
    %3 = mul(%2, %2)                            ->    %5 = fused(%0, %1) {name="reduction"}
    %4 = sum(%3) {axis=(1,), keepdims=false}            (body: sub, mul, sum)

``x / sum(abs(x), keepdims)`` is one node, too. The elements are never written to memory. The body holds the same
operators, so the pass keeps every bit.
"""

from __future__ import annotations

from dataclasses import replace

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.optimize.fuse_elementwise import is_elementwise
from passes.rewrite.driver import apply_rules
from passes.rewrite.group_fusion import fuse_groups
from passes.rewrite.match import Match
from passes.rewrite.rule import fuse
from passes.rewrite.tracing import S, chain


def is_reduction(graph: Graph, node: int) -> bool:
    """Whether a node is a reduction without effects."""
    op = graph.op(node)
    return op.family == "reduction" and not op.effects


def _mean_squared_difference(x: Tensor, y: Tensor) -> Tensor:
    return apply("mean", apply("square", x - y), axis=-1)


def _keeps_rows(match: Match) -> bool:
    """Whether the sum keeps its axes, and nothing broadcasts the rows."""
    return match.attrs["keep"] is True and match.out.type == match.x.type


def _row_norm(x: Tensor) -> Tensor:
    total = apply("sum", chain(is_elementwise, x), axis=S.axis, keepdims=S.keep)
    return x / (chain(is_elementwise, total) | total)


def _norm_of_absolutes(x: Tensor) -> Tensor:
    return x / apply("sum", apply("abs", x), axis=-1, keepdims=True)


EXAMPLES = examples(_mean_squared_difference, ((2, 3), (2, 3)), ((3,), (2, 3)), ((2, 2, 2), (2,)))
REDUCTION = replace(fuse_groups(is_elementwise, name="reduction", last=is_reduction), examples=EXAMPLES)
ROW_NORM = fuse(
    "RowNorm", _row_norm, where=_keeps_rows, examples=examples(_norm_of_absolutes, ((2, 3),), ((3,),), ((2, 1, 2),))
)
RULES = (ROW_NORM, REDUCTION)


@graph_pass(max_nodes=REDUCTION.max_nodes)
def fuse_reduction(graph: Graph, *, options: Options) -> None:
    """sum((x - y)**2) -> fused: a reduction and up to ``max_nodes`` elementwise nodes that only it uses; bit-exact."""
    apply_rules(graph, [ROW_NORM], options.statistics)
    replace(REDUCTION, max_nodes=options["max_nodes"])(graph, options=options)
