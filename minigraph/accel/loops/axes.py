"""The axes of a loop: which of a tensor's go together, which of them an operand has, and what counts along them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from minigraph.core.types import Shape

INDICES = "ijklmnop"


def axes_of(shape: Shape, others: Sequence[Shape]) -> list[list[int]]:
    """Neighbouring axes that each operand has all of or none of, together; axes of one element are left out.

    >>> axes_of((2, 3, 4), [(2, 3, 4), (4,)])
    [[0, 1], [2]]
    """
    long = [axis for axis, size in enumerate(shape) if size != 1]
    return [list(group) for _, group in groupby(long, lambda axis: [_has(other, axis, shape) for other in others])]


def owned_axes(shape: Shape, axes: Sequence[Sequence[int]], whole: Shape) -> tuple[int, ...]:
    """Which of the loop's axes an operand has.

    >>> owned_axes((4,), [[0, 1], [2]], (2, 3, 4))
    (1,)
    """
    return tuple(k for k, group in enumerate(axes) if _has(shape, group[0], whole))


def _has(shape: Shape, axis: int, whole: Shape) -> bool:
    """Whether an operand has elements of its own along an axis of the whole, counted from the end as numpy does."""
    place = axis - len(whole) + len(shape)
    return place >= 0 and shape[place] == whole[axis]


def size_of(group: Sequence[int], whole: Shape) -> int:
    """The elements along axes that go together; -1 with the first axis, along which pieces are cut."""
    return -1 if group[0] == 0 else math.prod(whole[axis] for axis in group)


def index_of(own: Sequence[int]) -> str:
    """What stands in brackets behind an array that has these axes of a loop."""
    return ", ".join(INDICES[k] for k in own) or "()"


def indented(depth: int) -> str:
    """The blanks before a line inside of so many loops."""
    return "    " * (depth + 1)
