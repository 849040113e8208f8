"""How values lie in memory: which views are the same arrays at every call, and which kernels need not ask.

A program's buffers stay where they are, so a view of one is made once, together with its memory. And who knows that an
operand lies in C order, and shares memory with no other, may call numpy or BLAS itself instead of a forward that looks
at its operands first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.run.memory import memory_roots
from minigraph.run.steps import Plan, Step

Kernel = Callable[..., Any]


class Layouts:
    """Arrays that lie as the values of a plan will lie, with nothing in them.

    ``still`` are the results of steps that are the same arrays at every call: views of buffers and of constants.
    ``outer`` are the inputs and Parameters that kernels take to be in C order.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.root = plan, memory_roots(plan)
        self.still: set[int] = set()
        self.outer: set[int] = set()
        self._leaving = {self.root[value] for value in (*plan.outs, *plan.stored.values())}
        self._foreign = {source.value for source in plan.sources}
        self._constants = {source.value for source in plan.sources if source.role == "const"}
        self._still = self._constants | plan.buffer_of.keys() - plan.inner
        self._ordered = {out for step in plan.steps if step.op.into and not step.op.view for out in step.outs}
        self._types = {source.value: source.type for source in plan.sources}
        self._arrays = {source.value: source.payload for source in plan.sources if source.role == "const"}
        self._kernels = {step.outs: self._seen(step) for step in plan.steps}

    def kernel_of(self, step: Step) -> Kernel | None:
        """What does the same as the step's forward, without a question, ``out`` last where it takes one."""
        return self._kernels[step.outs]

    def _seen(self, step: Step) -> Kernel | None:
        """The kernel of a step, whose results are known from now on."""
        self._types.update(zip(step.outs, step.types, strict=True))
        if step.op.view and len(step.ins) == 1 and not step.op.effects:
            self._look(step)
        return self._kernel(step) if step.op.kernel is not None else None

    def _look(self, step: Step) -> None:
        """Note how a view lies, if it is one."""
        operand = self._like(step.ins[0])
        if operand is None:
            return
        found = step.op.forward(operand, **step.attrs)
        results = found if isinstance(found, tuple) else (found,)
        if all(np.may_share_memory(result, operand) for result in results):
            self._arrays.update(zip(step.outs, results, strict=True))
            if step.ins[0] in self._still:
                self._still |= {*step.outs}
                self.still |= {*step.outs}

    def _kernel(self, step: Step) -> Kernel | None:
        assert step.op.kernel is not None
        operands = [self._like(value) for value in step.ins]
        roots = {self.root[value] for value in step.ins} & self._foreign
        if any(operand is None for operand in operands) or len(roots) > 1:  # two of the caller's may be one
            return None
        kernel: Kernel | None = step.op.kernel(*operands, **step.attrs)
        if kernel is not None and not step.op.view:
            self.outer |= roots - self._constants
        return kernel

    def _like(self, value: int) -> np.ndarray | None:
        """An array that lies as a value will, ``None`` where nobody knows."""
        if value not in self._arrays and self._is_in_order(value):
            type = self._types[value]
            self._arrays[value] = np.empty(type.shape, type.dtype.numpy)
        return self._arrays.get(value)

    def _is_in_order(self, value: int) -> bool:
        """Whether a value that is no view lies in C order, or an input may be brought to it unseen."""
        return value in self._ordered or (value in self._foreign and value not in self._leaving)
