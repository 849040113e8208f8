"""Fuses a reduction with the elementwise operators that only it uses.

::

    %2 = sub(%0, %1)
    %3 = mul(%2, %2)                            ->    %5 = fused(%0, %1) {name="reduction"}
    %4 = sum(%3) {axis=(1,), keepdims=false}            (body: sub, mul, sum)

The elements are never written to memory. The body holds the same operators, so the pass keeps every bit.
"""

from __future__ import annotations

from dataclasses import replace

from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.examples import examples
from passes.optimize.fuse_elementwise import is_elementwise
from passes.rewrite.group_fusion import fuse_groups


def is_reduction(graph: Graph, node: int) -> bool:
    """Whether a node is a reduction without effects."""
    op = graph.op(node)
    return op.family == "reduction" and not op.effects


def _mean_squared_difference(x: Tensor, y: Tensor) -> Tensor:
    return apply("mean", apply("square", x - y), axis=-1)


ON = examples(_mean_squared_difference, ((2, 3), (2, 3)), ((3,), (2, 3)), ((2, 2, 2), (2,)))
REDUCTION = replace(fuse_groups(is_elementwise, name="reduction", last=is_reduction), on=ON)
RULES = (REDUCTION,)


@graph_pass(max_nodes=REDUCTION.max_nodes)
def fuse_reduction(graph: Graph, *, options: Options) -> None:
    """sum((x - y)**2) -> fused: a reduction and up to ``max_nodes`` elementwise nodes that only it uses; bit-exact."""
    replace(REDUCTION, max_nodes=options["max_nodes"])(graph, options=options)
