"""Views as methods of numpy's arrays, with the attributes bound."""

from __future__ import annotations

from operator import methodcaller

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.types import Shape
from minigraph.operators.views import flat_shape


def reshape_kernel(x: np.ndarray, *, shape: Shape) -> Function:
    """The kernel of ``reshape``."""
    return methodcaller("reshape", shape)


def flatten_kernel(x: np.ndarray, *, start: int, end: int) -> Function:
    """The kernel of ``flatten`` for arrays of the shape of ``x``."""
    return methodcaller("reshape", flat_shape(x.shape, start, end))


def transpose_kernel(x: np.ndarray, *, axes: tuple[int, ...]) -> Function:
    """The kernel of ``transpose``."""
    return methodcaller("transpose", axes)
