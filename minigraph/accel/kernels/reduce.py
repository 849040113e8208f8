"""Sums of floats as numpy's own reduction, where an operand lies in C order."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from minigraph.core.types import Shape
from minigraph.operators.reduce import Axes, repeated_axes


def summer(x: np.ndarray, *, axis: Axes, keepdims: bool) -> Any:
    """What sums floats that lie like these; ``None`` for integers, and where a copy in C order is needed."""
    add: Any = np.add
    return partial(add.reduce, axis=axis, keepdims=keepdims) if x.dtype.kind == "f" and x.flags.c_contiguous else None


def summer_to(x: np.ndarray, *, shape: Shape) -> Any:
    """The same for the sum that undoes a broadcast, where no axis of size 1 stays."""
    axis = repeated_axes(x.shape, shape)
    return summer(x, axis=axis, keepdims=False) if len(shape) == x.ndim - len(axis) else None
