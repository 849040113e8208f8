"""Fuses connected groups of elementwise operators.

::

    %2 = mul(%0, %1)
    %3 = add(%2, %0)                      ->    %5 = fused(%0, %1) {name="elementwise"}
    %4 = tanh(%3)                                 (body: mul, add, tanh)
    return %4                                   return %5
"""

from __future__ import annotations

from dataclasses import replace

from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.rewrite.group_fusion import fuse_groups


def is_elementwise(graph: Graph, node: int) -> bool:
    """Whether a node is elementwise, without effects, with one result of more than one element."""
    op, types = graph.op(node), graph.types(node)
    return op.family == "elementwise" and not op.effects and len(types) == 1 and types[0].size > 1


ELEMENTWISE = fuse_groups(is_elementwise, name="elementwise")
RULES = (ELEMENTWISE,)


@graph_pass(max_nodes=ELEMENTWISE.max_nodes)
def fuse_elementwise(graph: Graph, *, options: Options) -> None:
    """tanh(x * y + x) -> fused: two to ``max_nodes`` elementwise operators of which only the last is used elsewhere.

    The body holds the same operators, so the pass keeps every bit. Scalars are excluded: they cost a launch, but no
    memory traffic that fusion could save.
    """
    replace(ELEMENTWISE, max_nodes=options["max_nodes"])(graph, options=options)
