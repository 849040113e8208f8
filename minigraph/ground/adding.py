"""How a tensor that is zero nearly everywhere joins a sum of such tensors in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Box = tuple[range, ...]


class Adding(NamedTuple):
    """What stands for a sum with a tensor that an operator fills in one place and leaves zero elsewhere.

    ``place(total, **attrs)`` is the part of the result that ``forward(x)`` adds x to, as a view of x's shape, and
    ``box(**attrs)`` are the positions along each axis that this fills. The result holds no -0, for 0 + -0 is 0.
    """

    place: Callable[..., Any]
    box: Callable[..., Box]


def are_apart(one: Box, other: Box) -> bool:
    """Whether two boxes have no place in common; boxes that only mesh do not count as apart.

    >>> are_apart((range(2), range(3)), (range(2, 4), range(3)))
    True
    """
    return any(min(a) > max(b) or min(b) > max(a) if a and b else True for a, b in zip(one, other, strict=True))
