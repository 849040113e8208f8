"""L2 residency: which operands of a node still are in L2, by LRU reuse distance in bytes.

A value hits if the bytes touched since its last use, and its own, fit L2. Published measurements show this cliff at the
capacity: a tensor larger than L2, read four times, hits 0 %; read in slices that fit L2, it hits 75 %.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from minigraph.ir.graph_reader import GraphReader, Ref, reference


def cold_fractions(graph: GraphReader, nodes: Sequence[int], capacity: int, warm: bool = True) -> dict[int, float]:
    """For each node, the share (0 to 1) of its operands' bytes that misses an L2 of ``capacity`` bytes.

    ``warm``: the graph has run before, as in a training loop. Views alias the bytes of their operand.
    """
    roots = roots_of(graph, nodes)
    bytes_touched = 0
    last_touch: dict[Ref, int] = {}
    fractions: dict[int, float] = {}
    for node in _execution_order(graph, nodes, warm):
        operands = [roots.get(ref, ref) for ref in graph.ins(node)]
        sizes = [min(graph.type(ref).nbytes, graph.type(root).nbytes)
                 for ref, root in zip(graph.ins(node), operands, strict=True)]  # fmt: skip
        missing_bytes = sum(
            size
            for ref, size in zip(operands, sizes, strict=True)
            if ref not in last_touch or bytes_touched - last_touch[ref] + size > capacity
        )
        fractions[node] = round(missing_bytes / sum(sizes), 4) if sum(sizes) else 0.0
        results = [reference(node, r) for r in range(len(graph.types(node)))]
        bytes_touched += sum(sizes) + sum(graph.type(ref).nbytes for ref in results)
        last_touch.update((ref, bytes_touched) for ref in (*operands, *results))
    return fractions


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
