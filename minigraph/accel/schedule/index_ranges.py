"""Boxes: the index ranges that a key of ints and slices selects, and whether two of them are disjoint."""

from __future__ import annotations

from minigraph.core.types import Shape
from minigraph.operators.indexing import Key, is_slice

Box = tuple[range, ...]  # a range for each axis


def box_of(key: Key, shape: Shape) -> Box:
    """The indices along each axis that a key of ints and slices selects.

    >>> box_of((1, (0, 3, 1)), (2, 4))
    (range(1, 2), range(0, 3))
    """
    steps = zip((item for item in key if item is not None), shape, strict=True)
    return tuple(range(*slice(*item).indices(n)) if is_slice(item) else range(item, item + 1) for item, n in steps)


def are_disjoint(left: Box, right: Box) -> bool:
    """Whether two boxes are known to have no element in common; interleaved strided ranges do not count as disjoint.

    >>> are_disjoint((range(2), range(3)), (range(2, 4), range(3)))
    True
    """
    return any(min(a) > max(b) or min(b) > max(a) if a and b else True for a, b in zip(left, right, strict=True))
