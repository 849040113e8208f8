"""Topological sorting: an order in which every node comes after the nodes it depends on (Kahn's algorithm)."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping

Edges = Mapping[int, Collection[int]]  # node -> its predecessors, or its successors


def are_ids_topological(pred: Edges) -> bool:
    """Whether increasing ids are a topological order: every id is larger than the ids of all predecessors.

    >>> are_ids_topological({1: (), 2: (1,)}), are_ids_topological({1: (2,), 2: ()})
    (True, False)
    """
    for node, sources in pred.items():  # plain loops are faster than ``all`` and ``max``
        for source in sources:
            if source >= node:
                return False
    return True


def topological_sort(nodes: Collection[int], pred: Edges, succ: Edges) -> list[int]:
    """The chosen nodes in topological order, ties broken by id; nodes on a cycle or reachable from one are omitted.

    >>> topological_sort({1, 2, 3}, {1: (3,), 2: (), 3: ()}, {1: (), 2: (), 3: (1,)})
    [2, 3, 1]
    """
    if len(nodes) == len(pred):
        in_degree = {node: len(pred[node]) for node in nodes}
    else:
        in_degree = {node: sum([source in nodes for source in pred[node]]) for node in nodes}
    ready = [node for node, count in in_degree.items() if not count]
    heapq.heapify(ready)
    order: list[int] = []
    take, put = heapq.heappop, heapq.heappush
    while ready:
        node = take(ready)
        order.append(node)
        for user in succ[node]:
            if user in in_degree:
                in_degree[user] -= 1
                if not in_degree[user]:
                    put(ready, user)
    return order
