"""One block of memory for all values of a graph: who lies where, when, and in whose place.

Nodes are kernels here, in the order of the graph, and what is inside of a fused node never reaches memory. (The
compiled numpy program, which runs bodies step by step, plans buffers of its own in ``minigraph.execute.memory``.)
A value lives from the node that makes it to the last that reads it, or any view of it; outputs and what is assigned
live to the end. Inputs, Parameters and constants are there from the start and are not counted.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from minigraph.ir.graph import Graph, Ref, reference
from minigraph.ir.reading import ref_text

ALIGNMENT_BYTES = 512  # bytes: global memory of Ascend chips is read at full rate from such addresses


class Allocation(NamedTuple):
    """Where one value lies: ``nbytes`` from ``offset``, alive from step ``first`` to ``last``, over value ``over``."""

    ref: Ref
    nbytes: int
    first: int
    last: int
    offset: int
    over: Ref | None = None

    def __str__(self) -> str:
        place = f" in place of {ref_text(self.over)}" if self.over is not None else ""
        return f"{ref_text(self.ref)}: {self.nbytes} bytes at {self.offset}, steps {self.first} to {self.last}{place}"


@dataclass(frozen=True)
class MemoryPlan:
    """The slots by value.

    ``peak`` are the bytes of the block, ``live`` the most bytes that are alive at one step (no plan can do with
    less), reached at step ``at``, and ``unshared`` what all values would take without sharing.
    """

    slots: Mapping[Ref, Allocation]
    peak: int
    live: int
    at: int
    unshared: int

    @property
    def in_place(self) -> int:
        """How many values are written over an operand."""
        return sum(slot.over is not None for slot in self.slots.values())

    def __str__(self) -> str:
        return (
            f"{len(self.slots)} values: {self.peak} bytes instead of {self.unshared}, {self.live} alive at once, "
            f"{self.in_place} in place"
        )


class LiveRanges:
    """When each value of a graph is alive, by the place of nodes in ``order``.

    ``root`` is the value whose memory a value shows, ``first`` and ``last`` the steps between which the memory of a
    root is in use, ``sizes`` its bytes.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.order = graph, [node for node in graph.topological() if not graph.op(node).is_leaf]
        self.root: dict[Ref, Ref] = {}
        self.first: dict[Ref, int] = {}
        self.last: dict[Ref, int] = {}
        self.sizes: dict[Ref, int] = {}
        for step, node in enumerate(self.order):
            self._note(step, node)
        end = len(self.order)
        stored = [node for node in self.order if graph.op(node).stores]
        for ref in (*graph.outs, *stored):
            if self.root.get(ref) in self.last:
                self.last[self.root[ref]] = end

    def _note(self, step: int, node: int) -> None:
        graph = self.graph
        for ref in graph.ins(node):
            if ref in self.root and self.root[ref] in self.last:
                self.last[self.root[ref]] = step
        shows = graph.ins(node)[0] if graph.op(node).view and graph.ins(node) else None
        for r, type in enumerate(graph.types(node)):
            ref = reference(node, r)
            self.root[ref] = ref if shows is None else self.root.get(shows, shows)
            if shows is None:
                self.first[ref] = self.last[ref] = step
                self.sizes[ref] = type.nbytes

    def live(self) -> list[int]:
        """Bytes in use at every step."""
        change = [0] * (len(self.order) + 2)
        for ref, first in self.first.items():
            change[first] += self.sizes[ref]
            change[self.last[ref] + 1] -= self.sizes[ref]
        found, now = [], 0
        for step in range(len(self.order)):
            now += change[step]
            found.append(now)
        return found

    def fullest(self) -> tuple[int, int]:
        """The most bytes alive at one step, and the first such step."""
        live = self.live()
        peak = max(live, default=0)
        return peak, live.index(peak) if live else 0

    def over(self, step: int) -> Ref | None:
        """The operand in whose place the node of a step may write: element upon element, and read there last.

        No other operand may show the same memory in another way.
        """
        graph, node = self.graph, self.order[step]
        if len(graph.types(node)) != 1 or not is_computed_elementwise(graph, node):
            return None
        new = graph.types(node)[0]
        for ref in graph.ins(node):
            old = graph.type(ref)
            alike = old.shape == new.shape and old.dtype.itemsize == new.dtype.itemsize
            others = {other for other in graph.ins(node) if self.root.get(other) == ref} - {ref}
            if alike and self.root.get(ref) == ref and self.last[ref] == step and not others:
                return ref
        return None


