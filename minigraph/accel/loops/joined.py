"""Steps joined into bodies that a compiler of loops makes one kernel of.

What lies between the steps of a body is a register instead of an array. A body is a step like others: its results live
in buffers. An elementwise one is cut into pieces and shared among threads with its neighbours; one that reduces shares
out its rows itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from minigraph.accel.loops.axes import INDICES
from minigraph.accel.loops.elements import FOLDS, SCALARS
from minigraph.accel.loops.groups import Group, groups_of
from minigraph.accel.loops.kernels import DTYPES, Plain, available, kernel_of, tell_missing
from minigraph.accel.loops.loops import Body, Loop, loop_of
from minigraph.accel.machine import MAX_UNFUSED_SMALL_STEPS, MAX_UNFUSED_STEPS, WIDE_RESULT_BYTES
from minigraph.accel.threads import shares_of, side_by_side, threads_for
from minigraph.core.context import get_context
from minigraph.core.op import Op, forward_of
from minigraph.core.types import TensorType
from minigraph.execute.steps import Step

Types = Mapping[int, TensorType]
Readers = Mapping[int, Collection[int]]


def joining() -> bool:
    """Whether kernels are to compute what they can: ``kernel_backend`` is not "numpy", and numba is installed.

    "auto" is silent where it is not, "numba" warns once.
    """
    backend = get_context("kernel_backend")
    if backend == "numba" and not available():
        tell_missing()
    return backend != "numpy" and available()


def rounding() -> bool:
    """Whether kernels may round otherwise than numpy: only when they are asked for by name."""
    return get_context("kernel_backend") == "numba" and joining()


def with_bodies(steps: Sequence[Step], leaving: Collection[int], types: Types) -> list[Step]:
    """The steps, those that kernels can join in bodies; ``types`` are those of the values that are there before."""
    if not joining():
        return list(steps)
    types = dict(types) | {out: type for step in steps for out, type in zip(step.outs, step.types, strict=True)}
    loose = rounding()
    joins = {i for i, step in enumerate(steps) if fits_a_loop(step, types, loose=loose)}
    readers = _readers(steps, leaving)
    bodies = [(group.members, _body(group, steps, readers)) for group in groups_of(steps, joins, types)]
    joined = {members[-1]: (members, body) for members, body in bodies if _pays(body)}
    absorbed = {i for members, _ in joined.values() for i in members[:-1]}
    return [_step_of(joined[i][1], types) if i in joined else step for i, step in enumerate(steps) if i not in absorbed]


def _readers(steps: Sequence[Step], leaving: Collection[int]) -> Readers:
    """By value, the steps that read it, and -1 for whoever is given it."""
    found: dict[int, set[int]] = defaultdict(set)
    for value in leaving:
        found[value].add(-1)
    for i, step in enumerate(steps):
        for value in step.ins:
            found[value].add(i)
    return found


def _body(group: Group, steps: Sequence[Step], readers: Readers) -> Body:
    """The body of a group."""
    mine = tuple(steps[i] for i in group.members)
    made = dict.fromkeys(step.outs[0] for step in mine)
    operands = tuple(dict.fromkeys(value for step in mine for value in step.ins if value not in made))
    results = tuple(value for value in made if not set(group.members).issuperset(readers[value]))
    return Body(mine, operands, results, group.shape, group.trailing)


def fits_a_loop(step: Step, types: Types, *, loose: bool) -> bool:
    """Whether a step's operator can be part of a loop, with these dtypes; ``loose``: also if it rounds otherwise."""
    if len(step.types) != 1 or step.types[0].size == 0 or str(step.types[0].dtype.numpy) not in DTYPES:
        return False
    ins = [types[value] for value in step.ins]
    if any(str(type.dtype.numpy) not in DTYPES or len(type.shape) > len(INDICES) for type in ins):
        return False
    scalar, fold, kinds = SCALARS.get(step.op), FOLDS.get(step.op), {type.dtype.kind for type in ins}
    if fold is not None:
        return kinds <= set(fold.kinds if loose else fold.exact) and ins[0].size > 0
    if scalar is None or not kinds <= set(scalar.kinds):
        return False
    cut = step.types[0].dtype.kind == "i" and "f" in kinds  # what becomes of inf and nan is nobody's word
    return not cut and (scalar.exact or (loose and all(type.dtype.numpy == np.float32 for type in ins)))


def _pays(body: Body) -> bool:
    widest = max(step.types[0].nbytes for step in body.steps)
    unfused = MAX_UNFUSED_STEPS if widest >= WIDE_RESULT_BYTES else MAX_UNFUSED_SMALL_STEPS
    return bool(body.results) and len(body.steps) > unfused


def _step_of(body: Body, types: Types) -> Step:
    """The body as one step."""
    made = tuple(types[value] for value in body.results)
    loop = loop_of(body, types)
    op = Op("body", _forward(loop, body, types), lambda *_: made, family="other" if body.trailing else "elementwise",
            role="fused", into=True, doc=loop.text)  # fmt: skip
    node = " ".join(step.node for step in body.steps)
    return body.steps[-1]._replace(op=op, ins=body.operands, attrs={}, outs=body.results, types=made, node=node)


# ---- the function ----------------------------------------------------------------------------------


def _forward(loop: Loop, body: Body, types: Types) -> Callable[..., Any]:
    """The kernel of a loop: ``forward(*operands, out=None)``; ``out`` is a tuple where there are several results."""
    made, single = [types[value] for value in body.results], len(body.results) == 1
    kernel, plain = kernel_of(loop), _plain(body)
    shares = _shares(body, types)
    cut = [_is_cut(body, value, types) for value in (*body.operands, *body.results)]

    def forward(*arrays: np.ndarray, out: Any = None) -> Any:
        if out is None:
            out = [np.empty(type.shape, type.dtype.numpy) for type in made]
        outs = (out,) if isinstance(out, np.ndarray) else tuple(out)
        if len(shares) < 2:
            kernel(plain, (*arrays, *outs), loop)
        else:
            every = list(zip((*arrays, *outs), cut, strict=True))
            works = ((plain, [a[rows] if part else a for a, part in every], loop) for rows in shares)
            side_by_side(kernel, *works)
        return outs[0] if single else outs

    return forward


def _shares(body: Body, types: Types) -> list[slice]:
    """The rows that each thread computes, of a body that reduces; the others are shared out piece by piece."""
    if not 0 < body.trailing < len(body.shape):
        return []
    nbytes = sum(step.types[0].nbytes for step in body.steps)
    return shares_of(body.shape[0], threads_for(nbytes, body.shape[0]))


def _is_cut(body: Body, value: int, types: Types) -> bool:
    """Whether each thread takes its own rows of an array."""
    shape = types[value].shape
    return value in body.results or (len(shape) == len(body.shape) > 0 and shape[0] == body.shape[0])


def _plain(body: Body) -> Plain:
    """The steps one after the other, into the last arrays."""
    last_use = {value: i for i, step in enumerate(body.steps) for value in step.ins if value not in body.results}
    calls = [(step, [value for value in step.ins if last_use.get(value) == i]) for i, step in enumerate(body.steps)]

    def plain(*arrays: np.ndarray) -> None:
        values = dict(zip(body.operands, arrays, strict=False))
        for step, dead in calls:
            values[step.outs[0]] = forward_of(step.op)(*[values[value] for value in step.ins], **step.attrs)
            for value in dead:
                values.pop(value, None)
        for value, out in zip(body.results, arrays[len(body.operands) :], strict=True):
            out[...] = values[value]

    return plain
