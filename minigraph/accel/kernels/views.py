"""Views as bound methods of numpy's arrays, their attributes filled in."""

from __future__ import annotations

from operator import methodcaller
from typing import Any

import numpy as np

from minigraph.core.types import Shape
from minigraph.operators.views import flattened


def reshaper(x: np.ndarray, *, shape: Shape) -> Any:
    """What gives arrays another shape."""
    return methodcaller("reshape", shape)


def flattener(x: np.ndarray, *, start: int, end: int) -> Any:
    """What makes neighbouring axes of arrays of this shape one."""
    return methodcaller("reshape", flattened(x.shape, start, end))


def transposer(x: np.ndarray, *, axes: tuple[int, ...]) -> Any:
    """What puts the axes of arrays in another order."""
    return methodcaller("transpose", axes)
