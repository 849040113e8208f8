"""Linear algebra: products of vectors and matrices, powers and norms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from minigraph import ops
from minigraph.core.aliases import ArrayLike, DTypeLike, IntOrTuple
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.numpy.conversion import as_float, as_tensor, cast_to

__all__ = ["cross", "dot", "inner", "kron", "matmul", "matrix_power", "multi_dot", "norm", "outer", "tensordot"]


def matmul(x1: ArrayLike, x2: ArrayLike, dtype: DTypeLike = None) -> Tensor:
    """The matrix product, also of vectors and of batches of matrices."""
    return cast_to(ops.matmul(as_tensor(x1), as_tensor(x2)), dtype)


def dot(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The sum of products over the last axis of a and the last but one of b; elementwise with a number."""
    a, b = as_tensor(a), as_tensor(b)
    if not a.ndim or not b.ndim:
        return a * b
    return tensordot(a, b, ([a.ndim - 1], [max(b.ndim - 2, 0)]))


def inner(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The sum of products over the last axes; elementwise with a number."""
    a, b = as_tensor(a), as_tensor(b)
    return a * b if not a.ndim or not b.ndim else tensordot(a, b, ([a.ndim - 1], [b.ndim - 1]))


def outer(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The outer product of two flattened tensors.

    >>> print(outer([1, 2], [3, 4]))
    [[3 4]
     [6 8]]
    """
    return ops.outer(ops.ravel(as_tensor(a)), ops.ravel(as_tensor(b)))


def tensordot(a: ArrayLike, b: ArrayLike, axes: ArrayLike = 2) -> Tensor:
    """The tensor contraction over the last axes of a and the first of b, or over two lists of axes."""
    return ops.tensor_dot(as_tensor(a), as_tensor(b), axes)


def kron(a: ArrayLike, b: ArrayLike) -> Tensor:
    """The Kronecker product."""
    return ops.kron(as_tensor(a), as_tensor(b))


def multi_dot(arrays: Sequence[ArrayLike]) -> Tensor:
    """The matrix product of two or more operands; the first and the last may be vectors."""
    tensors = [as_tensor(array) for array in arrays]
    if len(tensors) < 2:
        raise ArgValueError(f"multi_dot needs at least two tensors, got {len(tensors)}")
    return reduce(ops.matmul, tensors)


def matrix_power(a: ArrayLike, n: int) -> Tensor:
    """Square matrices to the power n.

    >>> print(matrix_power([[1, 1], [0, 1]], 3))
    [[1 3]
     [0 1]]
    """
    a = as_tensor(a)
    if n < 0:
        raise ArgValueError(f"matrix_power: n must not be negative, got {n}; take the power of ops.inverse(a)")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"matrix_power: needs square matrices, got shape {list(a.shape)}")
    identity = ops.broadcast_to(ops.eye(a.shape[-1], dtype=a.dtype), a.shape)
    return reduce(ops.matmul, [a] * n) if n else identity


def norm(
    x: ArrayLike, ord: float | str | None = None, axis: IntOrTuple | None = None, keepdims: bool = False
) -> Tensor:
    """The norm of vectors along an axis, of matrices over two axes, or of all elements."""
    return ops.norm(as_float(x), ord, axis, keepdims)


def cross(
    a: ArrayLike, b: ArrayLike, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Tensor:
    """The cross product of vectors of 3 elements (or 2: the third is 0); a number for two vectors of 2.

    >>> print(cross([1, 0, 0], [0, 1, 0]))
    [0 0 1]
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = ops.moveaxis(as_tensor(a), axisa, -1), ops.moveaxis(as_tensor(b), axisb, -1)
    is_planar = a.shape[-1] == b.shape[-1] == 2
    (a0, a1, a2), (b0, b1, b2) = _components(a), _components(b)
    if is_planar:
        return a0 * b1 - a1 * b0
    return ops.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axisc)


def _components(vectors: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    if vectors.shape[-1] not in (2, 3):
        raise ShapeError(f"cross expects vectors of 2 or 3 elements, got shape {list(vectors.shape)}")
    first, second = vectors[..., 0], vectors[..., 1]
    return first, second, vectors[..., 2] if vectors.shape[-1] == 3 else ops.zeros_like(first)
