"""Polynomials, highest power first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph import ops
from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import ArgValueError
from minigraph.core.tensor import Tensor
from minigraph.numpy.conversion import as_float, as_single_float, as_tensor
from minigraph.numpy.correlation import convolve
from minigraph.numpy.joining import concatenate

__all__ = ["polyadd", "polyder", "polyint", "polymul", "polysub", "polyval"]


def polyval(p: ArrayLike, x: ArrayLike) -> Tensor:
    """The values of a polynomial, at least Float32, by Horner's method.

    >>> print(polyval([3.0, 0.0, 1.0], 5.0))
    76.0
    """
    p, x = as_single_float(p), as_single_float(x)
    values = ops.zeros_like(x)
    for i in range(p.shape[0]):
        values = values * x + p[i]
    return values


def _pad_to_common_degree(a1: ArrayLike, a2: ArrayLike) -> tuple[Tensor, Tensor]:
    a1, a2 = ops.ravel(as_tensor(a1)), ops.ravel(as_tensor(a2))
    size = max(a1.shape[0], a2.shape[0])
    return ops.pad(a1, [size - a1.shape[0], 0]), ops.pad(a2, [size - a2.shape[0], 0])


def polyadd(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The sum of two polynomials."""
    first, second = _pad_to_common_degree(a1, a2)
    return first + second


def polysub(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The difference of two polynomials."""
    first, second = _pad_to_common_degree(a1, a2)
    return first - second


def polymul(a1: ArrayLike, a2: ArrayLike) -> Tensor:
    """The product of two polynomials."""
    return convolve(a1, a2)


def polyder(p: ArrayLike, m: int = 1) -> Tensor:
    """The m-th derivative of a polynomial.

    >>> print(polyder([1, 2, 3]))
    [2 2]
    """
    p = as_tensor(p)
    for _ in range(m):
        powers = Tensor(np.arange(p.shape[0] - 1, 0, -1, dtype=np.int32))
        p = p[:-1] * powers
    return p


def polyint(p: ArrayLike, m: int = 1, k: int | Sequence[int] | None = None) -> Tensor:
    """The m-th integral of a polynomial, with integration constants ``k`` (default 0).

    >>> print(polyint([2, 2], k=5))
    [1. 2. 5.]
    """
    p = as_float(p)
    constants = [0] * m if k is None else [k] * m if isinstance(k, int | float) else list(k)
    if len(constants) != m:
        raise ArgValueError(f"polyint: expected {m} constants, got {len(constants)}")
    for constant in constants:
        powers = Tensor(np.arange(p.shape[0], 0, -1), p.dtype)
        p = concatenate([p / powers, as_tensor([constant], p.dtype)])
    return p
