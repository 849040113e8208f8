"""Covariance, correlation and convolution."""

from __future__ import annotations

from minigraph import ops
from minigraph.core.aliases import ArrayLike, DTypeLike
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.core.types import float64, int64
from minigraph.numpy.conversion import as_float, as_tensor, cast_to
from minigraph.numpy.joining import concatenate

__all__ = ["convolve", "corrcoef", "correlate", "cov"]


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    dtype: DTypeLike = None,
) -> Tensor:
    """The covariance matrix of variables in rows (or columns, without ``rowvar``), and in ``y``.

    It is divided by the count minus ``ddof`` (default: 0 with ``bias``, else 1).
    """
    rows = _variables(m, rowvar)
    if y is not None:
        rows = concatenate((rows, _variables(y, rowvar)), 0)
    weights = [None if values is None else as_tensor(values) for values in (fweights, aweights)]
    correction = (0 if bias else 1) if ddof is None else ddof
    return cast_to(ops.cov(rows, correction=correction, fweights=weights[0], aweights=weights[1]), dtype)


def _variables(m: ArrayLike, rowvar: bool) -> Tensor:
    m = as_float(m)
    return ops.reshape(m, (1, -1)) if m.ndim < 2 else m if rowvar else m.T


def corrcoef(x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, dtype: DTypeLike = None) -> Tensor:
    """The correlation matrix of variables, from -1 to 1."""
    covariances = cov(x, y, rowvar)
    if not covariances.ndim:
        return cast_to(covariances / covariances, dtype)
    deviations = ops.sqrt(ops.diagonal(covariances))
    return cast_to(ops.clip(covariances / ops.outer(deviations, deviations), -1, 1), dtype)


def correlate(a: ArrayLike, v: ArrayLike, mode: str = "valid") -> Tensor:
    """The cross-correlation of two vectors: sums of products, one vector shifted along the other.

    ``mode`` is "valid" (full overlap), "same" (the length of the longer one) or "full" (any overlap). Integers become
    Float32, Int64 becomes Float64.

    >>> print(correlate([1, 2, 3], [0, 1, 0.5]), correlate([1, 2, 3], [0, 1, 0.5], mode="full"))
    [3.5] [0.5 2.  3.5 3.  0. ]
    """
    return _correlate(_as_fraction(as_tensor(a)), _as_fraction(as_tensor(v)), mode)


def _correlate(a: Tensor, v: Tensor, mode: str) -> Tensor:
    if a.ndim != 1 or v.ndim != 1:
        raise ShapeError(f"correlate expects vectors, got shapes {list(a.shape)} and {list(v.shape)}")
    if a.shape[0] < v.shape[0]:
        return ops.flip(_sliding_products(v, a, mode), (0,))
    return _sliding_products(a, v, mode)


def _as_fraction(x: Tensor) -> Tensor:
    """Integers as floats that hold them: Int64 as Float64, others as Float32."""
    return ops.cast(x, float64) if x.dtype is int64 else as_float(x)


def _sliding_products(long: Tensor, short: Tensor, mode: str) -> Tensor:
    size, overlap = long.shape[0], short.shape[0] - 1
    pads = {"valid": (0, 0), "same": ((overlap + 1) // 2, overlap // 2), "full": (overlap, overlap)}
    if mode not in pads:
        raise ArgValueError(f"mode must be 'valid', 'same' or 'full', got {mode!r}")
    count = size + sum(pads[mode]) - overlap
    padded = ops.pad(long, list(pads[mode]))
    windows = ops.stack([padded[start : start + overlap + 1] for start in range(count)])
    products = windows * short
    return as_tensor(ops.sum(products, 1), products.dtype)  # sums of integers have a wider dtype


def convolve(a: ArrayLike, v: ArrayLike, mode: str = "full") -> Tensor:
    """The convolution of two vectors: the correlation with one of them reversed."""
    a, v = as_tensor(a), as_tensor(v)
    long, short = (v, a) if a.shape[0] < v.shape[0] else (a, v)
    return _correlate(long, ops.flip(short, (0,)), mode)
