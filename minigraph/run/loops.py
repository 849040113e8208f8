"""The text of a loop that computes several elementwise steps at once, for compilers of loops.

::

    def loop(a0, a1, out):
        for i in range(out.shape[0]):
            x0 = a0[i]
            for j in range(out.shape[1]):
                x1 = a1[i, j]
                t0 = float32(x0 * x1)
                out[i, j] = float32(t0 + x1)

Neighbouring axes that every operand either has or repeats are one axis, so most loops have one. Names are counted and
expressions are those of records: nothing of a graph is in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from minigraph.run.steps import Step
from minigraph.types import Shape, TensorType

INDICES = "ijklmnop"
_OPERAND = re.compile(r"\b[xyz]\b")


class Loop(NamedTuple):
    """A loop: its ``text``, the dtype and rank of each operand and of the result, and the shapes it wants them in.

    A shape has -1 for the axis along which pieces are cut.
    """

    text: str
    signature: tuple[tuple[str, int], ...]
    shapes: tuple[Shape, ...]


def loop_of(steps: Sequence[Step], operands: Sequence[int], types: Sequence[TensorType]) -> Loop:
    """The loop of steps on these operands; the last step makes the result."""
    out = steps[-1].types[0]
    axes = _axes(out.shape, [type.shape for type in types])
    owned = [_owned(type.shape, axes, out.shape) for type in types]
    lines = ["def loop(" + "".join(f"a{k}, " for k in range(len(operands))) + "out):"]
    for depth in range(len(axes) + 1):
        lines += [
            f"{_indent(depth)}x{k} = a{k}[{_index(own)}]"
            for k, own in enumerate(owned)
            if (own[-1] + 1 if own else 0) == depth
        ]
        if depth < len(axes):
            lines.append(f"{_indent(depth)}for {INDICES[depth]} in range(out.shape[{depth}]):")
    lines += [_indent(len(axes)) + line for line in _body(steps, operands, _index(range(len(axes))))]
    shapes = [tuple(_size(axes[k], out.shape) for k in own) for own in (*owned, range(len(axes)))]
    signature = [(str(t.dtype.numpy), len(shape)) for t, shape in zip((*types, out), shapes, strict=True)]
    return Loop("\n".join(lines) + "\n", tuple(signature), tuple(shapes))


def _body(steps: Sequence[Step], operands: Sequence[int], index: str) -> Iterator[str]:
    """One line per step."""
    names = {value: f"x{k}" for k, value in enumerate(operands)}
    for k, step in enumerate(steps):
        assert step.op.scalar is not None
        ins = dict(zip("xyz", [names[value] for value in step.ins], strict=False))
        expression = _OPERAND.sub(lambda found, ins=ins: ins[found[0]], step.op.scalar.text)  # type: ignore[misc]
        names[step.outs[0]] = f"t{k}"
        target = f"out[{index}]" if k == len(steps) - 1 else f"t{k}"
        yield f"{target} = {step.types[0].dtype.numpy}({expression})"


def _axes(shape: Shape, others: Sequence[Shape]) -> list[list[int]]:
    """Neighbouring axes that each operand has all of or none of, together; axes of one element are left out."""
    long = [axis for axis, size in enumerate(shape) if size != 1]
    return [list(group) for _, group in groupby(long, lambda axis: [_has(other, axis, shape) for other in others])]


def _owned(shape: Shape, axes: Sequence[Sequence[int]], whole: Shape) -> tuple[int, ...]:
    """Which of the loop's axes an operand has."""
    return tuple(k for k, group in enumerate(axes) if _has(shape, group[0], whole))


def _has(shape: Shape, axis: int, whole: Shape) -> bool:
    """Whether an operand has elements of its own along an axis of the whole, counted from the end as numpy does."""
    place = axis - len(whole) + len(shape)
    return place >= 0 and shape[place] == whole[axis]


def _size(group: Sequence[int], whole: Shape) -> int:
    size = 1
    for axis in group:
        size *= whole[axis]
    return -1 if group[0] == 0 else size


def _index(own: Sequence[int]) -> str:
    return ", ".join(INDICES[k] for k in own) or "()"


def _indent(depth: int) -> str:
    return "    " * (depth + 1)
