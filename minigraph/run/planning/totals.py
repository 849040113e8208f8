"""Sums of arrays that are zero nearly everywhere, added up in one place.

The gradient of ``x[key]`` is zeros with a part filled in, and a tensor that is read in many pieces gets as many of
them, each as large as itself. A sum of them is made here in one array, its total, to which each part is added, to the
same bits: zeros with a part added hold no -0, which is the one number that adding 0 changes. A part that meets no
earlier one is put there instead, and where such parts cover everything, there need be no zeros to begin with.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

import numpy as np

from minigraph.ground.adding import Box, are_apart
from minigraph.op import Op
from minigraph.run.planning.memories import memory, zeros
from minigraph.run.steps import Step, ops_of
from minigraph.types import TensorType


def with_totals(steps: Sequence[Step], leaving: Collection[int], fresh: itertools.count[int]) -> list[Step]:
    """The steps, additions of parts done in place, as soon as there is something to add.

    ``leaving`` are values that somebody else is given; ``fresh`` has numbers for new ones.
    """
    if not any(op.adds for op in ops_of(steps)):
        return list(steps)
    return _Totals(steps, leaving, fresh).steps()


def is_in_place(step: Step) -> bool:
    """Whether a step changes its first operand, which then is its result."""
    return step.op.role == "in place"


class _Totals:
    """Sums of parts, while they are found; a part that several sums have is filled in by each."""

    def __init__(self, steps: Sequence[Step], leaving: Collection[int], fresh: itertools.count[int]) -> None:
        self._fresh = fresh
        self._places: list[list[Step]] = [[step] for step in steps]
        self._made = {step.outs[0]: i for i, step in enumerate(steps) if step.outs}
        self._parts = {step.outs[0]: step for step in steps if _is_part(step)}
        self._uses = Counter(value for step in steps for value in step.ins) + Counter(leaving)
        self._totals = dict[int, _Total]()  # by sum, what may be added to
        self._begun = dict[int, _Total]()  # by the value that stands for their memory
        for i, step in enumerate(steps):
            pair = self._total_and_part(step)
            if pair is not None:
                self._join(i, step, *pair)

    def steps(self) -> list[Step]:
        """The steps with sums of parts."""
        return [
            new
            for place in self._places
            for step in place
            for new in (self._begun[step.outs[0]].memory() if step.op is _BEGIN else (step,))
        ]

    def _total_and_part(self, step: Step) -> tuple[int, int] | None:
        """The operands of an addition, what may be added to first; ``None`` where that cannot be."""
        if step.op.ufunc is not np.add or step.ins[0] == step.ins[1]:
            return None
        pairs = ((step.ins[0], step.ins[1]), (step.ins[1], step.ins[0]))
        return next((pair for pair in pairs if self._may_be_total(pair[0]) and pair[1] in self._parts), None)

    def _may_be_total(self, value: int) -> bool:
        return value in self._parts or (value in self._totals and self._uses[value] == 1)

    def _join(self, i: int, step: Step, value: int, added: int) -> None:
        """Let an addition be one of a part in place."""
        part, total = self._parts[added], self._totals.pop(value, None) or self._begin(value)
        at = self._made[step.outs[0]] = max(self._made[total.last], self._made[added])
        self._places[i].remove(step)
        self._places[at].append(step._replace(node=f"{part.node} {step.node}", **total.joined(part, self._fresh)))
        self._drop(added)
        total.last = step.outs[0]
        self._totals[total.last] = total

    def _begin(self, value: int) -> _Total:
        """A total with one part."""
        part, memory, last = self._parts[value], next(self._fresh), next(self._fresh)
        total = self._begun[memory] = _Total(part, memory)
        begin = part._replace(op=_BEGIN, ins=(), attrs={}, outs=(memory,))
        self._places[self._made[value]] += [begin, part._replace(outs=(last,), **total.joined(part, self._fresh))]
        self._made[last] = self._made[value]
        total.last = last
        self._drop(value)
        return total

    def _drop(self, value: int) -> None:
        """Note that a part is wanted by one less."""
        self._uses[value] -= 1
        if not self._uses[value]:
            self._places[self._made[value]].remove(self._parts.pop(value))


class _Total:
    """What is known of a sum of parts: where they are, and which of them meet no earlier one."""

    def __init__(self, like: Step, memory: int) -> None:
        self.last = memory  # the sum so far
        self._like, self._memory = like, memory
        self._boxes, self._apart = list[Box](), list[Box]()
        self._views = dict[Any, Step]()

    def joined(self, part: Step, fresh: itertools.count[int]) -> dict[str, Any]:
        """What a step is that joins a part to the sum."""
        assert part.op.adds is not None
        box = part.op.adds.box(**part.attrs)
        meets = not all(are_apart(box, other) for other in self._boxes)
        self._boxes.append(box)
        if not meets:
            self._apart.append(box)
        view = self._views.setdefault((part.op, *part.attrs.items()), self._view(part, fresh))
        return {"op": ADD if meets else PUT, "ins": (self.last, view.outs[0], *part.ins), "attrs": {}}

    def _view(self, part: Step, fresh: itertools.count[int]) -> Step:
        """What shows where a part lies."""
        assert part.op.adds is not None
        (whole,), op = part.types, _place(part.op)
        shape = op.forward(np.broadcast_to(np.empty(()), whole.shape), **part.attrs).shape
        types = (TensorType(shape, whole.dtype),)
        return part._replace(op=op, ins=(self._memory,), outs=(next(fresh),), types=types)

    def memory(self) -> list[Step]:
        """The steps that make what parts are put into: zeros, unless every place gets something else."""
        filled = sum(math.prod(map(len, box)) for box in self._apart)
        (type,) = self._like.types
        op = zeros(type) if filled < type.size else memory(type)
        return [self._like._replace(op=op, ins=(), attrs={}, outs=(self._memory,)), *self._views.values()]


def _is_part(step: Step) -> bool:
    return step.op.adds is not None and len(step.ins) == 1


# ---- operators that no graph holds -------------------------------------------------------------------


def _in_place(name: str, forward: Any, doc: str) -> Op:
    return Op(name, forward, lambda total, *_: total, view=True, role="in place", doc=doc)


def _add(total: np.ndarray, place: np.ndarray, x: np.ndarray) -> np.ndarray:
    np.add(place, x, place)
    return total


def _put(total: np.ndarray, place: np.ndarray, x: np.ndarray) -> np.ndarray:
    np.add(x, x.dtype.type(0), place)
    return total


ADD = _in_place("add_to", _add, "Part of a total, to which another part is added.")
PUT = _in_place("put", _put, "Part of a total, which becomes another one, -0 as 0.")
_BEGIN = Op("begin", lambda: None, lambda: (), doc="Stands where the memory of a total is made.")


@cache
def _place(op: Op) -> Op:
    """The operator that shows a part of a total."""
    assert op.adds is not None
    return Op("part", op.adds.place, lambda total, **_: total, view=True, doc="Where in a total a part lies.")
