"""``ms.numpy``: tensors made under numpy's names. Everything else is in ``ops`` and on ``Tensor`` itself.

>>> from minigraph import numpy as mnp
>>> mnp.randn(32, 10).shape
(32, 10)
"""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.missing import in_numpy as __getattr__  # noqa: F401 - Python calls it
from minigraph.tensor import Tensor
from minigraph.types import DType, float32, int32


def array(obj: Any, dtype: DType | None = None) -> Tensor:
    """A Tensor of the data, copied.

    >>> print(array([1.0, 2.0]))
    [1. 2.]
    """
    return Tensor(obj, dtype)


def zeros(shape: Any, dtype: DType = float32) -> Any:
    """0 everywhere."""
    return ops.zeros(shape, dtype)


def ones(shape: Any, dtype: DType = float32) -> Any:
    """1 everywhere."""
    return ops.ones(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: DType | None = None) -> Any:
    """One number everywhere, in its own dtype unless one is given."""
    return ops.full(shape, fill_value, dtype=dtype)


def eye(N: int, M: int | None = None, dtype: DType = float32) -> Any:
    """Ones on the diagonal of N rows and M columns (``None``: N), zeros elsewhere."""
    return ops.eye(N, M, dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: DType | None = None) -> Any:
    """Numbers from ``start`` (0 when it is the only argument) by ``step`` up to, without, ``stop``.

    >>> print(arange(3), arange(1.0, 2.0, 0.5))
    [0 1 2] [1.  1.5]
    """
    start, stop = (0, start) if stop is None else (start, stop)
    return ops.arange(start, stop, step, dtype=dtype)


def rand(*shape: Any, dtype: DType = float32) -> Tensor:
    """Draws from [0, 1), evenly distributed; sizes one by one or as a tuple. New ones at each call."""
    return ops.rand(*shape, dtype=dtype)


def randn(*shape: Any, dtype: DType = float32) -> Tensor:
    """Draws from the normal distribution N(0, 1); sizes one by one or as a tuple. New ones at each call."""
    return ops.randn(*shape, dtype=dtype)


def randint(minval: int, maxval: int | None = None, shape: Any = (), dtype: DType = int32) -> Tensor:
    """Whole draws from [minval, maxval), or from [0, minval) when that is the only bound."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return ops.randint(low, high, shape, dtype)
