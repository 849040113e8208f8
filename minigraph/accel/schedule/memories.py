"""Operators that no graph holds: memory that others write into, and views of it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from minigraph.core.op import Op
from minigraph.core.types import TensorType


@cache
def memory(type: TensorType) -> Op:
    """The operator that makes an array which holds anything.

    >>> from minigraph.core.types import float32
    >>> memory(TensorType((2, 3), float32)).forward().shape
    (2, 3)
    """

    def forward(*, out: np.ndarray | None = None) -> np.ndarray:
        return np.empty(type.shape, type.dtype.numpy) if out is None else out

    return Op("memory", forward, lambda: type, role="memory", into=True, doc="Memory that others write into.")


@cache
def zeros(type: TensorType) -> Op:
    """The operator that makes an array of zeros.

    >>> from minigraph.core.types import float32
    >>> zeros(TensorType((2,), float32)).forward(out=np.ones(2, np.float32))
    array([0., 0.], dtype=float32)
    """

    def forward(*, out: np.ndarray | None = None) -> np.ndarray:
        if out is None:
            return np.zeros(type.shape, type.dtype.numpy)
        out.fill(0)
        return out

    return Op("zeros", forward, lambda: type, into=True, doc="Zeros that parts are added to.")


def _cut(x: np.ndarray, *, key: Any) -> np.ndarray:
    found: np.ndarray = x[key]
    return found


CUT = Op("cut", _cut, lambda x, *, key: x, view=True, doc="Part of memory, by numpy's key.")
