"""Buffer assignment for tiled plans: buffers are reused after the last use of their value.

Problem: place values with overlapping live ranges in separate buffers, in little memory. Optimal placement is
NP-complete (dynamic storage allocation). Method: linear scan over the steps (Poletto and Sarkar, *Linear Scan Register
Allocation*, TOPLAS 1999) with a free list by size and best fit, as in ``execute.memory``; tiled groups are placed as
a whole. Within a group, internal values get buffers of one tile, assigned by their live ranges inside the loop body.

Invariants: a tiled group is a loop, so a whole tensor that it reads or writes is live all through it, and shares memory
neither with a tile of the group nor with another whole tensor of it. A buffer of tiles has one copy for each further
thread. A value is written over an operand only by ``BufferAssignment``'s rule: element upon element of the same size.
Values that leave the program have no buffer. Not handled: splitting or merging buffers, and reordering steps to lower
the peak.
"""

from __future__ import annotations

from collections.abc import Mapping

from minigraph.accel.kernels.table import IN_PLACE_ON_OPERAND
from minigraph.accel.schedule.tiled_plan import TiledGroup, TiledPlan
from minigraph.accel.schedule.tiling import internal_values
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.live_ranges import LiveRange
from minigraph.execute.memory import BufferAssignment, FreeList


def assign_buffers(plan: TiledPlan, types: Mapping[int, TensorType], root: Mapping[int, int]) -> None:
    """Give every internal value whose operator takes ``out=`` a buffer, reused after its last use.

    ``types`` are those of all values, ``root`` says whose memory each aliases (``memory_roots``).
    """
    TiledMemory(plan, types, root).assign()


class FreeTiles(FreeList):
    """Free buffers for the tiles of a group; ``fallback`` are whole buffers, taken when no tile is free."""

    def __init__(self, fallback: FreeList) -> None:
        super().__init__(fallback.sizes)
        self.fallback = fallback

    def allocate(self, nbytes: int) -> int:
        """A free whole buffer, or a new one."""
        return self.fallback.take(nbytes)


class TiledMemory(BufferAssignment):
    """A buffer assignment in which tiled groups are placed as a whole."""

    plan: TiledPlan

    def values_with_buffers(self) -> set[int]:
        """The values that live in buffers, including the values of operators with several results."""
        candidates = {out for step in self.plan.steps if step.op.into for out in step.outs}
        return {value for value in candidates if self.root[value] == value} - self.live_out

    def assign(self) -> None:
        """Assign all buffers."""
        groups, i = {group.first: group for group in self.plan.tiled_groups}, 0
        while i < len(self.plan.steps):
            group = groups.get(i)
            if group is None:
                self.assign_results(
                    i, {out: self.types[out].nbytes for out in self.results_with_buffers(self.plan.steps[i])}, self.free
                )
                i += 1
            else:
                self.place_group(group)
                i = group.last

    def place_group(self, group: TiledGroup) -> None:
        """Assign buffers to the results of a group.

        Its second tile reads and writes all whole tensors again. So memory of whole tensors that die in the group, and
        of those that it computes, is not shared with tiles.
        """
        steps = self.plan.steps[group.first : group.last]
        internal = internal_values(steps, group.last, self.last_use, self.live_out | self.plan.preallocated.keys())
        self.plan.tile_values |= internal
        outs = [out for step in steps for out in self.results_with_buffers(step) if out not in internal]
        buffer_of = self.plan.buffer_of
        for out in outs:
            buffer_of[out] = self.free.take(self.types[out].nbytes)
        tiles, dead = FreeTiles(self.free), list[int]()
        for i in range(group.first, group.last):
            dead += [value for value in self.dying_at.get(i, ()) if value not in internal]
            self.dying_at[i] = [value for value in self.dying_at.get(i, ()) if value in internal]
            self._place_tile(i, group, tiles)
        self._add_thread_buffers(group)
        self.free.free([buffer for buffers in tiles.by_size.values() for buffer in buffers])
        self.free.free([buffer_of[value] for value in dead if value in buffer_of])

    def _place_tile(self, i: int, group: TiledGroup, tiles: FreeTiles) -> None:
        results = [out for out in self.results_with_buffers(self.plan.steps[i]) if out in self.plan.tile_values]
        self.assign_results(i, {out: group.tile_type(self.types[out]).nbytes for out in results}, tiles)

    def _add_thread_buffers(self, group: TiledGroup) -> None:
        """Add buffers of tiles for the other threads of a group."""
        plan, copies = self.plan, self.plan.thread_buffers
        results = {out for step in plan.steps[group.first : group.last] for out in step.outs} & plan.tile_values
        for buffer in sorted({plan.buffer_of[value] for value in results if value in plan.buffer_of}):
            for thread in range(1, group.threads):
                if (buffer, thread) not in copies:
                    copies[buffer, thread] = len(plan.buffers)
                    plan.buffers.append(plan.buffers[buffer])

    def may_write_in_place(self, op: Op) -> bool:
        """Also operators of a table, but not fused loops, which vectorise only if their arrays do not overlap."""
        return (op in IN_PLACE_ON_OPERAND or super().may_write_in_place(op)) and op.role != "fused"


def lifetimes(plan: TiledPlan) -> dict[int, LiveRange]:
    """The live range of each value that a step computes: the first and the last step that need its memory.

    It ends at the last use, also through a view. Whole tensors of a tiled group are live all through the group, values
    that leave the program until one step after the last.
    """
    root = memory_roots(plan)
    defined = {out: i for i, step in enumerate(plan.steps) for out in step.outs if root[out] == out}
    last = defined | {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    last |= {root[value]: len(plan.steps) for value in plan.live_out}
    types, group_of = plan.types, {i: group for group in plan.tiled_groups for i in range(group.first, group.last)}
    ranges = {}
    for value, first in defined.items():
        begins, ends = (None if value in plan.tile_values else group_of.get(i) for i in (first, last[value]))
        buffer = plan.buffer_of.get(value) if value in plan.tile_values else None
        nbytes = types[value].nbytes if buffer is None else plan.buffers[buffer]
        ranges[value] = LiveRange(begins.first if begins else first, ends.last - 1 if ends else last[value], nbytes)
    return ranges


def memory_roots(plan: TiledPlan) -> dict[int, int]:
    """For each value, the value whose memory it may alias: a view aliases its operand's root.

    A value with a preallocated view aliases the root of that view.
    """
    root, preallocated = {source.value: source.value for source in plan.sources}, plan.preallocated
    for op, ins, _, outs, *_ in plan.steps:
        for out in outs:
            if out in preallocated:
                root[out] = root[preallocated[out]]
            else:
                root[out] = root[ins[0]] if op.view and ins else out
    return root
