"""Norms of vectors and matrices, and distances."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import IntOrTuple, TensorLike
from minigraph.core.errors import ArgValueError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float16, float32
from minigraph.operators import elementwise, reduce, views
from minigraph.operators.families import normalize_axes, normalize_axis
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.linalg import svd
from minigraph.ops.functional.reduction import sum
from minigraph.ops.functional.shapes import moveaxis

FORMS = """
method: norm
function: cdist dist matrix_norm pdist vector_norm
"""
export(globals())


def vector_norm(
    x: Tensor, ord: float = 2, axis: int | Sequence[int] | None = None, keepdims: bool = False, *,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The norm over axes (``None``: all), of order 2, 1, inf, -inf, 0 (the number of non-zeros) or any other."""
    x = x if dtype is None else cast(x, dtype)
    magnitudes = apply(elementwise.ABS, x)
    if ord in (math.inf, -math.inf):
        return apply(reduce.MAX if ord > 0 else reduce.MIN, magnitudes, axis=axis, keepdims=keepdims)
    if ord == 0:
        return cast(apply(reduce.SUM, x != 0, axis=axis, keepdims=keepdims), x.dtype)
    if ord == 1:
        return apply(reduce.SUM, magnitudes, axis=axis, keepdims=keepdims)
    if ord == 2:
        return apply(elementwise.SQRT, apply(reduce.SUM, x * x, axis=axis, keepdims=keepdims))
    powers = apply(reduce.SUM, apply(elementwise.POW, magnitudes, float(ord)), axis=axis, keepdims=keepdims)
    return apply(elementwise.POW, powers, 1 / float(ord))


def matrix_norm(
    A: Tensor, ord: float | str = "fro", axis: tuple[int, int] = (-2, -1), keepdims: bool = False, *,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The norm of matrices in two axes: "fro", "nuc", 1, -1, inf, -inf, 2 or -2 (the last two from singular values)."""
    x = A if dtype is None else cast(A, dtype)
    rows, columns = normalize_axis("matrix_norm", axis[0], x.ndim), normalize_axis("matrix_norm", axis[1], x.ndim)
    if ord == "fro":
        return vector_norm(x, 2, (rows, columns), keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        summed, other = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = apply(reduce.SUM, apply(elementwise.ABS, x), axis=summed, keepdims=True)
        result = apply(reduce.MAX if ord > 0 else reduce.MIN, sums, axis=other, keepdims=True)
    elif ord in ("nuc", 2, -2):
        values = svd(moveaxis(x, (rows, columns), (-2, -1)), compute_uv=False)
        op = reduce.SUM if ord == "nuc" else reduce.MAX if ord == 2 else reduce.MIN
        result = apply(views.EXPAND_DIMS, apply(op, values, axis=-1, keepdims=True), axis=-1)
        result = moveaxis(result, (-2, -1), (rows, columns))
    else:
        orders = "'fro', 'nuc', 1, -1, 2, -2, inf or -inf"
        raise ArgValueError(f"For 'matrix_norm', the 'ord' must be {orders}, but got {ord}.")
    return result if keepdims else apply(views.SQUEEZE, result, axis=(rows, columns))


def norm(
    A: Tensor, ord: float | str | None = None, dim: IntOrTuple | None = None, keepdim: bool = False, *,
    dtype: DType | None = None,
) -> Tensor:  # fmt: skip
    """The norm of vectors (one axis; all axes if ``ord`` is ``None``) or of matrices (two axes).

    >>> from minigraph import Tensor
    >>> print(norm(Tensor([3.0, 4.0])))
    5.0
    """
    axes = None if dim is None else normalize_axes("norm", dim, A.ndim)
    if ord is None:
        return vector_norm(A, 2, axes, keepdim, dtype=dtype)
    if isinstance(ord, str) or (len(axes) if axes else A.ndim) == 2:
        pair = axes or (-2, -1)
        if len(pair) != 2:
            raise UsageError(f"norm: order {ord!r} is for matrices; pass two axes, not {dim}")
        return matrix_norm(A, ord, (pair[0], pair[1]), keepdim, dtype=dtype)
    return vector_norm(A, ord, axes, keepdim, dtype=dtype)


def cdist(x1: Tensor, x2: TensorLike, p: float = 2.0) -> Tensor:
    """The distance of every row of ``x1`` to every row of ``x2``, by the norm of order ``p``."""
    return _distances(apply(views.EXPAND_DIMS, x1, axis=-2) - apply(views.EXPAND_DIMS, x2, axis=-3), p)


def _distances(differences: Tensor, p: float) -> Tensor:
    """The norms of order ``p`` along the last axis; of float16 computed in float32, where squares do not overflow."""
    if differences.dtype is float16:
        return cast(_distances(cast(differences, float32), p), float16)
    if p == 2:  # sqrt has an infinite derivative at 0: the gradient is 0 there
        squares = sum(differences * differences, -1)
        zero = squares == 0
        return where(zero, 0.0, apply(elementwise.SQRT, where(zero, 1.0, squares)))
    return vector_norm(differences, p, -1)


def dist(input: Tensor, other: TensorLike, p: float = 2) -> Tensor:
    """The norm of the difference of two tensors."""
    return vector_norm(input - other, p)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The distances of all pairs of rows, the first with all later ones, then the second, by the norm of order ``p``.

    >>> print(pdist(Tensor([[0.0], [1.0], [3.0]])))
    [1. 3. 2.]
    """
    first, second = np.triu_indices(input.shape[-2], 1)
    differences = input[..., Tensor(first), :] - input[..., Tensor(second), :]
    return _distances(differences, p)
