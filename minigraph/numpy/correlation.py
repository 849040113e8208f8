"""Covariance, correlation and convolution."""

from __future__ import annotations

from typing import Any

from minigraph import ops
from minigraph.core.errors import ShapeError, ValueArgument
from minigraph.numpy.conversion import as_float, as_tensor, cast_to
from minigraph.numpy.joining import concatenate

__all__ = ["convolve", "corrcoef", "correlate", "cov"]


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: Any = None,
) -> Any:
    """The covariances of variables in rows (or columns, without ``rowvar``), those of ``y`` below.

    Divided by the count less ``ddof``: 0 with ``bias``, otherwise 1.
    """
    rows = _variables(m, rowvar)
    if y is not None:
        rows = concatenate((rows, _variables(y, rowvar)), 0)
    weights = [None if one is None else as_tensor(one) for one in (fweights, aweights)]
    correction = (0 if bias else 1) if ddof is None else ddof
    return cast_to(ops.cov(rows, correction=correction, fweights=weights[0], aweights=weights[1]), dtype)


def _variables(m: Any, rowvar: bool) -> Any:
    m = as_float(m)
    return ops.reshape(m, (1, -1)) if m.ndim < 2 else m if rowvar else m.T


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The correlations of variables, from -1 to 1."""
    found = cov(x, y, rowvar)
    if not found.ndim:
        return cast_to(found / found, dtype)
    spread = ops.sqrt(ops.diagonal(found))
    return cast_to(ops.clip(found / ops.outer(spread, spread), -1, 1), dtype)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The sums of products of two vectors, one moved along the other.

    ``mode`` is "valid" (full overlap), "same" (as many as the longer has) or "full" (any overlap).

    >>> print(correlate([1, 2, 3], [0, 1, 0.5]), correlate([1, 2, 3], [0, 1, 0.5], mode="full"))
    [3.5] [0.5 2.  3.5 3.  0. ]
    """
    a, v = as_tensor(a), as_tensor(v)
    if a.ndim != 1 or v.ndim != 1:
        raise ShapeError(f"correlate takes vectors, got shapes {list(a.shape)} and {list(v.shape)}")
    if a.shape[0] < v.shape[0]:
        return ops.flip(_moved_along(v, a, mode), (0,))
    return _moved_along(a, v, mode)


def _moved_along(long: Any, short: Any, mode: str) -> Any:
    size, more = long.shape[0], short.shape[0] - 1
    borders = {"valid": (0, 0), "same": ((more + 1) // 2, more // 2), "full": (more, more)}
    if mode not in borders:
        raise ValueArgument(f"mode must be 'valid', 'same' or 'full', got {mode!r}")
    count = size + sum(borders[mode]) - more
    padded = ops.pad(long, list(borders[mode]))
    windows = ops.stack([padded[start : start + more + 1] for start in range(count)])
    products = windows * short
    return as_tensor(ops.sum(products, 1), products.dtype)  # sums of whole numbers come in a wider dtype


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """The sums of products of two vectors, one turned round and moved along the other."""
    a, v = as_tensor(a), as_tensor(v)
    long, short = (v, a) if a.shape[0] < v.shape[0] else (a, v)
    return correlate(long, ops.flip(short, (0,)), mode)
