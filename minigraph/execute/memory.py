"""Buffer assignment: intermediate values get buffers, and a buffer is reused after its value's last use.

The problem is register allocation for straight-line code, with buffers of different sizes as registers and without
spilling. The method is linear scan (Poletto and Sarkar, *Linear Scan Register Allocation*, TOPLAS 1999): the steps
are visited in order; a value is live from the step that defines it to its last use; a definition takes a free buffer
by best fit (at most four times its size), a last use frees one.

Invariants: values with overlapping live ranges never share a buffer. A use of a view is a use of its root, the value
whose memory it shares. A result is written in place on an operand only at the operand's last use, element upon
element. Outputs and new values of Parameters get no buffer, because their memory becomes the caller's; nor do
results of operators that cannot write into a given array.

Not handled: buffers are not split or packed into one arena, steps keep their order, the total size is not minimal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.plan import Plan, Step


def assign_buffers(plan: Plan) -> None:
    """Assign buffers to the intermediate values whose operators take ``out=``."""
    BufferAssignment(plan, plan.types, memory_roots(plan)).assign()


def memory_roots(plan: Plan) -> dict[int, int]:
    """Value -> its root, the value whose memory it may share: views share the memory of their operand."""
    root = {source.value: source.value for source in plan.sources}
    for step in plan.steps:
        for out in step.outs:
            root[out] = root[step.ins[0]] if step.op.view and step.ins else out
    return root


class FreeList:
    """The free list: unused buffers by size; ``sizes`` lists the sizes of all buffers in bytes."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes, self.by_size = sizes, dict[int, list[int]]()

    def free(self, buffers: Iterable[int]) -> None:
        """Free buffers, whose values are dead."""
        for buffer in buffers:
            self.by_size.setdefault(self.sizes[buffer], []).append(buffer)

    def take(self, nbytes: int) -> int:
        """Best fit: the smallest free buffer that is large enough and at most four times as large, or a new one."""
        size = nbytes if nbytes in self.by_size else min(self._sizes_for(nbytes), default=None)
        if size is None:
            return self.allocate(nbytes)
        buffers = self.by_size[size]
        if len(buffers) == 1:
            del self.by_size[size]  # sizes without buffers are removed, to keep the search short
        return buffers.pop()

    def _sizes_for(self, nbytes: int) -> list[int]:
        return [size for size in self.by_size if nbytes <= size <= 4 * nbytes]

    def allocate(self, nbytes: int) -> int:
        """Allocate a new buffer."""
        self.sizes.append(nbytes)
        return len(self.sizes) - 1


class BufferAssignment:
    """The state of one buffer assignment: the values that get buffers, their last uses, and the free list."""

    def __init__(self, plan: Plan, types: Mapping[int, TensorType], root: Mapping[int, int]) -> None:
        self.plan, self.types, self.root, self.free = plan, types, root, FreeList(plan.buffers)
        self.live_out = {root[value] for value in plan.live_out}
        self.buffered = self.values_with_buffers()
        defined = {out: i for i, step in enumerate(plan.steps) for out in step.outs}
        self.last_use = defined | {root[value]: i for i, step in enumerate(plan.steps) for value in step.ins}
        self.dying_at: dict[int, list[int]] = {}
        for value, i in self.last_use.items():
            if value in self.buffered:
                self.dying_at.setdefault(i, []).append(value)

    def values_with_buffers(self) -> set[int]:
        """The values that get buffers: results of operators that take ``out=``, unless they leave the program."""
        results = {step.outs[0] for step in self.plan.steps if step.op.into and len(step.outs) == 1}
        return {value for value in results if self.root[value] == value} - self.live_out

    def assign(self) -> None:
        """Visit the steps in order and assign buffers to their results."""
        for i, step in enumerate(self.plan.steps):
            self.assign_results(i, {out: self.types[out].nbytes for out in self.results_with_buffers(step)}, self.free)

    def results_with_buffers(self, step: Step) -> list[int]:
        """The results of a step that get buffers."""
        return [out for out in step.outs if out in self.buffered]

    def assign_results(self, i: int, sizes: Mapping[int, int], free: FreeList) -> None:
        """Take buffers of ``sizes`` for the results of step ``i``, and free those of values that die there."""
        dead, buffer_of = self.dying_at.get(i, ()), self.plan.buffer_of
        overwritten = self._overwritten_operands(self.plan.steps[i], dead) if dead else []
        free.free(buffer_of[value] for value in overwritten)
        for out, nbytes in sizes.items():
            buffer_of[out] = free.take(nbytes)
        free.free(buffer_of[value] for value in dead if value not in overwritten)

    def _overwritten_operands(self, step: Step, dead: Iterable[int]) -> list[int]:
        """The operands that die at a step and in whose memory its result may be written.

        Only for elementwise operators, and only element upon element of the same size: for any other overlap numpy
        copies first, and may then compute in another order than in eager mode, or wrongly (casts).
        """
        if not self.may_write_in_place(step.op):
            return []
        fitting = [value for value in dead if value in step.ins and _has_same_layout(self.types[value], step.types[0])]
        return [old for old in fitting if not any(self.root[v] == old and v != old for v in step.ins)]

    def may_write_in_place(self, op: Op) -> bool:
        """Whether an operator may write in place on an operand: it never reads an element after writing it."""
        return op.family == "elementwise"


def _has_same_layout(old: TensorType, new: TensorType) -> bool:
    """Whether the elements of two tensors are at the same addresses in one buffer."""
    return old.shape == new.shape and old.dtype.itemsize == new.dtype.itemsize


def arrays_of(buffers: Sequence[int], slots: Sequence[tuple[int, TensorType]]) -> list[np.ndarray]:
    """New memory: an array for each slot; slots of the same buffer share memory.

    >>> from minigraph.core.types import TensorType, float32
    >>> [array.shape for array in arrays_of([8], [(0, TensorType((2,), float32))])]
    [(2,)]
    """
    blocks = [np.empty(nbytes, np.uint8) for nbytes in buffers]
    return [blocks[k][: type.nbytes].view(type.dtype.numpy).reshape(type.shape) for k, type in slots]


def as_writeable(result: np.ndarray) -> np.ndarray:
    """The result of a kernel as a writeable array: read-only views, which repeat elements, are copied."""
    return np.asarray(result) if result.flags.writeable else np.array(result)
