"""Dead-code elimination: removes nodes on which no output and no kept effect depends.

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
    """exp(x); return y -> return y: removes nodes that no output and no kept effect needs; keeps every bit.

    Live are inputs, outputs, every node that writes if the graph keeps effects, all their operands, and the sources of
    ``depend`` edges into live nodes. An ``effect`` edge only orders, so with ``auto_depend=False`` an assignment on
    which nothing depends is removed, as the lesson on depend shows.
    """
    live = live_nodes(graph)
    if len(live) < len(graph):
        graph.remove({node for node in graph if node not in live})  # operands of live nodes are live


def live_nodes(graph: Graph) -> set[int]:
    """The nodes that ``dce`` keeps."""
    writers = (node for node, effects in graph.nodes_with_effects() if any(effect.writes for effect in effects))
    stack = [*map(producer, graph.outs), *graph.inputs, *(writers if graph.keep_effects else ())]
    live = set(stack)
    pred = graph.pred_map()
    while stack and not graph.has_order:
        for source in pred[stack.pop()]:
            if source not in live:
                live.add(source)
                stack.append(source)
    while stack:
        for source, keys in pred[stack.pop()].items():
            if source not in live and any(data["kind"] != "effect" for data in keys.values()):
                live.add(source)
                stack.append(source)
    return live
