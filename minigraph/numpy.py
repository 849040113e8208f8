"""``ms.numpy``: tensors made under numpy's names. Everything else is in ``ops`` and on ``Tensor`` itself.

Whole numbers are Int32 here, where ``Tensor`` and ``ops`` make them Int64: MindSpore does, too.

>>> from minigraph import numpy as mnp
>>> mnp.randn(32, 10).shape
(32, 10)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph import ops
from minigraph.missing import in_numpy as __getattr__  # noqa: F401 - Python calls it
from minigraph.tensor import Tensor
from minigraph.types import DType, float32, int32, int64


def array(obj: Any, dtype: DType | None = None) -> Tensor:
    """A Tensor of the data, copied; gradients pass through to a tensor.

    >>> array([1, 2])
    Tensor(shape=[2], dtype=Int32, value= [1, 2])
    """
    if isinstance(obj, Tensor):
        return ops.cast(obj, dtype or obj.dtype)
    made = Tensor(obj, dtype)
    return Tensor(made, int32) if _whole(made, dtype) and not isinstance(obj, np.ndarray | np.generic) else made


def _whole(made: Tensor, dtype: DType | None) -> bool:
    """Whether a tensor holds integers of no wanted dtype."""
    return dtype is None and made.dtype is int64


def zeros(shape: Any, dtype: DType = float32) -> Any:
    """0 everywhere."""
    return ops.zeros(shape, dtype)


def ones(shape: Any, dtype: DType = float32) -> Any:
    """1 everywhere."""
    return ops.ones(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: DType | None = None) -> Any:
    """One number everywhere, in its own dtype unless one is given."""
    return ops.full(shape, fill_value, dtype=dtype or array(fill_value).dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: DType = float32) -> Any:
    """Ones on the k-th diagonal (above the main one for k > 0) of N rows and M columns (``None``: N), else zeros.

    >>> print(eye(2, 3, 1))
    [[0. 1. 0.]
     [0. 0. 1.]]
    """
    rows, columns = ops.arange(N), ops.arange(N if M is None else M)
    return ops.cast(columns == ops.expand_dims(rows, 1) + k, dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: DType | None = None) -> Any:
    """Numbers from ``start`` (0 when it is the only argument) by ``step`` up to, without, ``stop``.

    >>> print(arange(3), arange(1.0, 2.0, 0.5))
    [0 1 2] [1.  1.5]
    """
    start, stop = (0, start) if stop is None else (start, stop)
    whole = all(isinstance(number, int) for number in (start, stop, step))
    return ops.arange(start, stop, step, dtype=dtype or (int32 if whole else float32))


def rand(*shape: Any, dtype: DType = float32) -> Tensor:
    """Draws from [0, 1), evenly distributed; sizes one by one or as a tuple. New ones at each call."""
    return ops.rand(*shape, dtype=dtype)


def randn(*shape: Any, dtype: DType = float32) -> Tensor:
    """Draws from the normal distribution N(0, 1); sizes one by one or as a tuple. New ones at each call."""
    return ops.randn(*shape, dtype=dtype)


def randint(minval: int, maxval: int | None = None, shape: Any = (1,), dtype: DType = int32) -> Tensor:
    """Whole draws from [minval, maxval), or from [0, minval) when that is the only bound."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return ops.randint(low, high, shape, dtype)
