"""Fusing by region instead of by pattern: connected nodes that satisfy a predicate become one node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from minigraph.ir.graph import Graph
from minigraph.ir.outline import outline_groups

Predicate = Callable[[Graph, int], bool]


def fuse_groups(
    graph: Graph,
    predicate: Predicate,
    *,
    max_nodes: int = 64,
    name: str = "group",
    tally: Counter[tuple[str, str]] | None = None,
) -> list[int]:
    """Outline groups of at least two and at most ``max_nodes`` nodes that satisfy ``predicate``.

    Returns the fused nodes, in the order of the graph. ``tally`` counts them under ``(name, "rewrites")``.
    """
    groups = grown(graph, predicate, max_nodes)
    if tally is not None and groups:
        tally[name, "rewrites"] += len(groups)
    return outline_groups(graph, [(nodes, {"name": name}) for nodes in groups])


def grown(graph: Graph, predicate: Predicate, max_nodes: int) -> list[list[int]]:
    """The groups, found in one sweep from the users down: a node joins the group that holds *all* its users.

    Users are meant by data and by order. So only a group's last node has edges that leave the group, no path
    can leave and come back, and every group is convex by construction: O(nodes + edges), no search.
    """
    group_of: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for node in reversed(graph.topological()):
        if predicate(graph, node):
            held_by = {group_of.get(user) for user in graph._succ[node]}
            group = held_by.pop() if len(held_by) == 1 and not graph.is_out(node) else None
            if group is None or len(members[group]) >= max_nodes:
                group = node
            group_of[node] = group
            members.setdefault(group, []).append(node)
    return [nodes[::-1] for nodes in reversed(members.values()) if len(nodes) > 1]
