"""Static memory planning: live ranges of all values of a graph, and their offsets in one block of memory.

Problem: assign an offset to every value so that values with overlapping live ranges do not overlap in memory, and keep
the block small (dynamic storage allocation, NP-hard: Garey and Johnson 1979, problem SR2). Method: a linear scan over
the topological order with a best-fit free list that merges neighbouring free blocks (Wilson et al. 1995, "Dynamic
storage allocation: a survey"), plus in-place elementwise operators.

A live range starts at the node that computes the value and ends at the last reader of the value or of a view of it;
outputs and assigned values live to the end. Invariants: an allocation is released after the step of its last reader,
and a value is computed in place only if its operand dies at that step and no other operand views the same memory. Not
handled: reordering nodes to lower the peak, and memory of inputs, Parameters and constants, which is not counted. Nodes
are kernels here; values inside of a fused node never reach memory. (The compiled numpy program runs bodies step by step
and assigns buffers of its own in ``minigraph.execute.memory``.)
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from minigraph.ir.graph import Graph, Ref, reference
from minigraph.ir.graph_reader import ref_text

ALIGNMENT_BYTES = 512  # Ascend chips read global memory at full rate from addresses divisible by this


class Allocation(NamedTuple):
    """The memory of one value: ``nbytes`` at ``offset``, live from step ``first`` to ``last``, in place of another."""

    ref: Ref
    nbytes: int
    first: int
    last: int
    offset: int
    in_place_of: Ref | None = None

    def __str__(self) -> str:
        in_place = f" in place of {ref_text(self.in_place_of)}" if self.in_place_of is not None else ""
        return (
            f"{ref_text(self.ref)}: {self.nbytes} bytes at {self.offset}, steps {self.first} to {self.last}{in_place}"
        )


@dataclass(frozen=True)
class MemoryPlan:
    """The allocations by value.

    ``peak`` is the size of the block in bytes, ``live`` the most bytes live at one step (a lower bound for every plan),
    reached at step ``live_step``, and ``unshared`` the bytes of all values without sharing.
    """

    allocations: Mapping[Ref, Allocation]
    peak: int
    live: int
    live_step: int
    unshared: int

    @property
    def in_place(self) -> int:
        """The number of values computed in place of an operand."""
        return sum(allocation.in_place_of is not None for allocation in self.allocations.values())

    def __str__(self) -> str:
        return (
            f"{len(self.allocations)} values: {self.peak} bytes instead of {self.unshared}, {self.live} live at once, "
            f"{self.in_place} in place"
        )


class LiveRanges:
    """The live range of every value of a graph; steps are positions in ``order``.

    ``root`` maps a value to the value whose memory it is or views, ``first`` and ``last`` are the steps between which
    the memory of a root is in use, ``sizes`` its bytes.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.order = graph, [node for node in graph.topological() if not graph.op(node).is_leaf]
        self.root: dict[Ref, Ref] = {}
        self.first: dict[Ref, int] = {}
        self.last: dict[Ref, int] = {}
        self.sizes: dict[Ref, int] = {}
        for step, node in enumerate(self.order):
            self._add_node(step, node)
        end = len(self.order)
        stored = [node for node in self.order if graph.op(node).stores]
        for ref in (*graph.outs, *stored):
            if self.root.get(ref) in self.last:
                self.last[self.root[ref]] = end

    def _add_node(self, step: int, node: int) -> None:
        graph = self.graph
        for ref in graph.ins(node):
            if ref in self.root and self.root[ref] in self.last:
                self.last[self.root[ref]] = step
        viewed = graph.ins(node)[0] if graph.op(node).view and graph.ins(node) else None
        for r, type in enumerate(graph.types(node)):
            ref = reference(node, r)
            self.root[ref] = ref if viewed is None else self.root.get(viewed, viewed)
            if viewed is None:
                self.first[ref] = self.last[ref] = step
                self.sizes[ref] = type.nbytes

    def live_bytes(self) -> list[int]:
        """The live bytes at every step."""
        changes = [0] * (len(self.order) + 2)
        for ref, first in self.first.items():
            changes[first] += self.sizes[ref]
            changes[self.last[ref] + 1] -= self.sizes[ref]
        return list(accumulate(changes[: len(self.order)]))

    def peak(self) -> tuple[int, int]:
        """The most bytes live at one step, and the first such step."""
        live_by_step = self.live_bytes()
        peak = max(live_by_step, default=0)
        return peak, live_by_step.index(peak) if live_by_step else 0

    def in_place_operand(self, step: int) -> Ref | None:
        """The operand over which the node of a step may write its result, or ``None``.

        The node is elementwise and the last reader of the operand, which has the result's shape and item size; no other
        operand views the same memory.
        """
        graph, node = self.graph, self.order[step]
        if len(graph.types(node)) != 1 or not is_computed_elementwise(graph, node):
            return None
        result_type = graph.types(node)[0]
        for ref in graph.ins(node):
            operand_type = graph.type(ref)
            fits = operand_type.shape == result_type.shape and operand_type.dtype.itemsize == result_type.dtype.itemsize
            other_views = {other for other in graph.ins(node) if self.root.get(other) == ref} - {ref}
            if fits and self.root.get(ref) == ref and self.last[ref] == step and not other_views:
                return ref
        return None


