"""How values lie in memory: which views are the same arrays at every call, and which kernels need not ask.

A program's buffers stay where they are, so a view of one is made once, together with its memory. And who knows that an
operand lies in C order, and shares memory with no other, may call numpy or BLAS itself instead of a forward that looks
at its operands first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from minigraph.accel.kernels.table import KERNELS
from minigraph.accel.schedule.tiled_memory import memory_roots
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.accel.schedule.totals import is_in_place
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step

Kernel = Callable[..., Any]


class Likes:
    """Arrays that lie as the values of a plan will lie, with nothing in them.

    Inputs and Parameters count as being in C order: a program that depends on it brings them to it.
    """

    def __init__(self, plan: TiledPlan, types: Mapping[int, TensorType]) -> None:
        self._types = types
        self._arrays = {source.value: source.payload for source in plan.sources if source.role == "const"}
        root = memory_roots(plan)
        leaving = {root[value] for value in plan.leaving}
        self._ordered, self._places = {source.value for source in plan.sources} - leaving, plan.places
        self._views: set[tuple[int, ...]] = set()

    def __getitem__(self, value: int) -> np.ndarray | None:
        """An array that lies as a value will; ``None`` where nobody knows."""
        if value not in self._arrays and value in self._ordered:
            type = self._types[value]
            self._arrays[value] = np.empty(type.shape, type.dtype.numpy)
        return self._arrays.get(value)

    def is_view(self, step: Step) -> bool:
        """Whether a step surely only looks at its one operand's memory."""
        return step.outs in self._views

    def seen(self, step: Step) -> Step:
        """The step, whose results are known from now on; one that may be a view but copies, as what copies."""
        if step.op.view:
            step = self._seen_view(step)
        if step.op.into and not step.op.view:
            self._ordered.update(step.outs)
        for out in step.outs if self._places else ():
            if self._places.get(out) in self._arrays:
                self._arrays[out] = self._arrays[self._places[out]]
        return step

    def _seen_view(self, step: Step) -> Step:
        """The same for a step whose result is, or may be, its first operand's memory."""
        if len(step.ins) == 1 and not step.op.effects:
            step = self._looked(step)
        if is_in_place(step) and (total := self[step.ins[0]]) is not None:
            self._arrays[step.outs[0]] = total
        return step

    def _looked(self, step: Step) -> Step:
        operand = self[step.ins[0]]
        if operand is None:
            return step
        found = step.op.forward(operand, **step.attrs)
        results = found if isinstance(found, tuple) else (found,)
        if not all(np.may_share_memory(result, operand) for result in results):
            return step._replace(op=_copying(step.op)) if step.op.into else step
        self._arrays.update(zip(step.outs, results, strict=True))
        self._views.add(step.outs)
        return step


@cache
def _copying(op: Op) -> Op:
    """The operator as one that makes memory of its own."""
    return replace(op, view=False)


def note_layouts(plan: TiledPlan, likes: Likes, root: Mapping[int, int]) -> None:
    """Note what a plan with buffers may take for granted: ``still``, ``kernels`` and ``outer``.

    ``root`` says whose memory each value looks at (``memory_roots``).
    """
    constants = {source.value for source in plan.sources if source.role == "const"}
    foreign = {source.value for source in plan.sources}
    fixed, placed = constants | plan.buffer_of.keys() - plan.inner, bool(plan.places)
    for step in plan.steps:
        if step.op.view and likes.is_view(step) and step.ins[0] in fixed:
            fixed.update(step.outs)
            plan.still.update(step.outs)
        elif (is_in_place(step) and step.ins[0] in fixed) or (placed and _place_of(step, plan) in fixed):
            fixed.update(step.outs)
        if step.op in KERNELS:
            roots = {root[value] for value in step.ins} & foreign
            kernel = _kernel(step, likes) if len(roots) <= 1 else None  # two of the caller's may be one
            if kernel is not None:
                plan.kernels[step.outs] = kernel
                plan.outer |= set() if step.op.view else roots - constants


def _place_of(step: Step, plan: TiledPlan) -> int | None:
    """The view that a step's result is written into."""
    return plan.places.get(step.outs[0]) if step.outs else None


def _kernel(step: Step, likes: Likes) -> Kernel | None:
    """What does the same as the step's forward, without a question."""
    operands, outs = [likes[value] for value in step.ins], [likes[value] for value in step.outs]
    gaps = any(out is not None and not out.flags.c_contiguous for out in outs)
    return None if gaps or any(operand is None for operand in operands) else KERNELS[step.op](*operands, **step.attrs)
