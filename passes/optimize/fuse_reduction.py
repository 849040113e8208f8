"""What is computed element by element only to be reduced goes into one node with the reduction.

::

    %2 = sub(%0, %1)
    %3 = mul(%2, %2)                            ->    %5 = fused(%0, %1) {name="reduction"}
    %4 = sum(%3) {axis=(1,), keepdims=false}            (body: sub, mul, sum)

The elements are never written to memory. The body holds the same operators, so every bit stays.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from minigraph.core.op import apply
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.optimize.fuse_elementwise import is_elementwise
from passes.rewrite.group_fusion import fuse_groups


def is_reduction(graph: Graph, node: int) -> bool:
    """Whether a node makes few elements of many along axes."""
    op = graph.op(node)
    return op.family == "reduction" and not op.effects


def _mean_squared_difference(x: Any, y: Any) -> Any:
    return apply("mean", apply("square", x - y), axis=-1)


SHAPES = (((2, 3), (2, 3)), ((3,), (2, 3)), ((2, 2, 2), (2,)))  # of operands to try the rule at
REDUCTION = replace(fuse_groups(is_elementwise, name="reduction", last=is_reduction), on=examples(_mean_squared_difference, *SHAPES))
RULES = (REDUCTION,)


@graph_pass(max_nodes=REDUCTION.max_nodes)
def fuse_reduction(graph: Graph, *, options: Options) -> None:
    """sum((x - y)**2) -> fused: a reduction and up to ``max_nodes`` elementwise nodes used for it alone."""
    replace(REDUCTION, max_nodes=options["max_nodes"])(graph, options=options)
