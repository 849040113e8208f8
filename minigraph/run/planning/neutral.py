"""Products with one, which are their other operand.

Gradients of sums begin with ones, and what is multiplied with them is copied element by element. A graph cannot do
without the copy, because it lies in C order whatever the operand does, and a matrix product may round by that; a
program knows how its values lie, and brings what it is given to C order.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from minigraph.run.planning.memory import memory_roots
from minigraph.run.steps import Plan, Step


def without_ones(plan: Plan) -> None:
    """Let steps read the operand instead of its product with one, where nobody else is given the product.

    A product with 1 needs no rounding and keeps the sign, also of zero and infinity; complex ones mix the parts.
    """
    ones = {s.value for s in plan.sources if s.role == "const" and s.type.dtype.kind != "c" and _is_one(s.payload)}
    if not ones:
        return
    root = memory_roots(plan)
    kept = {root[value] for value in plan.leaving}
    foreign = {source.value for source in plan.sources if source.role != "const"} - kept
    ordered = foreign | {out for step in plan.steps if step.op.into and not step.op.view for out in step.outs}
    types = {source.value: source.type for source in plan.sources}
    types |= {out: type for step in plan.steps for out, type in zip(step.outs, step.types, strict=True)}
    same, steps = dict[int, int](), list[Step]()
    for step in plan.steps:
        if not same.keys().isdisjoint(step.ins):
            step = step._replace(ins=tuple([same.get(value, value) for value in step.ins]))
        if step.op.view and len(step.ins) == 1 and step.ins[0] in ones:
            ones |= {*step.outs}
        factor = _factor(step, ones)
        if factor in ordered and step.outs[0] not in kept and types[factor] == step.types[0]:
            same[step.outs[0]] = factor
            plan.outer |= {factor} & foreign
        else:
            steps.append(step)
    plan.steps = steps


def _is_one(array: np.ndarray) -> bool:
    """Whether every element is 1; of repeated ones, one is looked at."""
    some = array[tuple(slice(0, 1) if by == 0 else slice(None) for by in array.strides)]
    return bool(some.size and some.flat[0] == 1 and (some == 1).all())


def _factor(step: Step, ones: Collection[int]) -> int:
    """What a step multiplies with one; -1 for other steps."""
    if step.op.ufunc is not np.multiply:
        return -1
    first, second = step.ins
    return second if first in ones else first if second in ones else -1
