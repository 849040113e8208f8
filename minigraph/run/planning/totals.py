"""Sums of arrays that are zero nearly everywhere, added up in one place.

The gradient of ``x[key]`` is zeros with a part filled in, and a tensor that is read in many pieces gets as many of
them, each as large as itself. A sum of them is made here by adding each part to the first array, to the same bits:
such an array holds no -0, which is the one number that adding 0 changes. A part that meets no earlier one is put there
instead, and where such parts cover everything, there need be no zeros to begin with.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

import numpy as np

from minigraph.eager import bare_ufunc
from minigraph.ground.adding import Box, are_apart
from minigraph.op import Op
from minigraph.run.steps import Step
from minigraph.types import TensorType


def with_totals(steps: Sequence[Step], leaving: Collection[int]) -> list[Step]:
    """The steps, additions of parts done in place, as soon as there is something to add.

    ``leaving`` are values that somebody else is given.
    """
    parts = {step.outs[0]: step for step in steps if step.op.adds is not None and len(step.ins) == 1}
    if not parts:
        return list(steps)
    places: list[list[Step]] = [[step] for step in steps]
    made = {step.outs[0]: i for i, step in enumerate(steps) if step.outs}
    totals = {value: _Total(step) for value, step in parts.items()}  # by value, what may be added to
    uses = Counter(value for step in steps for value in step.ins) + Counter(leaving)
    for i, step in enumerate(steps):
        pair = _total_and_part(step, totals, parts)
        if pair is None or uses[pair[0]] > 1 or uses[pair[1]] > 1:
            continue
        total, part = totals.pop(pair[0]), parts.pop(pair[1])
        places[made[part.outs[0]]].remove(part)
        places[i].remove(step)
        at = made[step.outs[0]] = max(made[pair[0]], made[part.outs[0]])
        node = f"{part.node} {step.node}"
        adding = step._replace(op=total.joined(part), ins=(pair[0], *part.ins), attrs=part.attrs, node=node)
        places[at].append(adding)
        totals[step.outs[0]] = total
        parts.pop(pair[0], None)
    begun = {total.first.outs: total.begun() for total in totals.values()}
    return [begun.get(step.outs, step) for place in places for step in place]


def is_in_place(step: Step) -> bool:
    """Whether a step changes its first operand, which then is its result."""
    return step.op.role == "in place"


class _Total:
    """What is known of a sum of parts: the first of them, and where those are that meet no earlier one."""

    def __init__(self, first: Step) -> None:
        self.first, self.parts, self.apart = first, [_box_of(first)], [_box_of(first)]

    def joined(self, part: Step) -> Op:
        """The operator that joins another part to the sum."""
        box = _box_of(part)
        meets = not all(are_apart(box, other) for other in self.parts)
        self.parts.append(box)
        if not meets:
            self.apart.append(box)
        return _adding(part.op) if meets else _putting(part.op)

    def begun(self) -> Step:
        """The first step of the sum, which need not fill in zeros where every place gets something else."""
        filled = sum(math.prod(map(len, box)) for box in self.apart)
        if filled < self.first.types[0].size:
            return self.first
        return self.first._replace(op=_beginning(self.first.op, self.first.types[0]))


def _box_of(part: Step) -> Box:
    assert part.op.adds is not None
    return part.op.adds.box(**part.attrs)


def _total_and_part(step: Step, totals: Collection[int], parts: Collection[int]) -> tuple[int, ...] | None:
    """The operands of an addition, what may be added to first; ``None`` where that cannot be."""
    pairs = (step.ins, step.ins[::-1]) if bare_ufunc(step.op) is np.add else ()
    return next((pair for pair in pairs if pair[0] in totals and pair[1] in parts and pair[0] != pair[1]), None)


@cache
def _adding(op: Op) -> Op:
    """The operator that adds what ``op`` would fill in to its first operand, and has its memory as result."""
    assert op.adds is not None
    return _in_place(op, op.adds.add, "Added in place.")


@cache
def _putting(op: Op) -> Op:
    """The same where nothing was added before."""
    assert op.adds is not None
    return _in_place(op, op.adds.put, "Put in its place.")


def _in_place(op: Op, forward: Callable[..., Any], how: str) -> Op:
    return Op(op.name, forward, lambda total, *_: total, view=True, role="in place", doc=f"{op.doc} {how}")


@cache
def _beginning(op: Op, type: TensorType) -> Op:
    """The operator that puts what ``op`` would fill in into memory that holds nothing yet."""
    assert op.adds is not None
    put = op.adds.put

    def forward(x: np.ndarray, *, out: np.ndarray | None = None, **attrs: Any) -> Any:
        return put(np.empty(type.shape, type.dtype.numpy) if out is None else out, x, **attrs)

    return Op(op.name, forward, lambda *_, **attrs: type, into=True, doc=f"{op.doc} Other places hold anything.")
