"""Products of vectors and matrices, under numpy's names."""

from __future__ import annotations

from functools import reduce
from typing import Any

from minigraph import ops
from minigraph.core.errors import ShapeError, ValueArgument
from minigraph.numpy.given import as_kind, floating, given
from minigraph.numpy.joining import concatenate

__all__ = [
    "convolve", "corrcoef", "correlate", "cov", "cross", "dot", "inner", "kron", "matmul", "matrix_power", "multi_dot",
    "norm", "outer", "tensordot",
]  # fmt: skip


def matmul(x1: Any, x2: Any, dtype: Any = None) -> Any:
    """The matrix product, of vectors and of stacks of matrices, too."""
    return as_kind(ops.matmul(given(x1), given(x2)), dtype)


def dot(a: Any, b: Any) -> Any:
    """The sum of products over the last axis of a and the last but one of b; a plain product with a number."""
    a, b = given(a), given(b)
    if not a.ndim or not b.ndim:
        return a * b
    return tensordot(a, b, ([a.ndim - 1], [max(b.ndim - 2, 0)]))


def inner(a: Any, b: Any) -> Any:
    """The sum of products over the last axes; a plain product with a number."""
    a, b = given(a), given(b)
    return a * b if not a.ndim or not b.ndim else tensordot(a, b, ([a.ndim - 1], [b.ndim - 1]))


def outer(a: Any, b: Any) -> Any:
    """Every element of a times every element of b.

    >>> print(outer([1, 2], [3, 4]))
    [[3 4]
     [6 8]]
    """
    return ops.outer(ops.ravel(given(a)), ops.ravel(given(b)))


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The sum of products over axes: the last of a and the first of b, or the two lists of axes."""
    return ops.tensor_dot(given(a), given(b), axes)


def kron(a: Any, b: Any) -> Any:
    """Every element of a times the whole of b, in place."""
    return ops.kron(given(a), given(b))


def multi_dot(arrays: Any) -> Any:
    """The matrix product of two or more; the first and the last may be vectors."""
    tensors = [given(one) for one in arrays]
    if len(tensors) < 2:
        raise ValueArgument(f"multi_dot needs two tensors or more, got {len(tensors)}")
    return reduce(ops.matmul, tensors)


def matrix_power(a: Any, n: int) -> Any:
    """A square matrix times itself, n times in all.

    >>> print(matrix_power([[1, 1], [0, 1]], 3))
    [[1 3]
     [0 1]]
    """
    a = given(a)
    if n < 0:
        raise ValueArgument(f"matrix_power: n must not be negative, got {n}; take the power of ops.inverse(a)")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"matrix_power: needs square matrices, got shape {list(a.shape)}")
    one = ops.broadcast_to(ops.eye(a.shape[-1], dtype=a.dtype), a.shape)
    return reduce(ops.matmul, [a] * n) if n else one


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """A norm of vectors along an axis, of matrices over two axes, or of all elements."""
    return ops.norm(floating(x), ord, axis, keepdims)


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """The cross product of vectors of 3 (or 2, whose third is 0); of two vectors of 2 its third number.

    >>> print(cross([1, 0, 0], [0, 1, 0]))
    [0 0 1]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = ops.moveaxis(given(a), axisa, -1), ops.moveaxis(given(b), axisb, -1)
    flat = a.shape[-1] == b.shape[-1] == 2
    (a0, a1, a2), (b0, b1, b2) = _in_space(a), _in_space(b)
    if flat:
        return a0 * b1 - a1 * b0
    return ops.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axisc)


def _in_space(vectors: Any) -> tuple[Any, Any, Any]:
    if vectors.shape[-1] not in (2, 3):
        raise ShapeError(f"cross takes vectors of 2 or 3, got shape {list(vectors.shape)}")
    first, second = vectors[..., 0], vectors[..., 1]
    return first, second, vectors[..., 2] if vectors.shape[-1] == 3 else ops.zeros_like(first)


# ---- together varying ------------------------------------------------------------------------------


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
    weights = [None if one is None else given(one) for one in (fweights, aweights)]
    correction = (0 if bias else 1) if ddof is None else ddof
    return as_kind(ops.cov(rows, correction=correction, fweights=weights[0], aweights=weights[1]), dtype)


def _variables(m: Any, rowvar: bool) -> Any:
    m = floating(m)
    return ops.reshape(m, (1, -1)) if m.ndim < 2 else m if rowvar else m.T


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """The correlations of variables, from -1 to 1."""
    found = cov(x, y, rowvar)
    if not found.ndim:
        return as_kind(found / found, dtype)
    spread = ops.sqrt(ops.diagonal(found))
    return as_kind(ops.clip(found / ops.outer(spread, spread), -1, 1), dtype)


def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """The sums of products of two vectors, one moved along the other.

    ``mode`` is "valid" (full overlap), "same" (as many as the longer has) or "full" (any overlap).

    >>> print(correlate([1, 2, 3], [0, 1, 0.5]), correlate([1, 2, 3], [0, 1, 0.5], mode="full"))
    [3.5] [0.5 2.  3.5 3.  0. ]
    """
    a, v = given(a), given(v)
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
    return given(ops.sum(products, 1), products.dtype)  # sums of whole numbers come in a wider dtype


def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """The sums of products of two vectors, one turned round and moved along the other."""
    a, v = given(a), given(v)
    long, short = (v, a) if a.shape[0] < v.shape[0] else (a, v)
    return correlate(long, ops.flip(short, (0,)), mode)
