"""Indexing by ints and slices without a look at the key."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np

from minigraph.core.types import Shape
from minigraph.operators.indexing import Key, numpy_key


def short_key(shape: Shape, key: Key) -> Any:
    """A key of ints and slices as numpy takes it soonest: without whole axes at its end; one element is an array, too.

    >>> short_key((2, 3), (1, (0, 3, 1))), short_key((2, 3), ((0, 1, 1), 2)), short_key((2,), (1,))
    (1, (slice(0, 1, 1), 2), (1, Ellipsis))
    """
    end, axis = len(key), len(shape)
    while end and key[end - 1] == (0, shape[axis - 1], 1):
        end, axis = end - 1, axis - 1
    steps = numpy_key(key[:end])
    if all(item.__class__ is int for item in key):
        return (*steps, ...)
    return steps[0] if len(steps) == 1 else steps


def getter(x: np.ndarray, *indices: np.ndarray, key: Key) -> Any:
    """What picks the elements from arrays of this shape; ``None`` where there are tensor operands."""
    return None if indices else itemgetter(short_key(x.shape, key))
