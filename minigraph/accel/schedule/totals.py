"""Sums of parts, ``scatter_sum`` of the pass ``scatter_sums``: each part is put in its place as soon as there is one.

A part that meets no earlier one is put there instead of added, and where such parts cover everything, there need be no
zeros to begin with. So parts die early, and may even be written where they belong (``parts``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.accel.schedule.boxes import Box, are_apart, box_of
from minigraph.accel.schedule.memories import CUT, memory, zeros
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step, ops_of
from minigraph.operators.indexing import numpy_key
from minigraph.operators.scatter import SCATTER_SUM


def with_totals(steps: Sequence[Step], fresh: itertools.count[int]) -> list[Step]:
    """The steps, parts of sums put in their places right behind what makes them; ``fresh`` has numbers for values."""
    if SCATTER_SUM not in ops_of(steps):
        return list(steps)
    places: list[list[Step]] = [[step] for step in steps]
    made = {out: i for i, step in enumerate(steps) for out in step.outs}
    for i, step in enumerate(steps):
        if step.op is SCATTER_SUM:
            places[i].remove(step)
            at = min([made[value] for value in step.ins if value in made], default=i)
            places[at] += _begun(step, views := _views(step, fresh))
            for value, new in zip(step.ins, _joined(step, views, fresh), strict=True):
                at = max(at, made.get(value, at))
                places[at].append(new)
            made[step.outs[0]] = at
    return [step for place in places for step in place]


def is_in_place(step: Step) -> bool:
    """Whether a step changes its first operand, which then is its result."""
    return step.op.role == "in place"


def _views(step: Step, fresh: itertools.count[int]) -> dict[Any, Step]:
    """By key, what shows the places of a total that it picks."""
    (whole,), total = step.types, next(fresh)
    ghost, found = np.broadcast_to(np.empty((), whole.dtype.numpy), whole.shape), dict[Any, Step]()
    for key in dict.fromkeys(step.attrs["keys"]):
        attrs = {"key": (*numpy_key(key), ...)}
        types = (TensorType(ghost[attrs["key"]].shape, whole.dtype),)
        found[key] = step._replace(op=CUT, ins=(total,), attrs=attrs, outs=(next(fresh),), types=types)
    return found


def _begun(step: Step, views: dict[Any, Step]) -> list[Step]:
    """The steps that make what parts are put into: zeros, unless every place gets something else."""
    (type,) = step.types
    filled = sum(math.prod(map(len, box)) for box, meets in _boxes(step) if not meets)
    total = next(iter(views.values())).ins
    return [step._replace(op=zeros(type) if filled < type.size else memory(type), ins=(), attrs={}, outs=total),
            *views.values()]  # fmt: skip


def _joined(step: Step, views: dict[Any, Step], fresh: itertools.count[int]) -> Iterator[Step]:
    """For each part the step that joins it to the total."""
    (total,) = next(iter(views.values())).ins
    for k, (value, key, (_, meets)) in enumerate(zip(step.ins, step.attrs["keys"], _boxes(step), strict=True)):
        out = step.outs[0] if k + 1 == len(step.ins) else next(fresh)
        ins = (total, views[key].outs[0], value)
        yield step._replace(op=ADD if meets else PUT, ins=ins, attrs={}, outs=(out,))
        total = out


def _boxes(step: Step) -> Iterator[tuple[Box, bool]]:
    """Where each part lies, and whether it meets an earlier one."""
    seen = list[Box]()
    for key in step.attrs["keys"]:
        box = box_of(key, step.attrs["shape"])
        yield box, not all(are_apart(box, other) for other in seen)
        seen.append(box)


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
