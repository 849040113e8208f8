"""Matrix products: those too small to be divided among threads on one, plain ones without a question.

``dot`` makes the same call of BLAS as ``np.matmul`` for two plain matrices, half a microsecond sooner.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.accel.host.blas import on_one_thread
from minigraph.core.machine import MAX_ONE_THREAD_MACS, MIN_THREADED_MACS
from minigraph.operators.linalg import MATMUL, readable

_dot_on_one, _matmul_on_one = on_one_thread(np.ndarray.dot), on_one_thread(MATMUL.forward)


def matmul(x: np.ndarray, y: np.ndarray, out: np.ndarray | None = None) -> Any:
    """The product, on one thread of BLAS where several would gain nothing."""
    return (_matmul_on_one if _is_for_one_thread(x, y) else MATMUL.forward)(x, y, out)


def multiplier(x: np.ndarray, y: np.ndarray) -> Any:
    """What multiplies operands that lie like these without a look at them; ``None`` where one is needed."""
    if _have_one_base(x, y) or x is not readable(x) or y is not readable(y):
        return None
    if not _is_plain_product(x, y):
        return None
    return _dot_on_one if _is_for_one_thread(x, y) else np.ndarray.dot


def _is_for_one_thread(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether BLAS would divide each product of two matrices among its threads, and gain nothing."""
    if min(x.ndim, y.ndim) < 2:
        return False
    return MIN_THREADED_MACS < x.shape[-2] * x.shape[-1] * y.shape[-1] <= MAX_ONE_THREAD_MACS


def _have_one_base(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two arrays may show the same memory."""
    return x is y or x.base is y or (y.base is not None and (y.base is x or y.base is x.base))


def _is_plain_product(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two arrays are contiguous matrices, neither of them one row or column, that BLAS multiplies."""
    are_matrices = x.ndim == 2 == y.ndim and x.dtype is y.dtype and x.dtype.char in "fd" and len(x) > 1 < y.shape[1]
    return are_matrices and x.flags.forc and y.flags.forc
