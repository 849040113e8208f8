"""Sums of C contiguous floats as ``np.add.reduce``, with the attributes bound."""

from __future__ import annotations

from functools import partial

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.types import Shape
from minigraph.operators.reduce import Axes, broadcast_axes


def sum_kernel(x: np.ndarray, *, axis: Axes, keepdims: bool) -> Function | None:
    """The kernel for floats of the layout of ``x``; ``None`` for integers, and where a C order copy is needed."""
    add: np.ufunc = np.add
    return partial(add.reduce, axis=axis, keepdims=keepdims) if x.dtype.kind == "f" and x.flags.c_contiguous else None


def sum_to_kernel(x: np.ndarray, *, shape: Shape) -> Function | None:
    """The same for ``sum_to``; ``None`` where an axis of size 1 is kept."""
    axis = broadcast_axes(x.shape, shape)
    return sum_kernel(x, axis=axis, keepdims=False) if len(shape) == x.ndim - len(axis) else None
