"""Matrix products with fewer questions: ``dot`` for two plain matrices, one product for a stack times a matrix.

Those too small to be divided among threads are made on one (``minigraph.accel.host.blas``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.accel.host.blas import on_one_thread
from minigraph.core.machine import MAX_ONE_THREAD_MACS, MIN_THREADED_MACS
from minigraph.operators.linalg import MATMUL, readable

_dot_on_one, _matmul_on_one = on_one_thread(np.ndarray.dot), on_one_thread(MATMUL.forward)


def matmul(x: np.ndarray, y: np.ndarray, out: np.ndarray | None = None) -> Any:
    """The product of two plain matrices by ``dot``; of a stack of matrices times one, as one product of all rows.

    ``dot`` makes the same call of BLAS as ``np.matmul``, half a microsecond sooner; it would copy operands that are
    not contiguous. One product of all rows takes a tenth less time than one for each matrix, and may sum in another
    order (``minigraph.accel.near``).
    """
    if _is_plain_product(x, y) and not _have_one_base(x, y) and (out is None or out.flags.c_contiguous):
        divided = MIN_THREADED_MACS < x.size * y.shape[1] <= MAX_ONE_THREAD_MACS
        return _dot_on_one(x, y, out) if divided else x.dot(y, out)
    if x.ndim > 2 == y.ndim and x.dtype.char in "fd" and x.size and len(rows := x.reshape(-1, x.shape[-1])) > 1:
        product = matmul(rows, y, None if out is None else out.reshape(len(rows), -1))
        return product.reshape(*x.shape[:-1], -1) if out is None else _in_out(out, product)
    return (_matmul_on_one if _is_for_one_thread(x, y) else MATMUL.forward)(x, y, out)


def _in_out(out: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """``out`` with all of its rows, which are elsewhere if its matrices have gaps between them."""
    if not np.may_share_memory(out, rows):
        out[...] = rows.reshape(out.shape)
    return out


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
