"""L2 residency: which operand bytes of a node still are in L2, by LRU reuse distance (Mattson et al., 1970).

A byte hits if the bytes touched between its last use and this one fit L2. A node touches all its operands and results
in step, front to back. So the byte at the fraction f of a value sees the rest of the node that touched it last,
(1 - f) of that node's traffic, all nodes in between, and f of the traffic of the node that reads it; the distance is
linear in f, and a share of the bytes hits. Published measurements show the cliff at the capacity: a tensor larger than
L2, read four times, hits 0 %; read in slices that fit L2, it hits 75 %; an addition that streams more than L2 hits 0 %
however often it is repeated. Not handled: other orders within a node (a matmul reads its operands by tiles), partial
reads of a view, and bytes that are touched twice in between, which count twice.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from minigraph.ir.graph_reader import GraphReader, Ref, reference


class Touch(NamedTuple):
    """The last use of a value: the bytes touched before the end of the node that used it, and by that node."""

    end: int
    node_bytes: int


class ReuseDistances:
    """An L2 of ``capacity`` bytes while kernels run one after another: one call of ``run`` each.

    >>> l2 = ReuseDistances(200)
    >>> [l2.run({"x": 150}) for _ in range(2)], l2.run({"y": 100}), l2.run({"x": 150})
    ([1.0, 0.0], 1.0, 1.0)
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._bytes_touched = 0
        self._last_touch: dict[Hashable, Touch] = {}

    def run(self, operands: Mapping[Hashable, int], results: Mapping[Hashable, int] | None = None) -> float:
        """The share (0 to 1) of a kernel's operand bytes that misses; both mappings are from values to bytes."""
        results = results or {}
        read = sum(operands.values())
        node_bytes = read + sum(results.values())
        missing_bytes = sum(
            size * (1 - _hit_share(self._last_touch.get(value), self._bytes_touched, node_bytes, self.capacity))
            for value, size in operands.items()
        )
        self._bytes_touched += node_bytes
        self._last_touch |= dict.fromkeys((*operands, *results), Touch(self._bytes_touched, node_bytes))
        return missing_bytes / read if read else 0.0


def cold_fractions(graph: GraphReader, nodes: Sequence[int], capacity: int, warm: bool = True) -> dict[int, float]:
    """For each node, the share (0 to 1) of its operands' bytes that misses an L2 of ``capacity`` bytes.

    ``warm``: the graph has run before, as in a training loop. Views alias the bytes of their operand.
    """
    roots = roots_of(graph, nodes)
    l2 = ReuseDistances(capacity)
    fractions: dict[int, float] = {}
    for node in _execution_order(graph, nodes, warm):
        operands: dict[Hashable, int] = {}
        for ref in graph.ins(node):
            root = roots.get(ref, ref)
            operands[root] = max(operands.get(root, 0), min(graph.type(ref).nbytes, graph.type(root).nbytes))
        results: dict[Hashable, int] = {reference(node, r): t.nbytes for r, t in enumerate(graph.types(node))}
        fractions[node] = round(l2.run(operands, results), 4)
    return fractions


def _hit_share(last: Touch | None, bytes_touched: int, node_bytes: int, capacity: int) -> float:
    """The share of a value's bytes whose reuse distance is at most the capacity; 0 for a first use.

    >>> _hit_share(Touch(100, 100), 100, 100, 100), _hit_share(Touch(300, 300), 300, 100, 200)
    (1.0, 0.5)
    """
    if last is None:
        return 0.0
    first, final = last.node_bytes + bytes_touched - last.end, bytes_touched - last.end + node_bytes  # at f = 0 and 1
    low, high = sorted((first, final))
    if high <= capacity:
        return 1.0
    return max(0.0, (capacity - low) / (high - low)) if high > low else 0.0


def l2_resident_bytes(graph: GraphReader, nodes: Sequence[int], capacity: int, warm: bool = True) -> dict[int, int]:
    """For each node, the bytes of values that are resident in an L2 of ``capacity`` bytes at its start, by LRU.

    ``warm`` as in ``cold_fractions``.
    """
    roots = roots_of(graph, nodes)
    resident: OrderedDict[Ref, int] = OrderedDict()
    total = 0
    resident_bytes: dict[int, int] = {}
    for node in _execution_order(graph, nodes, warm):
        resident_bytes[node] = total
        for ref in (*graph.ins(node), *(reference(node, r) for r in range(len(graph.types(node))))):
            root = roots.get(ref, ref)
            total += graph.type(root).nbytes - resident.pop(root, 0)
            resident[root] = graph.type(root).nbytes
        while total > capacity and resident:
            total -= resident.popitem(last=False)[1]
    return resident_bytes


def device_bytes(graph: GraphReader, nodes: Sequence[int]) -> int:
    """Bytes of device memory that a graph needs at least: its inputs and constants, and the results alive at once."""
    roots, last_use = roots_of(graph, nodes), dict[Ref, int]()
    for position, node in enumerate(nodes):
        last_use |= {roots.get(ref, ref): position for ref in graph.ins(node)}
    last_use |= {roots.get(ref, ref): len(nodes) for ref in graph.outs}
    alive = kept = most = 0
    freed: dict[int, int] = {}
    for position, node in enumerate(nodes):
        results = [ref for ref in (reference(node, r) for r in range(len(graph.types(node)))) if ref not in roots]
        size = sum(graph.type(ref).nbytes for ref in results)
        if graph.op(node).role in ("input", "parameter", "const"):
            kept += size
            continue
        alive += size
        most = max(most, alive)
        for ref in results:
            end = last_use.get(ref, position)
            freed[end] = freed.get(end, 0) + graph.type(ref).nbytes
        alive -= freed.pop(position, 0)
    return kept + most


def _execution_order(graph: GraphReader, nodes: Sequence[int], warm: bool) -> list[int]:
    """The nodes that are tasks, in execution order; if ``warm``, a previous run comes first."""
    return [node for node in nodes if graph.op(node).unit != "none"] * (2 if warm else 1)


def roots_of(graph: GraphReader, nodes: Sequence[int]) -> dict[Ref, Ref]:
    """For each result of a view, the value whose memory it aliases."""
    roots: dict[Ref, Ref] = {}
    for node in nodes:
        if graph.op(node).unit == "none" and graph.ins(node):
            source = graph.ins(node)[0]
            for r in range(len(graph.types(node))):
                roots[reference(node, r)] = roots.get(source, source)
    return roots
