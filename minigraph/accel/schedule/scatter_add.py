"""Scatter-add accumulation: the terms of a ``scatter_sum`` (of the pass ``scatter_sums``) are added one by one.

A term is added to its slice of the total as soon as it is computed, so that its live range ends there. The gradient of
a weight that a loop reads therefore needs one buffer for its terms, not one for each iteration.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.accel.schedule.concat_elision import VIEW
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
    (whole,), total = step.types, next(fresh)
    prototype, views = np.broadcast_to(np.empty((), whole.dtype.numpy), whole.shape), dict[Any, Step]()
    for key in dict.fromkeys(step.attrs["keys"]):
        attrs = {"key": (*numpy_key(key), ...)}
        types = (TensorType(prototype[attrs["key"]].shape, whole.dtype),)
        views[key] = step._replace(op=VIEW, ins=(total,), attrs=attrs, outs=(next(fresh),), types=types)
    return views


def _allocation(step: Step, views: dict[object, Step]) -> list[Step]:
    """The steps that allocate zeros, and their views."""
    total = next(iter(views.values())).ins
    return [step._replace(op=zeros_op(step.types[0]), ins=(), attrs={}, outs=total), *views.values()]


def _accumulations(step: Step, views: dict[object, Step], fresh: itertools.count[int]) -> Iterator[Step]:
    """For each term the step that adds it to the total."""
    (total,) = next(iter(views.values())).ins
    for k, (value, key) in enumerate(zip(step.ins, step.attrs["keys"], strict=True)):
        out = step.outs[0] if k + 1 == len(step.ins) else next(fresh)
        yield step._replace(op=ADD_TO, ins=(total, views[key].outs[0], value), attrs={}, outs=(out,))
        total = out


# ---- operators of programs only ----------------------------------------------------------------------


@lru_cache(maxsize=1024)
def zeros_op(type: TensorType) -> Op:
    """The operator that allocates an array of zeros.

    >>> from minigraph.core.types import float32
    >>> zeros_op(TensorType((2,), float32)).forward(out=np.ones(2, np.float32))
    array([0., 0.], dtype=float32)
    """

    def forward(*, out: np.ndarray | None = None) -> np.ndarray:
        if out is None:
            return np.zeros(type.shape, type.dtype.numpy)
        out.fill(0)
        return out

    return Op("zeros", forward, lambda: type, into=True, doc="Zeros that terms are added to.")


def _add_to(total: np.ndarray, view: np.ndarray, x: np.ndarray) -> np.ndarray:
    np.add(view, x, view)
    return total


ADD_TO = Op(
    "add_to", _add_to, lambda total, *_: total, view=True, role="in place", doc="Adds a term to a slice of the total."
)
