"""Whether a set of nodes can become one node: no path may leave it and come back."""

from __future__ import annotations

from minigraph.ir.graph import Graph


def path_back(graph: Graph, chosen: set[int], place: dict[int, int] | None = None) -> int | None:
    """The first outside node on a path that leaves ``chosen`` and comes back, or ``None`` (convex).

    Costs nothing when edges leave from one node only, and all others lead to it. With the ``place`` of nodes in
    an order of the graph, nothing behind the last chosen one is looked at.
    """
    exits = {node for node in chosen for user in graph._succ[node] if user not in chosen}
    ends = {node for node in chosen if chosen.isdisjoint(graph._succ[node])}
    if not exits or (exits == ends and len(ends) == 1):
        return None
    place = place or {}
    last = max((place.get(node, -1) for node in chosen), default=-1)
    stack: list[int] = [user for node in exits for user in graph._succ[node] if user not in chosen]
    seen: set[int] = set()
    while stack:
        node = stack.pop()
        if node in seen or place.get(node, -1) > last >= 0:
            continue
        seen.add(node)
        for user in graph._succ[node]:
            if user in chosen:
                return node
            stack.append(user)
    return None


class Places:
    """Where the nodes of a graph stand in one order, found out when it is first asked for.

    It stays right while nodes are replaced by nodes made of what is before them.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._place: dict[int, int] | None = None

    def path_back(self, chosen: set[int]) -> int | None:
        """As the function, without looking behind the last chosen node."""
        if self._place is None:
            self._place = {node: place for place, node in enumerate(self.graph.topological())}
        return path_back(self.graph, chosen, self._place)
