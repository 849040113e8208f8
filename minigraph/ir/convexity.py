"""Convexity of a set of nodes: only if no path leaves and re-enters it can it become one node without a cycle.

Convex subgraphs of a DAG, as in Pozzi et al. 2006 ("Exact and approximate algorithms for the extension of embedded
processor instruction sets"). The test is a depth-first search from the users outside of the set, bounded by a
topological order. Not handled: new edges that contradict the order, which is computed once.
"""

from __future__ import annotations

from minigraph.ir.graph import Graph


def find_reentry(graph: Graph, nodes: set[int], positions: dict[int, int] | None = None) -> int | None:
    """An outside node on a path that leaves and re-enters the set, or ``None`` if the set is convex.

    No search is needed if edges leave from one node only and all others lead to it. ``positions`` maps nodes to their
    positions in a topological order; then the search stops at nodes after the last one of the set.
    """
    exits = {node for node in nodes for user in graph._succ[node] if user not in nodes}
    ends = {node for node in nodes if nodes.isdisjoint(graph._succ[node])}
    if not exits or (exits == ends and len(ends) == 1):
        return None
    positions = positions or {}
    last = max((positions.get(node, -1) for node in nodes), default=-1)
    stack: list[int] = [user for node in exits for user in graph._succ[node] if user not in nodes]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if node in seen or positions.get(node, -1) > last >= 0:
            continue
        seen.add(node)
        for user in graph._succ[node]:
            if user in nodes:
                return node
            stack.append(user)
    return None


class TopologicalPositions:
    """The positions of a graph's nodes in a topological order, computed at first use.

    They stay valid while nodes are replaced by nodes whose operands come before them.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._positions: dict[int, int] | None = None

    def find_reentry(self, nodes: set[int]) -> int | None:
        """Like the function of this name; the search stops after the last node of the set."""
        if self._positions is None:
            self._positions = {node: k for k, node in enumerate(self.graph.topological())}
        return find_reentry(self.graph, nodes, self._positions)
