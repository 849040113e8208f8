"""The axes of a loop nest: which axes of a tensor are collapsed, which of them an operand has, and their indices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from minigraph.core.types import Shape

INDICES = "ijklmnop"


def axes_of(shape: Shape, others: Sequence[Shape]) -> list[list[int]]:
    """Axes collapsed into groups of neighbours, of which each operand has all or none; axes of size 1 are dropped.

    >>> axes_of((2, 3, 4), [(2, 3, 4), (4,)])
    [[0, 1], [2]]
    """
    long = [axis for axis, size in enumerate(shape) if size != 1]
    return [list(group) for _, group in groupby(long, lambda axis: [_has_axis(other, axis, shape) for other in others])]


def owned_axes(shape: Shape, axes: Sequence[Sequence[int]], full_shape: Shape) -> tuple[int, ...]:
    """The loop's axes that an operand has.

    >>> owned_axes((4,), [[0, 1], [2]], (2, 3, 4))
    (1,)
    """
    return tuple(k for k, group in enumerate(axes) if _has_axis(shape, group[0], full_shape))


def _has_axis(shape: Shape, axis: int, full_shape: Shape) -> bool:
    """Whether an operand is not broadcast along an axis of the result; axes are counted from the end, as in numpy."""
    own_axis = axis - len(full_shape) + len(shape)
    return own_axis >= 0 and shape[own_axis] == full_shape[axis]


def size_of(group: Sequence[int], full_shape: Shape) -> int:
    """The number of elements along collapsed axes; -1 for those with the first axis, which is tiled."""
    return -1 if group[0] == 0 else math.prod(full_shape[axis] for axis in group)


def index_of(axes: Sequence[int]) -> str:
    """The index, in brackets, of an array that has these axes of a loop."""
    return ", ".join(INDICES[k] for k in axes) or "()"


def indentation(depth: int) -> str:
    """The indentation inside of ``depth`` loops."""
    return "    " * (depth + 1)
