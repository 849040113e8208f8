"""Products of vectors, matrices and batches of matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from minigraph.core.aliases import IntOrTuple, TensorLike
from minigraph.core.errors import ShapeError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.operators import contraction, linalg, views
from minigraph.operators.families import check_tensors, normalize_axis
from minigraph.ops.functional.arguments import check_ranks
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.operator_functions import binary
from minigraph.ops.functional.reduction import sum
from minigraph.ops.functional.shapes import reshape, transpose

FORMS = """
method mint: addbmm addmm addmv baddbmm cross dot matmul mm outer
method: addr bmm ger:Ger inner
mint: einsum
function: batch_dot bidense dense:Dense kron mv tensor_dot tensordot vecdot
"""
export(globals())


# ---- products --------------------------------------------------------------------------------------


matmul = binary(linalg.MATMUL)


def bmm(input_x: Tensor, mat2: Tensor) -> Tensor:
    """Products of two batches of matrices, rank 3 each."""
    for operand in (input_x, mat2):
        if operand.ndim != 3:
            raise ShapeError(f"bmm: needs two tensors of rank 3, got {input_x.type} and {mat2.type}; use matmul")
    return apply(linalg.MATMUL, input_x, mat2)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    check_ranks("mm", (input, 2), (mat2, 2))
    return matmul(input, mat2)


def mv(mat: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    check_ranks("mv", (mat, 2), (vec, 1))
    return matmul(mat, vec)


def dot(input: Tensor, other: Tensor) -> Tensor:
    """The product over the last axis of ``input`` and the last but one of ``other``; a number for two vectors."""
    if other.ndim <= 2:
        return matmul(input, other)
    first, second = input.ndim - 1, other.ndim - 2
    return tensor_dot(input, other, ((first,), (second,)))


def inner(input: Tensor, other: Tensor) -> Tensor:
    """The product over the last axes of both."""
    if not input.ndim or not other.ndim:
        return input * other
    return tensor_dot(input, other, ((input.ndim - 1,), (other.ndim - 1,)))


def vecdot(x: Tensor, y: TensorLike, *, axis: int = -1) -> Tensor:
    """The dot product along an axis."""
    return sum(x * y, axis)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two flattened tensors."""
    return apply(views.RESHAPE, input, shape=(-1, 1)) * apply(views.RESHAPE, vec2, shape=(1, -1))


def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """The outer product of two vectors."""
    check_ranks("ger", (input, 1), (vec2, 1))
    return outer(input, vec2)


def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product."""
    check_tensors("kron", input, other)
    rank = max(input.ndim, other.ndim)
    first, second = ((1,) * (rank - x.ndim) + tuple(x.shape) for x in (input, other))
    left = reshape(input, tuple(n for size in first for n in (size, 1)))
    right = reshape(other, tuple(n for size in second for n in (1, size)))
    return reshape(left * right, tuple(m * n for m, n in zip(first, second, strict=True)))


def cross(input: Tensor, other: TensorLike, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three elements along an axis (``None``: the first of size 3)."""
    threes = [i for i, size in enumerate(input.shape) if size == 3]
    if dim is None and not threes:
        raise ShapeError(f"cross: no axis of {input.type} has size 3")
    axis = threes[0] if dim is None else normalize_axis("cross", dim, input.ndim)
    if input.shape[axis] != 3:
        raise ShapeError(f"cross: axis {axis} of {input.type} has size {input.shape[axis]}, not 3")
    a, b = (apply("split", x, sizes=1, axis=axis) for x in (input, other))
    parts = [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]
    return apply("concat", *parts, axis=axis)


