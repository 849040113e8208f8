"""Elementwise steps over large tensors beside each other, so that they are computed a piece at a time.

A graph's order says nothing about what belongs together: what an optimizer makes of its state may stand at the top,
though nobody wants it before a gradient has come, and what it makes of that at the end. Steps that wait for nothing
sink to who reads them, and steps that have all they need rise to who made it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from minigraph.accel.schedule.tiled_plan import TiledPlan
from minigraph.core.machine import MIN_TILED_BYTES
from minigraph.execute.steps import Step


def gathered(plan: TiledPlan) -> list[Step]:
    """The steps of a plan in an order in which large elementwise ones stand beside each other."""
    if sum(map(_is_large, plan.steps)) < 2:
        return plan.steps
    return _risen(_sunk(plan.steps, {source.value for source in plan.sources}), {*plan.leaving})


def _sunk(steps: Sequence[Step], late: set[int]) -> list[Step]:
    """The steps, those that read nothing but ``late`` values in front of the one that reads them.

    Such values live anyway, and what is made of them lives shorter.
    """
    readers = _readers(steps)
    order: list[tuple[int, ...]] = [(i, 1) for i in range(len(steps))]
    sinking = []
    for i, step in enumerate(steps):
        alone = step.outs and len(readers[step.outs[0]]) == 1
        if alone and late.issuperset(step.ins) and _go_together(step, steps[readers[step.outs[0]][0]]):
            late.add(step.outs[0])
            sinking.append(i)
    for i in reversed(sinking):
        order[i] = (order[readers[steps[i].outs[0]][0]][0], 0, i)
    return [steps[i] for i in sorted(range(len(steps)), key=order.__getitem__)]


def _risen(steps: Sequence[Step], leaving: Collection[int]) -> list[Step]:
    """The steps, those behind the one that makes their last operand of which that, or the caller, loses nothing."""
    readers, made = _readers(steps), dict[int, int]()
    order: list[tuple[int, ...]] = [(i,) for i in range(len(steps))]
    for i, step in enumerate(steps):
        last = max((made[value] for value in step.ins if value in made), default=i, key=order.__getitem__)
        together = last < i and _go_together(step, steps[last])
        if together and (step.outs[0] in leaving or readers[steps[last].outs[0]] == [i]):
            order[i] = (*order[last], i)
        made.update(dict.fromkeys(step.outs, i))
    return [steps[i] for i in sorted(range(len(steps)), key=order.__getitem__)]


def _readers(steps: Sequence[Step]) -> defaultdict[int, list[int]]:
    """By value, the places of the steps that read it."""
    found = defaultdict[int, list[int]](list)
    for i, step in enumerate(steps):
        for value in {*step.ins}:
            found[value].append(i)
    return found


def _go_together(step: Step, other: Step) -> bool:
    return _is_large(step) and _is_large(other) and step.types[0].shape == other.types[0].shape


def _is_large(step: Step) -> bool:
    """Whether a step computes a large tensor element by element."""
    alone = step.op.family == "elementwise" and not step.op.effects and len(step.outs) == 1
    return alone and step.types[0].nbytes >= MIN_TILED_BYTES
