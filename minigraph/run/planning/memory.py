"""Which value lives in which buffer: memory is used again as soon as what it holds is dead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minigraph.run.planning.blocks import inner_values
from minigraph.run.steps import Block, Plan, Step
from minigraph.types import TensorType


def assign_buffers(plan: Plan, types: Mapping[int, TensorType], root: Mapping[int, int]) -> None:
    """Give every inner value whose operator takes ``out=`` a buffer, reused once the value is dead.

    ``types`` are those of all values, ``root`` says whose memory each looks at (``memory_roots``).
    """
    memory, runs = _Memory(plan, types, root), {block.first: block for block in plan.blocks}
    i = 0
    while i < len(plan.steps):
        block = runs.get(i)
        if block is None:
            memory.place(i, memory.free, memory.wanted(plan.steps[i]), types)
            i += 1
        else:
            memory.place_block(block)
            i = block.last


class _Free:
    """Buffers nobody needs at the moment, by size; ``behind`` are others to ask."""

    def __init__(self, sizes: list[int], behind: _Free | None = None) -> None:
        self.sizes, self.by_size, self.behind = sizes, dict[int, list[int]](), behind

    def give(self, buffers: Sequence[int]) -> None:
        """Buffers whose values are dead."""
        for buffer in buffers:
            self.by_size.setdefault(self.sizes[buffer], []).append(buffer)

    def take(self, nbytes: int) -> int:
        """The smallest free buffer that is large enough but not four times too large, or a new one."""
        size = (
            nbytes
            if nbytes in self.by_size
            else min([size for size in self.by_size if nbytes <= size <= 4 * nbytes], default=None)
        )
        if size is not None:
            return self._taken(size)
        if self.behind is not None:
            return self.behind.take(nbytes)
        self.sizes.append(nbytes)
        return len(self.sizes) - 1

    def _taken(self, size: int) -> int:
        """The buffer of this size that was given last."""
        buffers = self.by_size[size]
        if len(buffers) == 1:
            del self.by_size[size]  # no size is there without a buffer, so that few are looked through
        return buffers.pop()


class _Memory:
    """One assignment: which values are alive until when, and what is free."""

    def __init__(self, plan: Plan, types: Mapping[int, TensorType], root: Mapping[int, int]) -> None:
        self.plan, self.free, self.types, self.root = plan, _Free(plan.buffers), types, root
        self.leaving = {root[value] for value in plan.leaving}
        self.last_use = {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
        made = {out for step in plan.steps if step.op.into for out in step.outs if root[out] == out}
        self.own = made - self.leaving - plan.over.keys()  # what lives in buffers
        self.unread = self.own - self.last_use.keys()
        self.dying: dict[int, list[int]] = {}
        for value, i in self.last_use.items():
            if value in self.own:
                self.dying.setdefault(i, []).append(value)

    def place(self, i: int, free: _Free, made: Sequence[int], types: Mapping[int, TensorType]) -> None:
        """Give results of step ``i`` buffers for these types, and take back those of operands that it reads last."""
        dead, buffer_of = self.dying.get(i, ()), self.plan.buffer_of
        over = self._written_over(self.plan.steps[i], dead) if dead else ()
        if len(over) == len(made) == 1 and free.sizes[buffer_of[over[0]]] == types[made[0]].nbytes:
            buffer_of[made[0]] = buffer_of[over[0]]  # what it would be given: nearly always
        else:
            free.give([buffer_of[value] for value in over])
            for out in made:
                buffer_of[out] = free.take(types[out].nbytes)
        if len(over) < len(dead) or not self.unread.isdisjoint(made):
            rest = [*self.unread.intersection(made), *(value for value in dead if value not in over)]
            free.give([buffer_of[value] for value in rest])

    def place_block(self, block: Block) -> None:
        """Give the results of a run buffers.

        In its second piece, the run reads and writes everything once more. So memory of whole tensors that die in it,
        and memory for whole tensors that it makes, is not shared with that of pieces; ``plan.instead`` says where
        one lies in the other, piece upon piece.
        """
        steps = self.plan.steps[block.first : block.last]
        inner = inner_values(steps, block.last, self.last_use, self.leaving | self.plan.places.keys())
        self.plan.inner |= inner
        whole = [out for step in steps for out in self.wanted(step) if out not in inner]
        instead, buffer_of = self.plan.instead, self.plan.buffer_of
        for out in whole:
            buffer_of[out] = buffer_of[instead[out]] if out in instead else self.free.take(self.types[out].nbytes)
        taken = {instead[out] for out in whole if out in instead}
        pieces, dead = _Free(self.plan.buffers, self.free), list[int]()
        for i in range(block.first, block.last):
            dead += [value for value in self.dying.get(i, ()) if value not in inner]
            self.dying[i] = [value for value in self.dying.get(i, ()) if value in inner]
            self._place_piece(i, block, pieces)
        self._copy_pieces(block)
        self.free.give([buffer for buffers in pieces.by_size.values() for buffer in buffers])
        self.free.give([buffer_of[value] for value in dead if value in buffer_of and value not in taken])

    def _place_piece(self, i: int, block: Block, pieces: _Free) -> None:
        made = [out for out in self.wanted(self.plan.steps[i]) if out in self.plan.inner]
        self.place(i, pieces, made, {out: block.piece_of(self.types[out]) for out in made})

    def _copy_pieces(self, block: Block) -> None:
        """Memory of their own for the other threads of a run."""
        buffers, copies = self.plan.buffers, self.plan.copies
        made = {out for step in self.plan.steps[block.first : block.last] for out in step.outs} & self.plan.inner
        for buffer in sorted({self.plan.buffer_of[value] for value in made if value in self.plan.buffer_of}):
            for thread in range(1, block.threads):
                if (buffer, thread) not in copies:
                    copies[buffer, thread] = len(buffers)
                    buffers.append(buffers[buffer])

    def wanted(self, step: Step) -> Sequence[int]:
        """The results of a step that are to live in buffers."""
        if self.own.issuperset(step.outs):  # nearly always
            return step.outs
        return [out for out in step.outs if out in self.own]

    def _written_over(self, step: Step, dead: Sequence[int]) -> list[int]:
        """Those of the operands that a step reads last whose memory it may write its result over.

        Only an elementwise operator, or one that says so, and only element upon element of the same size: with any
        other overlap numpy copies first, and may then compute in another order than it did in eager mode, or is wrong
        (casts). A kernel's loop uses vector instructions only where memory does not overlap at all: ten times faster.
        """
        if not (step.op.over or step.op.family == "elementwise") or step.op.role == "fused":
            return []
        found, types, root, new = [], self.types, self.root, step.types[0]
        for value in dead:  # written out, for this is asked of every step
            if types[value] is new or _fits_over(types[value], new):
                for other in step.ins:
                    if other != value and root[other] == value:
                        break  # another operand shows its memory
                else:
                    found.append(value)
        return found


def _fits_over(old: TensorType, new: TensorType) -> bool:
    """Whether elements of a new tensor lie where those of an old one do."""
    return old.shape == new.shape and old.dtype.itemsize == new.dtype.itemsize


def lifetimes(plan: Plan) -> dict[int, tuple[int, int]]:
    """For each value that a step makes: the first and the last step at which its memory is its own.

    That is from its own step to the last that looks at it, also through a view; whole tensors of a run that goes piece
    by piece are needed all through it, unless one lies where another died. What leaves the program lives until one step
    after the last. What is written over a Parameter has no memory of its own.
    """
    root, over = memory_roots(plan), plan.over.keys() | {*plan.updated.values()}
    made = {out: i for i, step in enumerate(plan.steps) for out in step.outs if root[out] == out and out not in over}
    last = made | {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    last |= {root[value]: len(plan.steps) for value in plan.leaving}
    run_of = {i: block for block in plan.blocks for i in range(block.first, block.last)}
    found, handed = {}, {*plan.instead.values()}
    for value, first in made.items():
        begins = None if value in plan.inner or value in plan.instead else run_of.get(first)
        ends = None if value in plan.inner or value in handed else run_of.get(last[value])
        found[value] = begins.first if begins else first, ends.last - 1 if ends else last[value]
    return found


def memory_roots(plan: Plan) -> dict[int, int]:
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
