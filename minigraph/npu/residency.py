"""What L2 still holds when a node starts: an LRU cliff at its capacity, by bytes touched in between.

Published measurements show that cliff: a tensor larger than L2 read four times hits 0 %, read in slices
that fit it hits 75 %.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from minigraph.ir.reading import GraphReader, Ref, reference


def cold_parts(graph: GraphReader, nodes: Sequence[int], capacity: int, warm: bool = True) -> dict[int, float]:
    """For each node the part (0 to 1) of its operands' bytes that L2, of ``capacity`` bytes, does not hold.

    ``warm``: the graph has run before, as in the middle of a training loop. Views share their operand's bytes.
    """
    roots = roots_of(graph, nodes)
    touched = 0
    last: dict[Ref, int] = {}
    found: dict[int, float] = {}
    for node in _played(graph, nodes, warm):
        operands = [roots.get(ref, ref) for ref in graph.ins(node)]
        sizes = [min(graph.type(ref).nbytes, graph.type(root).nbytes)
                 for ref, root in zip(graph.ins(node), operands, strict=True)]  # fmt: skip
        missing = sum(
            size
            for ref, size in zip(operands, sizes, strict=True)
            if ref not in last or touched - last[ref] + size > capacity
        )
        found[node] = round(missing / sum(sizes), 4) if sum(sizes) else 0.0
        results = [reference(node, r) for r in range(len(graph.types(node)))]
        touched += sum(sizes) + sum(graph.type(ref).nbytes for ref in results)
        last.update((ref, touched) for ref in (*operands, *results))
    return found


def held_by_l2(graph: GraphReader, nodes: Sequence[int], capacity: int, warm: bool = True) -> dict[int, int]:
    """For each node the bytes of values that L2, of ``capacity`` bytes, holds when the node starts.

    They are the values touched last, as far as they fit; ``warm`` as in ``cold_parts``.
    """
    roots = roots_of(graph, nodes)
    held: OrderedDict[Ref, int] = OrderedDict()
    total = 0
    found: dict[int, int] = {}
    for node in _played(graph, nodes, warm):
        found[node] = total
        for ref in (*graph.ins(node), *(reference(node, r) for r in range(len(graph.types(node))))):
            root = roots.get(ref, ref)
            total += graph.type(root).nbytes - held.pop(root, 0)
            held[root] = graph.type(root).nbytes
        while total > capacity and held:
            total -= held.popitem(last=False)[1]
    return found


def _played(graph: GraphReader, nodes: Sequence[int], warm: bool) -> list[int]:
    """The nodes that are tasks, in order; those of the run before first where it is ``warm``."""
    return [node for node in nodes if graph.op(node).unit != "none"] * (2 if warm else 1)


def roots_of(graph: GraphReader, nodes: Sequence[int]) -> dict[Ref, Ref]:
    """For each result of a free node the value whose bytes it shows."""
    roots: dict[Ref, Ref] = {}
    for node in nodes:
        if graph.op(node).unit == "none" and graph.ins(node):
            source = graph.ins(node)[0]
            for r in range(len(graph.types(node))):
                roots[reference(node, r)] = roots.get(source, source)
    return roots