def dense(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias, weight [out, in]."""
    product = apply(linalg.MATMUL, input, weight.swapaxes(-1, -2))
    return product if bias is None else product + bias


# ---- products added to a tensor --------------------------------------------------------------------


def _weighted_sum(input: Tensor, product: Tensor, beta: float, alpha: float) -> Tensor:
    scaled = product if alpha == 1 else product * alpha
    return scaled + (input if beta == 1 else input * beta)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha mat1 @ mat2, for matrices."""
    return _weighted_sum(input, mm(mat1, mat2), beta, alpha)


def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha mat @ vec."""
    return _weighted_sum(input, mv(mat, vec), beta, alpha)


def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha times the sum of the products of two batches of matrices."""
    return _weighted_sum(input, sum(bmm(batch1, batch2), 0), beta, alpha)


def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta input + alpha batch1 @ batch2, for two batches of matrices."""
    return _weighted_sum(input, bmm(batch1, batch2), beta, alpha)


def addr(x: Tensor, vec1: Tensor, vec2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta x + alpha times the products of all elements of two vectors."""
    return _weighted_sum(x, ger(vec1, vec2), beta, alpha)


# ---- contractions ----------------------------------------------------------------------------------


def batch_dot(x1: Tensor, x2: Tensor, axes: IntOrTuple | None = None) -> Tensor:
    """The product over one axis of each, per batch element; by default the last of ``x1``, last but one of ``x2``."""
    check_tensors("batch_dot", x1, x2)
    default = (x1.ndim - 1, max(x2.ndim - 2, 1))
    pair = default if axes is None else (axes, axes) if isinstance(axes, int) else axes
    first, second = normalize_axis("batch_dot", pair[0], x1.ndim), normalize_axis("batch_dot", pair[1], x2.ndim)
    left, right = (_free_axes(x, axis) for x, axis in ((x1, first), (x2, second)))
    rows = reshape(transpose(x1, [0, *left, first]), (x1.shape[0], -1, x1.shape[first]))
    columns = reshape(transpose(x2, [0, second, *right]), (x2.shape[0], x2.shape[second], -1))
    shape = (x1.shape[0], *(x1.shape[i] for i in left), *(x2.shape[i] for i in right))
    return reshape(matmul(rows, columns), shape if len(shape) > 1 else (*shape, 1))


def _free_axes(x: Tensor, axis: int) -> list[int]:
    """All axes but the first and the contracted one."""
    return [i for i in range(1, x.ndim) if i != axis]


def tensor_dot(x1: Tensor, x2: Tensor, axes: Any) -> Tensor:
    """A tensor contraction: over the last ``axes`` of ``x1`` and the first of ``x2``, or over two lists of axes.

    >>> from minigraph import Tensor
    >>> tensor_dot(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]), 1)
    Tensor(shape=[1, 1], dtype=Float32, value=
    [[ 1.10000000e+01]])
    """
    if isinstance(axes, int):
        axes = (range(x1.ndim - axes, x1.ndim), range(axes))
    first, second = ([axes[i]] if isinstance(axes[i], int) else axes[i] for i in (0, 1))
    left_axes = [normalize_axis("tensor_dot", axis, x1.ndim) for axis in first]
    right_axes = [normalize_axis("tensor_dot", axis, x2.ndim) for axis in second]
    sizes = [x1.shape[i] for i in left_axes], [x2.shape[i] for i in right_axes]
    if sizes[0] != sizes[1]:
        raise ShapeError(f"tensor_dot: axes of sizes {sizes[0]} and {sizes[1]} in {x1.type} and {x2.type} do not match")
    rows = [i for i in range(x1.ndim) if i not in left_axes]
    columns = [i for i in range(x2.ndim) if i not in right_axes]
    count = math.prod(sizes[0])
    height, width = [x1.shape[i] for i in rows], [x2.shape[i] for i in columns]
    left = reshape(transpose(x1, rows + left_axes), (math.prod(height), count))
    right = reshape(transpose(x2, right_axes + columns), (count, math.prod(width)))
    return reshape(matmul(left, right), (*height, *width))


tensordot = tensor_dot


def einsum(equation: str, *operands: Tensor | Sequence[Tensor]) -> Tensor:
    """Einstein summation: the sum of products over the axes that the result of the equation does not name.

    >>> from minigraph import Tensor
    >>> print(einsum("ij,j->i", Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0])))
    [21. 43.]
    """
    tensors = operands[0] if len(operands) == 1 and isinstance(operands[0], tuple | list) else operands
    return apply(contraction.EINSUM, *tensors, equation=equation)


def bidense(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1ᵀ W[k] x2 + b[k] for every k: rows [..., A] and [..., B] with weights [K, A, B] to [..., K]; of integers Int64.

    >>> from minigraph.ops import ones
    >>> print(bidense(Tensor([[1.0, 2.0]]), Tensor([[3.0]]), ones((1, 2, 1))))
    [[9.]]
    """
    if weight.ndim != 3 or input1.shape[:-1] != input2.shape[:-1]:
        types = f"{input1.type}, {input2.type} and weights {weight.type}"
        raise ShapeError(f"bidense: needs rows [..., A] and [..., B] and weights [K, A, B], got {types}")
    rows = (reshape(tensor, (-1, tensor.shape[-1])) for tensor in (input1, input2))
    out = reshape(einsum("na,kab,nb->nk", next(rows), weight, next(rows)), (*input1.shape[:-1], weight.shape[0]))
    out = out if bias is None else out + bias
    return out if out.dtype.kind in "fc" else cast(out, int64)
