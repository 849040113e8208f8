"""Elementwise steps joined into bodies that a compiler of loops makes one kernel of.

A step joins a body when the body holds everybody who reads its result, so that a body has one result. What lies
between its steps is then a register instead of an array. A body is a step like others: it lives in buffers, is cut
into pieces and is shared among threads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from minigraph.context import get_context
from minigraph.op import Op
from minigraph.run.kernels import DTYPES, Plain, available, kernel_of, tell_missing
from minigraph.run.loops import INDICES, Loop, loop_of
from minigraph.run.steps import Step
from minigraph.types import TensorType

MOST = 64  # steps of a body: the time of a compiler grows faster than the text
SHORT = 2  # steps of a body that is not worth it: numpy, in pieces, is as fast
START = 5  # the same for small tensors, of which a kernel takes as long to start as so many steps
WIDE = 1 << 14  # bytes of a result from which reading and writing, not starting, is what a step costs


def joining() -> bool:
    """Whether kernels are to compute what they can: ``kernel_backend`` is not "numpy", and numba is installed.

    "auto" is silent where it is not, "numba" warns once.
    """
    backend = get_context("kernel_backend")
    if backend == "numba" and not available():
        tell_missing()
    return backend != "numpy" and available()


def with_bodies(steps: Sequence[Step], leaving: Collection[int], types: dict[int, TensorType]) -> list[Step]:
    """The steps, those that kernels can join in bodies; ``types`` are those of the values that are there before."""
    if not joining():
        return list(steps)
    types = types | {out: type for step in steps for out, type in zip(step.outs, step.types, strict=True)}
    bodies = _bodies(steps, leaving, [_is_scalar(step, types) for step in steps])
    joined = {last: members for last, members in bodies.items() if _pays([steps[i] for i in members])}
    absorbed = {i for members in joined.values() for i in members[:-1]}
    return [
        _step_of([steps[m] for m in joined[i]], types) if i in joined else step
        for i, step in enumerate(steps)
        if i not in absorbed
    ]


def _bodies(steps: Sequence[Step], leaving: Collection[int], scalar: Sequence[bool]) -> dict[int, list[int]]:
    """For the last step of each body, all of its steps in order."""
    readers: dict[int, set[int]] = defaultdict(set)  # by value, the bodies (by last step) and -1 for anybody else
    for value in leaving:
        readers[value].add(-1)
    found: dict[int, list[int]] = {}
    for i in reversed(range(len(steps))):
        step, last = steps[i], -1
        if scalar[i]:
            those = readers[step.outs[0]]
            last = next(iter(those)) if len(those) == 1 else -1
            if last == -1 or len(found[last]) == MOST or steps[last].types[0].shape != step.types[0].shape:
                last, found[i] = i, []
            found[last].insert(0, i)
        for value in step.ins:
            readers[value].add(last)
    return found


def _is_scalar(step: Step, types: dict[int, TensorType]) -> bool:
    """Whether a step's operator can be part of a loop, with these dtypes."""
    scalar = step.op.scalar
    if scalar is None or len(step.types) != 1 or len(step.types[0].shape) > len(INDICES):
        return False
    ins, out = [types[value].dtype for value in step.ins], step.types[0]
    cut = out.dtype.kind == "i" and any(dtype.is_float for dtype in ins)  # what becomes of inf and nan is nobody's word
    known = all(str(dtype.numpy) in DTYPES and dtype.kind in scalar.kinds for dtype in ins)
    return known and not cut and str(out.dtype.numpy) in DTYPES and out.size > 0


def _pays(steps: Sequence[Step]) -> bool:
    return len(steps) > (SHORT if steps[-1].types[0].nbytes >= WIDE else START)


def _step_of(steps: Sequence[Step], types: dict[int, TensorType]) -> Step:
    """The body as one step."""
    made = {step.outs[0] for step in steps}
    operands = tuple(dict.fromkeys(value for step in steps for value in step.ins if value not in made))
    loop = loop_of(steps, operands, [types[value] for value in operands])
    op = Op("body", _forward(loop, _plain(steps, operands), steps[-1].types[0]), lambda *_: steps[-1].types[0],
            family="elementwise", role="fused", into=True, doc=loop.text)  # fmt: skip
    return steps[-1]._replace(op=op, ins=operands, attrs={}, node=" ".join(step.node for step in steps))


def _forward(loop: Loop, plain: Plain, out_type: TensorType) -> Callable[..., Any]:
    """The kernel of a loop: ``forward(*operands, out=None)``."""
    kernel = kernel_of(loop)

    def forward(*arrays: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        if out is None:
            out = np.empty(out_type.shape, out_type.dtype.numpy)
        kernel(plain, (*arrays, out), loop.shapes)
        return out

    return forward


def _plain(steps: Sequence[Step], operands: Sequence[int]) -> Plain:
    """The steps one after the other, into the last array."""
    last_use = {value: i for i, step in enumerate(steps) for value in step.ins}
    calls = [(step, [value for value in step.ins if last_use[value] == i]) for i, step in enumerate(steps)]

    def plain(*arrays: np.ndarray) -> None:
        values = dict(zip(operands, arrays, strict=False))
        for step, dead in calls:
            values[step.outs[0]] = step.op.forward(*[values[value] for value in step.ins], **step.attrs)
            for value in dead:
                values.pop(value, None)
        (arrays[-1][...],) = values.values()

    return plain
