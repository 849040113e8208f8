"""Which value lives in which buffer: memory is used again as soon as what it holds is dead.

The steps are gone through in order. A value is alive from the step that makes it to the last one that reads it, or a
view of it. What leaves the program has no buffer, because its memory becomes the caller's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.steps import Plan, Step


def assign_buffers(plan: Plan) -> None:
    """Give every inner value whose operator takes ``out=`` a buffer, reused once the value is dead."""
    Memory(plan, plan.types, memory_roots(plan)).assign()


def memory_roots(plan: Plan) -> dict[int, int]:
    """For each value, the value whose memory it may look at: views see through to their operand."""
    root = {source.value: source.value for source in plan.sources}
    for step in plan.steps:
        for out in step.outs:
            root[out] = root[step.ins[0]] if step.op.view and step.ins else out
    return root


class FreeBuffers:
    """Buffers nobody needs at the moment, by size; new ones are added to ``sizes``."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes, self.by_size = sizes, dict[int, list[int]]()

    def give(self, buffers: Iterable[int]) -> None:
        """Buffers whose values are dead."""
        for buffer in buffers:
            self.by_size.setdefault(self.sizes[buffer], []).append(buffer)

    def take(self, nbytes: int) -> int:
        """The smallest free buffer that is large enough but not four times too large, or a new one."""
        size = nbytes if nbytes in self.by_size else min(self._fitting(nbytes), default=None)
        if size is None:
            return self.added(nbytes)
        buffers = self.by_size[size]
        if len(buffers) == 1:
            del self.by_size[size]  # no size is there without a buffer, so that few are looked through
        return buffers.pop()

    def _fitting(self, nbytes: int) -> list[int]:
        return [size for size in self.by_size if nbytes <= size <= 4 * nbytes]

    def added(self, nbytes: int) -> int:
        """A new buffer."""
        self.sizes.append(nbytes)
        return len(self.sizes) - 1


class Memory:
    """One assignment: which values live in buffers, which of them die at which step, and what is free."""

    def __init__(self, plan: Plan, types: Mapping[int, TensorType], root: Mapping[int, int]) -> None:
        self.plan, self.types, self.root, self.free = plan, types, root, FreeBuffers(plan.buffers)
        self.leaving = {root[value] for value in plan.leaving}
        self.own = self.buffered()
        made = {out: i for i, step in enumerate(plan.steps) for out in step.outs}
        self.last_use = made | {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
        self.dying: dict[int, list[int]] = {}
        for value, i in self.last_use.items():
            if value in self.own:
                self.dying.setdefault(i, []).append(value)

    def buffered(self) -> set[int]:
        """The values that live in buffers: results of operators that take ``out=``, unless they leave the program."""
        made = {step.outs[0] for step in self.plan.steps if step.op.into and len(step.outs) == 1}
        return {value for value in made if self.root[value] == value} - self.leaving

    def assign(self) -> None:
        """A buffer for every value that is to have one."""
        for i, step in enumerate(self.plan.steps):
            self.place(i, {out: self.types[out].nbytes for out in self.wanted(step)}, self.free)

    def wanted(self, step: Step) -> list[int]:
        """The results of a step that are to live in buffers."""
        return [out for out in step.outs if out in self.own]

    def place(self, i: int, made: Mapping[int, int], free: FreeBuffers) -> None:
        """Give results of step ``i`` buffers of so many bytes, and take back those of what nobody reads after it."""
        dead, buffer_of = self.dying.get(i, ()), self.plan.buffer_of
        over = self._written_over(self.plan.steps[i], dead)
        free.give(buffer_of[value] for value in over)
        for out, nbytes in made.items():
            buffer_of[out] = free.take(nbytes)
        free.give(buffer_of[value] for value in dead if value not in over)

    def _written_over(self, step: Step, dead: Iterable[int]) -> list[int]:
        """Those of the operands that a step reads last whose memory it may write its result over.

        Only an elementwise operator, and only element upon element of the same size: with any other overlap numpy
        copies first, and may then compute in another order than it did in eager mode, or is wrong (casts).
        """
        if not self.may_write_over(step.op):
            return []
        fitting = [value for value in dead if value in step.ins and _fits_over(self.types[value], step.types[0])]
        return [old for old in fitting if not any(self.root[v] == old and v != old for v in step.ins)]

    def may_write_over(self, op: Op) -> bool:
        """Whether an operator's result may lie where an operand lay: it reads no element behind writing it."""
        return op.family == "elementwise"


def _fits_over(old: TensorType, new: TensorType) -> bool:
    """Whether elements of a new tensor lie where those of an old one do."""
    return old.shape == new.shape and old.dtype.itemsize == new.dtype.itemsize


class Lifetime(NamedTuple):
    """The first and the last step at which a value's memory is its own, and how many bytes of it."""

    first: int
    last: int
    nbytes: int


def lifetimes(plan: Plan) -> dict[int, Lifetime]:
    """For each value that a step makes: from that step to the last that looks at it, also through a view.

    What leaves the program lives until one step after the last.
    """
    root, types = memory_roots(plan), plan.types
    made = {out: i for i, step in enumerate(plan.steps) for out in step.outs if root[out] == out}
    last = made | {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
    last |= {root[value]: len(plan.steps) for value in plan.leaving}
    return {value: Lifetime(first, last[value], types[value].nbytes) for value, first in made.items()}


def arrays_of(buffers: Sequence[int], slots: Sequence[tuple[int, TensorType]]) -> list[np.ndarray]:
    """Fresh memory, as an array for each slot; two that are one buffer share it.

    >>> from minigraph.core.types import TensorType, float32
    >>> [array.shape for array in arrays_of([8], [(0, TensorType((2,), float32))])]
    [(2,)]
    """
    blocks = [np.empty(nbytes, np.uint8) for nbytes in buffers]
    return [blocks[k][: type.nbytes].view(type.dtype.numpy).reshape(type.shape) for k, type in slots]


def own(result: Any) -> np.ndarray:
    """What a kernel returned as an array that the caller may write to: views of repeated elements are copied."""
    return np.asarray(result) if result.flags.writeable else np.array(result)
