"""Plans memory for a graph and stores the plan with it; the nodes are unchanged.

::

    %1 = exp(%0)           %1:  4096 bytes at 0
    %2 = tanh(%1)    ->    %2:  4096 bytes at 0, in place of %1
    %3 = sum(%2)           %3:     4 bytes at 4096

The plan is ``graph.graph["memory"]``, one of networkx's graph attributes.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph
from passes.core.registry import Options, graph_pass
from passes.optimize.buffer_assignment import ALIGNMENT_BYTES, memory_plan

PLAN_KEY = "memory"


@graph_pass(align=ALIGNMENT_BYTES)
def plan_memory(graph: Graph, *, options: Options) -> None:
    """graph -> graph and its memory plan: one block for all values, at offsets divisible by ``align``."""
    graph.graph[PLAN_KEY] = memory_plan(graph, options["align"])