def is_computed_elementwise(graph: Graph, node: int) -> bool:
    """Whether a node is elementwise, or a fused node of elementwise operators only."""
    op = graph.op(node)
    if op.role != "fused":
        return op.family == "elementwise"
    (body,) = graph.regions(node)
    return all(body.op(inner).is_leaf or body.op(inner).family == "elementwise" for inner in body)


# ---- allocation --------------------------------------------------------------------------------------


class _Arena:
    """One growing block of memory with a best-fit free list; free blocks are (bytes, offset)."""

    def __init__(self) -> None:
        self.size = 0
        self.free_blocks: list[tuple[int, int]] = []  # smallest first
        self.ends: dict[int, tuple[int, int]] = {}  # by end offset
        self.starts: dict[int, tuple[int, int]] = {}  # by start offset

    def allocate(self, nbytes: int) -> int:
        """Allocate bytes in the smallest free block that is large enough, else at the end; returns the offset."""
        best = next((block for block in self.free_blocks if block[0] >= nbytes), None)
        last = self.ends.get(self.size)
        if best is None and last is not None:  # extend the free block at the end
            self._remove(last)
            self.size = last[1] + nbytes
            return last[1]
        if best is None:
            self.size += nbytes
            return self.size - nbytes
        self._remove(best)
        if best[0] > nbytes:
            self._add((best[0] - nbytes, best[1] + nbytes))
        return best[1]

    def release(self, offset: int, nbytes: int) -> None:
        """Free a block and merge it with its free neighbours."""
        for neighbor in (self.ends.get(offset), self.starts.get(offset + nbytes)):
            if neighbor is not None:
                self._remove(neighbor)
                offset, nbytes = min(offset, neighbor[1]), nbytes + neighbor[0]
        self._add((nbytes, offset))

    def _add(self, block: tuple[int, int]) -> None:
        nbytes, offset = block
        if nbytes:
            insort(self.free_blocks, block)
            self.starts[offset] = self.ends[offset + nbytes] = block

    def _remove(self, block: tuple[int, int]) -> None:
        self.free_blocks.remove(block)
        del self.starts[block[1]], self.ends[block[0] + block[1]]


def memory_plan(graph: Graph, align: int = ALIGNMENT_BYTES) -> MemoryPlan:
    """Allocations for all values in topological order, each in the smallest free block that is large enough.

    >>> from minigraph import Tensor, trace
    >>> print(memory_plan(trace(lambda x: -(-(-x)), Tensor([1.0, 2.0]))))
    3 values: 512 bytes instead of 1536, 512 live at once, 2 in place
    """
    ranges, arena = LiveRanges(graph), _Arena()
    sizes = {ref: -(-max(nbytes, 1) // align) * align for ref, nbytes in ranges.sizes.items()}
    allocations: dict[Ref, Allocation] = {}
    dying: dict[int, list[Ref]] = {}
    for ref, last in ranges.last.items():
        dying.setdefault(last, []).append(ref)
    live, peak_live, live_step = 0, 0, 0
    for step, node in enumerate(ranges.order):
        operand = ranges.in_place_operand(step)
        for ref in (reference(node, r) for r in range(len(graph.types(node)))):
            if ref in ranges.first:
                offset = allocations[operand].offset if operand is not None else arena.allocate(sizes[ref])
                allocations[ref] = Allocation(ref, ranges.sizes[ref], step, ranges.last[ref], offset, operand)
                live += sizes[ref] if operand is None else 0
        if live > peak_live:
            peak_live, live_step = live, step
        for ref in dying.get(step, ()):
            if ref != operand:
                arena.release(allocations[ref].offset, sizes[ref])
                live -= sizes[ref]
    return MemoryPlan(allocations, arena.size, peak_live, live_step, sum(sizes.values()))
