"""Dead-code elimination: what nobody needs goes.

::

    %2 = exp(%0)
    %3 = add(%0, %1)                      ->    %3 = add(%0, %1)
    return %3                                   return %3
"""

from __future__ import annotations

from minigraph.ir.graph import Graph, producer
from passes.core.registry import Options, graph_pass


@graph_pass
def dce(graph: Graph, *, options: Options) -> None:
    """exp(x); return y -> return y: what neither an output nor a kept effect needs goes; inputs stay.

    Needed are the outputs, every node that writes when the graph keeps effects, all their operands, and what
    a ``depend`` edge puts before a needed node. An ``effect`` edge only orders, so with
    ``auto_depend=False`` an assignment that nothing depends on goes, as the lesson shows.
    """
    kept = live_nodes(graph)
    if len(kept) < len(graph):
        graph.remove({node for node in graph if node not in kept})  # all a needed node takes is needed too


def live_nodes(graph: Graph) -> set[int]:
    """The nodes that ``dce`` keeps."""
    writing = (node for node, effects in graph.acting() if any(effect.writes for effect in effects))
    stack = [*map(producer, graph.outs), *graph.inputs, *(writing if graph.keep_effects else ())]
    found = set(stack)
    pred = graph.pred_map()
    while stack and not graph.has_order:
        for source in pred[stack.pop()]:
            if source not in found:
                found.add(source)
                stack.append(source)
    while stack:
        for source, keys in pred[stack.pop()].items():
            if source not in found and any(data["kind"] != "effect" for data in keys.values()):
                found.add(source)
                stack.append(source)
    return found
