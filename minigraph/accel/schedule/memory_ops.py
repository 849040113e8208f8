"""Operators of programs only, never of graphs: they allocate memory that other steps write into, and view it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.core.op import Op
from minigraph.core.types import TensorType


@lru_cache(maxsize=1024)
def empty_op(type: TensorType) -> Op:
    """The operator that allocates an uninitialised array.

    >>> from minigraph.core.types import float32
    >>> empty_op(TensorType((2, 3), float32)).forward().shape
    (2, 3)
    """

    def forward(*, out: np.ndarray | None = None) -> np.ndarray:
        return np.empty(type.shape, type.dtype.numpy) if out is None else out

    return Op("memory", forward, lambda: type, role="memory", into=True, doc="Memory that other steps write into.")


@lru_cache(maxsize=1024)
def zeros_op(type: TensorType) -> Op:
    """The operator that allocates an array of zeros.

    >>> from minigraph.core.types import float32
    >>> zeros_op(TensorType((2,), float32)).forward(out=np.ones(2, np.float32))
    array([0., 0.], dtype=float32)
    """

    def forward(*, out: np.ndarray | None = None) -> np.ndarray:
        if out is None:
            return np.zeros(type.shape, type.dtype.numpy)
        out.fill(0)
        return out

    return Op("zeros", forward, lambda: type, into=True, doc="Zeros that terms are added to.")


def _view(x: np.ndarray, *, key: Any) -> np.ndarray:
    view: np.ndarray = x[key]
    return view


VIEW = Op("view", _view, lambda x, *, key: x, view=True, doc="A view of memory, by a basic numpy key.")
