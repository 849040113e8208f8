"""Parameters without memory: shape and dtype only, for networks that are captured and simulated but never run."""

from __future__ import annotations

from contextvars import ContextVar

import numpy as np

from minigraph.core.scope_guard import VariableBlock
from minigraph.core.types import DType, Shape

_is_active: ContextVar[bool] = ContextVar("abstract_parameters", default=False)


def abstract_parameters() -> VariableBlock:
    """In this context, initialised Parameters have a shape and a dtype, but take no memory: they read as zeros.

    A network of any size is built at once, to be captured and simulated. Its Parameters cannot be written to.

    >>> import minigraph as ms
    >>> with ms.abstract_parameters():
    ...     net = ms.nn.Dense(1 << 16, 1 << 16, has_bias=False, dtype=ms.float16)  # 8 GiB
    >>> net.weight.shape, len(ms.simulate(net, ms.ops.zeros((1, 1 << 16), ms.float16)).rows)
    ((65536, 65536), 1)
    """
    return VariableBlock(_is_active, True)


def is_abstract() -> bool:
    """Whether Parameters are created without memory now."""
    return _is_active.get()


def abstract_array(shape: Shape, dtype: DType) -> np.ndarray:
    """A read-only array of this shape whose elements are one zero."""
    return np.broadcast_to(np.zeros((), dtype.numpy), shape)


def as_abstract(array: np.ndarray, dtype: DType | None) -> np.ndarray | None:
    """An array that keeps one element, cast without copies; ``None`` outside of ``abstract_parameters``."""
    if not is_abstract():
        return None
    return array if dtype is None else abstract_array(array.shape, dtype)
