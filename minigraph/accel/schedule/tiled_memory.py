"""Buffers of plans with blocks: pieces have memory of their own, which runs share one after the other."""

from __future__ import annotations

from collections.abc import Mapping

from minigraph.accel.kernels.table import IN_PLACE_ON_OPERAND
from minigraph.accel.schedule.blocks import inner_values
from minigraph.accel.schedule.tiled_plan import Block, TiledPlan
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.memory import FreeBuffers, Lifetime, Memory


def assign_buffers(plan: TiledPlan, types: Mapping[int, TensorType], root: Mapping[int, int]) -> None:
    """Give every inner value whose operator takes ``out=`` a buffer, reused once the value is dead.

    ``types`` are those of all values, ``root`` says whose memory each looks at (``memory_roots``).
    """
    TiledMemory(plan, types, root).assign()


class FreePieces(FreeBuffers):
    """Memory for the pieces of a run; ``behind`` are whole buffers to ask first when none is free."""

    def __init__(self, behind: FreeBuffers) -> None:
        super().__init__(behind.sizes)
        self.behind = behind

    def added(self, nbytes: int) -> int:
        """One of the buffers behind, or a new one."""
        return self.behind.take(nbytes)


class TiledMemory(Memory):
    """An assignment in which runs that go piece by piece are placed as a whole."""

    plan: TiledPlan

    def buffered(self) -> set[int]:
        """The values that live in buffers, also those of operators with several results."""
        made = {out for step in self.plan.steps if step.op.into for out in step.outs}
        return {value for value in made if self.root[value] == value} - self.leaving

    def assign(self) -> None:
        """A buffer for every value that is to have one."""
        runs, i = {block.first: block for block in self.plan.blocks}, 0
        while i < len(self.plan.steps):
            block = runs.get(i)
            if block is None:
                self.place(i, {out: self.types[out].nbytes for out in self.wanted(self.plan.steps[i])}, self.free)
                i += 1
            else:
                self.place_block(block)
                i = block.last

    def place_block(self, block: Block) -> None:
        """Give the results of a run buffers.

        In its second piece, the run reads and writes everything once more. So memory of whole tensors that die in it,
        and memory for whole tensors that it makes, is not shared with that of pieces.
        """
        steps = self.plan.steps[block.first : block.last]
        inner = inner_values(steps, block.last, self.last_use, self.leaving | self.plan.places.keys())
        self.plan.inner |= inner
        whole = [out for step in steps for out in self.wanted(step) if out not in inner]
        buffer_of = self.plan.buffer_of
        for out in whole:
            buffer_of[out] = self.free.take(self.types[out].nbytes)
        pieces, dead = FreePieces(self.free), list[int]()
        for i in range(block.first, block.last):
            dead += [value for value in self.dying.get(i, ()) if value not in inner]
            self.dying[i] = [value for value in self.dying.get(i, ()) if value in inner]
            self._place_piece(i, block, pieces)
        self._copy_pieces(block)
        self.free.give([buffer for buffers in pieces.by_size.values() for buffer in buffers])
        self.free.give([buffer_of[value] for value in dead if value in buffer_of])

    def _place_piece(self, i: int, block: Block, pieces: FreePieces) -> None:
        made = [out for out in self.wanted(self.plan.steps[i]) if out in self.plan.inner]
        self.place(i, {out: block.piece_of(self.types[out]).nbytes for out in made}, pieces)

    def _copy_pieces(self, block: Block) -> None:
        """Memory of their own for the other threads of a run."""
        buffers, copies = self.plan.buffers, self.plan.copies
        made = {out for step in self.plan.steps[block.first : block.last] for out in step.outs} & self.plan.inner
        for buffer in sorted({self.plan.buffer_of[value] for value in made if value in self.plan.buffer_of}):
            for thread in range(1, block.threads):
                if (buffer, thread) not in copies:
                    copies[buffer, thread] = len(buffers)
                    buffers.append(buffers[buffer])

    def may_write_over(self, op: Op) -> bool:
        """Also what a table names, but no kernel: its loop uses vector instructions only where nothing overlaps."""
        return (op in IN_PLACE_ON_OPERAND or super().may_write_over(op)) and op.role != "fused"


def lifetimes(plan: TiledPlan) -> dict[int, Lifetime]:
    """For each value that a step makes: the first and the last step at which its memory is its own.

    That is from its own step to the last that looks at it, also through a view; whole tensors of a run that goes piece
    by piece are needed all through it. What leaves the program lives until one step after the last.
    """
    root = memory_roots(plan)
    made = {out: i for i, step in enumerate(plan.steps) for out in step.outs if root[out] == out}
    last = made | {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    last |= {root[value]: len(plan.steps) for value in plan.leaving}
    types, run_of = plan.types, {i: block for block in plan.blocks for i in range(block.first, block.last)}
    found = {}
    for value, first in made.items():
        begins, ends = (None if value in plan.inner else run_of.get(i) for i in (first, last[value]))
        piece = plan.buffer_of.get(value) if value in plan.inner else None
        nbytes = types[value].nbytes if piece is None else plan.buffers[piece]
        found[value] = Lifetime(begins.first if begins else first, ends.last - 1 if ends else last[value], nbytes)
    return found


def memory_roots(plan: TiledPlan) -> dict[int, int]:
    """For each value, the value whose memory it may look at: views see through to their operand.

    What is written into a view is what that shows.
    """
    root, places = {source.value: source.value for source in plan.sources}, plan.places
    for op, ins, _, outs, *_ in plan.steps:
        for out in outs:
            if out in places:
                root[out] = root[places[out]]
            else:
                root[out] = root[ins[0]] if op.view and ins else out
    return root
