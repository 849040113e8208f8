"""Sums of arrays that are zero nearly everywhere, added up in one place.

The gradient of ``x[key]`` is zeros with a part filled in, and a tensor that is read in many pieces gets as many of
them, each as large as itself. A sum of them is made here by adding each part to the first array, to the same bits:
such an array holds no -0, which is the one number that adding 0 changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache

import numpy as np

from minigraph.eager import bare_ufunc
from minigraph.op import Op
from minigraph.run.steps import Step


def with_totals(steps: Sequence[Step], leaving: Collection[int]) -> list[Step]:
    """The steps, additions of parts done in place, as soon as there is something to add.

    ``leaving`` are values that somebody else is given.
    """
    parts = {step.outs[0]: step for step in steps if step.op.adds is not None and len(step.ins) == 1}
    if not parts:
        return list(steps)
    places: list[list[Step]] = [[step] for step in steps]
    made = {step.outs[0]: i for i, step in enumerate(steps) if step.outs}
    totals = set(parts)  # values that may be added to
    uses = Counter(value for step in steps for value in step.ins) + Counter(leaving)
    for i, step in enumerate(steps):
        pair = _total_and_part(step, totals, parts)
        if pair is None or uses[pair[0]] > 1 or uses[pair[1]] > 1:
            continue
        total, part = pair[0], parts.pop(pair[1])
        places[made[part.outs[0]]].remove(part)
        places[i].remove(step)
        at = made[step.outs[0]] = max(made[total], made[part.outs[0]])
        node = f"{part.node} {step.node}"
        adding = step._replace(op=_adding(part.op), ins=(total, *part.ins), attrs=part.attrs, node=node)
        places[at].append(adding)
        totals.add(step.outs[0])
        parts.pop(total, None)
    return [step for place in places for step in place]


def _total_and_part(step: Step, totals: Collection[int], parts: Collection[int]) -> tuple[int, ...] | None:
    """The operands of an addition, what may be added to first; ``None`` where that cannot be."""
    pairs = (step.ins, step.ins[::-1]) if bare_ufunc(step.op) is np.add else ()
    return next((pair for pair in pairs if pair[0] in totals and pair[1] in parts and pair[0] != pair[1]), None)


@cache
def _adding(op: Op) -> Op:
    """The operator that adds what ``op`` would fill in to its first operand, and has its memory as result."""
    assert op.adds is not None
    return Op(op.name, op.adds, lambda total, *_: total, view=True, doc=f"{op.doc} Added in place.")
