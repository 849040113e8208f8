"""Layout propagation: which views are constant over all calls, and which steps can use kernels without checks.

Problem: a forward checks at every call whether operands are contiguous or share memory, and views are created anew at
every call. Method: a forward data-flow analysis over the steps (abstract interpretation). The abstract value
of a value is a prototype: an uninitialised array with its shape, dtype and strides. Views are applied to prototypes;
results of other steps are known to be in C order where their operator writes into ``out=``.

Invariants: buffers never move, so a view of one is created once, with the memory; so is a view of a constant. Inputs
and Parameters are assumed to be in C order and listed in ``contiguous_inputs``; the program copies those that are not.
A kernel is specialised only if at most one of its operands aliases an input or Parameter, because the caller may pass
one array twice. Where a layout is unknown, the forward is called. Not handled: views of several operands or with
effects, and layouts chosen for the sake of a reader (the pass ``chwn`` does that).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from minigraph.accel.kernels.table import KERNELS
from minigraph.accel.schedule.scatter_add import is_in_place
from minigraph.accel.schedule.tiled_memory import memory_roots
from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.core.aliases import Function
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.plan import Step

Kernel = Function


class KnownLayouts:
    """Prototypes of the values of a plan: uninitialised arrays in their layout."""

    def __init__(self, plan: TiledPlan, types: Mapping[int, TensorType]) -> None:
        self._types = types
        self._prototypes = {source.value: source.payload for source in plan.sources if source.role == "const"}
        root = memory_roots(plan)
        live_out = {root[value] for value in plan.live_out}
        self._c_order, self._preallocated = {source.value for source in plan.sources} - live_out, plan.preallocated
        self._views: set[tuple[int, ...]] = set()

    def __getitem__(self, value: int) -> np.ndarray | None:
        """The prototype of a value; ``None`` where its layout is unknown."""
        if value not in self._prototypes and value in self._c_order:
            type = self._types[value]
            self._prototypes[value] = np.empty(type.shape, type.dtype.numpy)
        return self._prototypes.get(value)

    def is_view(self, step: Step) -> bool:
        """Whether a step always returns a view of its one operand."""
        return step.outs in self._views

    def propagate(self, step: Step) -> Step:
        """Derive the layouts of a step's results; returns the step, marked as a copy if it copies."""
        if step.op.view:
            step = self._propagate_view(step)
        if step.op.into and not step.op.view:
            self._c_order.update(step.outs)
        for out in step.outs if self._preallocated else ():
            if self._preallocated.get(out) in self._prototypes:
                self._prototypes[out] = self._prototypes[self._preallocated[out]]
        return step

    def _propagate_view(self, step: Step) -> Step:
        """The same for a step whose result is, or may be, a view of its first operand."""
        if len(step.ins) == 1 and not step.op.effects:
            step = self._apply_view(step)
        if is_in_place(step) and (total := self[step.ins[0]]) is not None:
            self._prototypes[step.outs[0]] = total
        return step

    def _apply_view(self, step: Step) -> Step:
        operand = self[step.ins[0]]
        if operand is None:
            return step
        result = step.op.forward(operand, **step.attrs)
        results = result if isinstance(result, tuple) else (result,)
        if not all(np.may_share_memory(result, operand) for result in results):
            return step._replace(op=_as_copy(step.op)) if step.op.into else step
        self._prototypes.update(zip(step.outs, results, strict=True))
        self._views.add(step.outs)
        return step


@lru_cache(maxsize=1024)
def _as_copy(op: Op) -> Op:
    """The operator as one that allocates its result."""
    return replace(op, view=False)


def note_layouts(plan: TiledPlan, layouts: KnownLayouts, root: Mapping[int, int]) -> None:
    """Fill in a plan with buffers: ``constant_views``, ``kernels`` and ``contiguous_inputs``.

    ``root`` says whose memory each value aliases (``memory_roots``).
    """
    constants = {source.value for source in plan.sources if source.role == "const"}
    external = {source.value for source in plan.sources}
    fixed, has_preallocated = constants | plan.buffer_of.keys() - plan.tile_values, bool(plan.preallocated)
    for step in plan.steps:
        if step.op.view and layouts.is_view(step) and step.ins[0] in fixed:
            fixed.update(step.outs)
            plan.constant_views.update(step.outs)
        elif (is_in_place(step) and step.ins[0] in fixed) or (has_preallocated and _target_view(step, plan) in fixed):
            fixed.update(step.outs)
        if step.op in KERNELS:
            roots = {root[value] for value in step.ins} & external
            kernel = _kernel(step, layouts) if len(roots) <= 1 else None  # two inputs may be the same array
            if kernel is not None:
                plan.kernels[step.outs] = kernel
                plan.contiguous_inputs |= set() if step.op.view else roots - constants


def _target_view(step: Step, plan: TiledPlan) -> int | None:
    """The view that a step's result is written into."""
    return plan.preallocated.get(step.outs[0]) if step.outs else None


def _kernel(step: Step, layouts: KnownLayouts) -> Kernel | None:
    """A kernel equivalent to the step's forward, without checks."""
    operands, outs = [layouts[value] for value in step.ins], [layouts[value] for value in step.outs]
    padded = any(out is not None and not out.flags.c_contiguous for out in outs)
    return None if padded or any(x is None for x in operands) else KERNELS[step.op](*operands, **step.attrs)