def is_computed_elementwise(graph: Graph, node: int) -> bool:
    """Whether each element of the result is made of elements at its own place; of a fused node, all through it."""
    op = graph.op(node)
    if op.role != "fused":
        return op.family == "elementwise"
    (body,) = graph.regions(node)
    return all(body.op(inner).is_leaf or body.op(inner).family == "elementwise" for inner in body)


# ---- the block ---------------------------------------------------------------------------------------


class _Arena:
    """Free stretches of one block of memory, by size; it grows at its end."""

    def __init__(self) -> None:
        self.size = 0
        self.free: list[tuple[int, int]] = []  # (bytes, offset), the smallest first
        self.ends: dict[int, tuple[int, int]] = {}  # by the offset behind it
        self.starts: dict[int, tuple[int, int]] = {}

    def take(self, nbytes: int) -> int:
        """The offset of so many bytes: in the smallest stretch that holds them, else at the end."""
        fitting = next((stretch for stretch in self.free if stretch[0] >= nbytes), None)
        last = self.ends.get(self.size)
        if fitting is None and last is not None:  # what is free at the end need only grow
            self._remove(last)
            self.size = last[1] + nbytes
            return last[1]
        if fitting is None:
            self.size += nbytes
            return self.size - nbytes
        self._remove(fitting)
        if fitting[0] > nbytes:
            self._add((fitting[0] - nbytes, fitting[1] + nbytes))
        return fitting[1]

    def give(self, offset: int, nbytes: int) -> None:
        """A stretch that nobody needs, joined with its neighbours."""
        for neighbour in (self.ends.get(offset), self.starts.get(offset + nbytes)):
            if neighbour is not None:
                self._remove(neighbour)
                offset, nbytes = min(offset, neighbour[1]), nbytes + neighbour[0]
        self._add((nbytes, offset))

    def _add(self, stretch: tuple[int, int]) -> None:
        nbytes, offset = stretch
        if nbytes:
            insort(self.free, stretch)
            self.starts[offset] = self.ends[offset + nbytes] = stretch

    def _remove(self, stretch: tuple[int, int]) -> None:
        self.free.remove(stretch)
        del self.starts[stretch[1]], self.ends[stretch[0] + stretch[1]]


def memory_plan(graph: Graph, align: int = ALIGNMENT_BYTES) -> MemoryPlan:
    """Slots for all values, in the order of the graph, each in the smallest hole that holds it.

    >>> from minigraph import Tensor, trace
    >>> print(memory_plan(trace(lambda x: -(-(-x)), Tensor([1.0, 2.0]))))
    3 values: 512 bytes instead of 1536, 512 alive at once, 2 in place
    """
    lives, block = LiveRanges(graph), _Arena()
    room = {ref: -(-max(nbytes, 1) // align) * align for ref, nbytes in lives.sizes.items()}
    slots: dict[Ref, Allocation] = {}
    dying: dict[int, list[Ref]] = {}
    for ref, last in lives.last.items():
        dying.setdefault(last, []).append(ref)
    now, live, at = 0, 0, 0
    for step, node in enumerate(lives.order):
        over = lives.over(step)
        for ref in (reference(node, r) for r in range(len(graph.types(node)))):
            if ref in lives.first:
                place = slots[over].offset if over is not None else block.take(room[ref])
                slots[ref] = Allocation(ref, lives.sizes[ref], step, lives.last[ref], place, over)
                now += room[ref] if over is None else 0
        if now > live:
            live, at = now, step
        for ref in dying.get(step, ()):
            if ref != over:
                block.give(slots[ref].offset, room[ref])
                now -= room[ref]
    return MemoryPlan(slots, block.size, live, at, sum(room.values()))
