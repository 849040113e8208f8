"""What is computed element by element only to be reduced goes into one node with the reduction.

::

    %2 = sub(%0, %1)
    %3 = mul(%2, %2)                            ->    %5 = fused(%0, %1) {name="reduction"}
    %4 = sum(%3) {axis=(1,), keepdims=false}            (body: sub, mul, sum)

The elements are never written to memory. The body holds the same operators, so every bit stays.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph
from passes.fuse_elementwise import is_elementwise
from passes.groups import fuse_groups
from passes.registry import Options, graph_pass


@graph_pass(max_nodes=64)
def fuse_reduction(graph: Graph, *, options: Options) -> None:
    """Fuse every reduction with the elementwise nodes that are used for it alone, up to ``max_nodes``."""
    fuse_groups(is_elementwise, max_nodes=options["max_nodes"], name="reduction", last=is_reduction)(
        graph, options=options
    )


def is_reduction(graph: Graph, node: int) -> bool:
    """Whether a node makes few elements of many along axes."""
    op = graph.op(node)
    return op.family == "reduction" and not op.effects
