"""What several steps would compute first of the same operands, computed once."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Any

from minigraph.accel.common import Common
from minigraph.accel.kernels.table import COMMON
from minigraph.core.op import Op
from minigraph.execute.steps import Step, ops_of

Key = tuple[Any, ...]


def with_common(steps: Sequence[Step], fresh: itertools.count[int]) -> list[Step]:
    """The steps, those that begin alike on the same operands behind one that does what they have in common."""
    groups: dict[Key, list[int]] = defaultdict(list)
    for i, step in enumerate(steps) if not COMMON.keys().isdisjoint(ops_of(steps)) else ():
        if step.op in COMMON:
            groups[_key(step, COMMON[step.op])].append(i)
    if not groups:
        return list(steps)
    found: list[list[Step]] = [[step] for step in steps]
    for members in groups.values():
        if len(members) > 1:
            making = _making(steps[members[0]], next(fresh))
            for i in members:
                found[i] = [steps[i]._replace(op=_resting(steps[i].op), ins=(*making.outs, *steps[i].ins))]
            found[members[0]].insert(0, making)
    return [step for place in found for step in place]


def _key(step: Step, common: Common) -> Key:
    """Equal for steps that have something in common."""
    return common.make, *(step.ins[i] for i in common.of), *(step.attrs[name] for name in common.attrs)


def _making(step: Step, out: int) -> Step:
    """The step that does the first part of another; what it makes nobody but the others looks into."""
    common = COMMON[step.op]
    op = Op(f"{step.op}_common", common.make, step.op.infer, doc="What several steps begin with.")
    ins, attrs = tuple(step.ins[i] for i in common.of), {name: step.attrs[name] for name in common.attrs}
    return step._replace(op=op, ins=ins, attrs=attrs, outs=(out,), types=step.types[:1])


@cache
def _resting(op: Op) -> Op:
    """The operator that takes what was made before as its first operand."""
    return Op(op.name, COMMON[op].rest, op.infer, into=op.into, doc=f"The rest of {op}.")
