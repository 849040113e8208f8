"""Scatter-add accumulation: ``scatter_sum`` (of the pass ``scatter_sums``) as one step for each of its terms.

A term is added to its slice of the total as soon as it is computed, so that its live range ends early: the gradient of
a weight that a loop reads needs memory for one term, not for one of each iteration. A term that overlaps no earlier one
is stored instead of added, and where such terms cover the total, it needs no initial zeros: a fifth of the time of the
gradient of a gated unit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.accel.schedule.index_ranges import Box, are_disjoint, box_of
from minigraph.accel.schedule.memory_ops import VIEW, empty_op, zeros_op
from minigraph.core.aliases import Function
from minigraph.core.op import Op
from minigraph.core.types import TensorType
from minigraph.execute.plan import Step, ops_of
from minigraph.operators.indexing import numpy_key
from minigraph.operators.scatter import SCATTER_SUM


def lower_scatter_sums(steps: Sequence[Step], fresh: itertools.count[int]) -> list[Step]:
    """The steps, each term accumulated right after the step that computes it; ``fresh`` numbers new values."""
    if SCATTER_SUM not in ops_of(steps):
        return list(steps)
    slots: list[list[Step]] = [[step] for step in steps]  # by position, the steps that replace a step
    producer = {out: i for i, step in enumerate(steps) for out in step.outs}
    for i, step in enumerate(steps):
        if step.op is SCATTER_SUM:
            slots[i].remove(step)
            at = min([producer[value] for value in step.ins if value in producer], default=i)
            slots[at] += _allocation(step, views := _views(step, fresh))
            for value, new in zip(step.ins, _accumulations(step, views, fresh), strict=True):
                at = max(at, producer.get(value, at))
                slots[at].append(new)
            producer[step.outs[0]] = at
    return [step for slot in slots for step in slot]


def is_in_place(step: Step) -> bool:
    """Whether a step changes its first operand, which is also its result."""
    return step.op.role == "in place"


def _views(step: Step, fresh: itertools.count[int]) -> dict[object, Step]:
    """By key, the step that views the slice of the total that it selects."""
    (result_type,), total = step.types, next(fresh)
    prototype, views = np.broadcast_to(np.empty((), result_type.dtype.numpy), result_type.shape), dict[Any, Step]()
    for key in dict.fromkeys(step.attrs["keys"]):
        attrs = {"key": (*numpy_key(key), ...)}
        types = (TensorType(prototype[attrs["key"]].shape, result_type.dtype),)
        views[key] = step._replace(op=VIEW, ins=(total,), attrs=attrs, outs=(next(fresh),), types=types)
    return views


def _allocation(step: Step, views: dict[object, Step]) -> list[Step]:
    """The steps that allocate the total and its views: zeros, unless a stored term initialises every element."""
    (type,) = step.types
    stored = sum(math.prod(map(len, box)) for box, overlaps in _boxes(step) if not overlaps)
    total = next(iter(views.values())).ins
    return [step._replace(op=zeros_op(type) if stored < type.size else empty_op(type), ins=(), attrs={}, outs=total),
            *views.values()]  # fmt: skip


def _accumulations(step: Step, views: dict[object, Step], fresh: itertools.count[int]) -> Iterator[Step]:
    """For each term the step that adds it to the total, or stores it there."""
    (total,) = next(iter(views.values())).ins
    for k, (value, key, (_, overlaps)) in enumerate(zip(step.ins, step.attrs["keys"], _boxes(step), strict=True)):
        out = step.outs[0] if k + 1 == len(step.ins) else next(fresh)
        ins = (total, views[key].outs[0], value)
        yield step._replace(op=ADD if overlaps else PUT, ins=ins, attrs={}, outs=(out,))
        total = out


def _boxes(step: Step) -> Iterator[tuple[Box, bool]]:
    """The box of each term, and whether it overlaps an earlier one."""
    earlier = list[Box]()
    for key in step.attrs["keys"]:
        box = box_of(key, step.attrs["shape"])
        yield box, not all(are_disjoint(box, other) for other in earlier)
        earlier.append(box)


# ---- operators of programs only ----------------------------------------------------------------------


def _define_in_place(name: str, forward: Function, doc: str) -> Op:
    return Op(name, forward, lambda total, *_: total, view=True, role="in place", doc=doc)


def _add(total: np.ndarray, view: np.ndarray, x: np.ndarray) -> np.ndarray:
    np.add(view, x, view)
    return total


def _put(total: np.ndarray, view: np.ndarray, x: np.ndarray) -> np.ndarray:
    np.add(x, x.dtype.type(0), view)
    return total


ADD = _define_in_place("add_to", _add, "Adds a term to a slice of the total.")
PUT = _define_in_place("put", _put, "Stores a term in a slice of the total, -0 as 0.")
