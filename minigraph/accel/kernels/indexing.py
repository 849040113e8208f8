"""Indexing by ints and slices, with the key converted in advance."""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.types import Shape
from minigraph.operators.indexing import Key, numpy_key


def short_key(shape: Shape, key: Key) -> Any:
    """The shortest numpy key of a key of ints and slices: without full slices at its end; a single element is an array.

    >>> short_key((2, 3), (1, (0, 3, 1))), short_key((2, 3), ((0, 1, 1), 2)), short_key((2,), (1,))
    (1, (slice(0, 1, 1), 2), (1, Ellipsis))
    """
    end, axis = len(key), len(shape)
    while axis and key[end - 1] == (0, shape[axis - 1], 1):
        end, axis = end - 1, axis - 1
    steps = numpy_key(key[:end])
    if all(item.__class__ is int for item in key):
        return (*steps, ...)
    return steps[0] if len(steps) == 1 else steps


def index_kernel(x: np.ndarray, *indices: np.ndarray, key: Key) -> Function | None:
    """The kernel for arrays of the shape of ``x``; ``None`` where there are tensor indices."""
    return None if indices else itemgetter(short_key(x.shape, key))
