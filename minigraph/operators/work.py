"""Work functions for the records of common kinds of operators.

``lane_work`` counts vector instructions per element; ``no_work`` is for views, ``copy_work`` and ``gather_work`` for
data movement, ``reduction_work`` for reductions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from minigraph.core.aliases import AttrValue, IntOrTuple
from minigraph.core.op_fields import Work
from minigraph.core.types import Results, Shape, TensorType


def traffic(out: TensorType | Results, ins: Sequence[TensorType]) -> Work:
    """The work of reading every operand from global memory and writing every result there, once."""
    outs = out if isinstance(out, tuple) else (out,)
    return Work(read=sum(t.nbytes for t in ins), written=sum(t.nbytes for t in outs))


def lane_work(*lanes: str) -> Callable[..., Work]:
    """Work of one vector instruction of each class per result element."""

    def work(out: TensorType, *ins: TensorType, **attrs: AttrValue) -> Work:
        counts: dict[str, int] = {}
        for lane in lanes:
            counts[lane] = counts.get(lane, 0) + out.size
        return Work(lanes=tuple(sorted(counts.items()))) + traffic(out, ins)

    return work


def no_work(out: object, *ins: TensorType, **attrs: AttrValue) -> Work:
    """Work of a view: nothing moves."""
    return Work()


def copy_work(out: object, *ins: TensorType, **attrs: AttrValue) -> Work:
    """Work of a copy: every byte of the results is read once and written once."""
    outs = out if isinstance(out, tuple) else (out,)
    nbytes = sum(t.nbytes for t in outs)
    return Work(read=nbytes, written=nbytes)


def transpose_work(out: TensorType, x: TensorType, *, axes: tuple[int, ...]) -> Work:
    """Work of a transpose; the innermost axes that stay in place form contiguous runs."""
    moved_axes = len(axes)
    while moved_axes and axes[moved_axes - 1] == moved_axes - 1:
        moved_axes -= 1
    large_axes = [axis for axis in axes if x.shape[axis] > 1]
    if large_axes == sorted(large_axes):
        return Work()
    run = math.prod(x.shape[moved_axes:])
    if run > 1:
        return Work(run=run) + traffic(out, (x,))
    return Work(lanes=(("transpose", x.size),)) + traffic(out, (x,))


def gather_work(out: TensorType, *ins: TensorType, **attrs: AttrValue) -> Work:
    """Work of a gather or scatter: a copy plus one address per result element."""
    return Work(lanes=(("gather", out.size),)) + traffic(out, ins)


def reduction_work(
    out: TensorType | Results, x: TensorType, *, axis: IntOrTuple | None = None, **attrs: AttrValue
) -> Work:
    """Work of a reduction over ``axis``: every operand element once through the reduce lanes, in rows."""
    count = max(1, (out[0] if isinstance(out, tuple) else out).size)
    rows, run = (count, x.size // count), contiguous_run(x.shape, axis)
    return Work(lanes=(("reduce", x.size),), rows=rows, run=run) + traffic(out, (x,))


def contiguous_run(shape: Shape, axis: IntOrTuple | None) -> int:
    """The contiguous elements after the last of some axes (one, several, ``None`` for all); 0 if that is one element.

    >>> contiguous_run((16, 256, 64), 1), contiguous_run((16, 256, 64), (0, 2))
    (64, 0)
    """
    last = max(axis, default=len(shape)) if isinstance(axis, tuple) else len(shape) if axis is None else axis
    run = math.prod(shape[last + 1 :])
    return run if run > 1 else 0
