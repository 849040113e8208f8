"""Linear algebra: determinants, inverses, decompositions and linear systems."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, float16
from minigraph.operators import compare, elementwise, matrix, views
from minigraph.operators.pyfunc import Given, call_python
from minigraph.ops.functional.arguments import check_ranks
from minigraph.ops.functional.creation import eye
from minigraph.ops.functional.diagonals import diag_embed, diagonal, tril, triu
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import log
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.matrix_products import matmul
from minigraph.ops.functional.reduction import sum
from minigraph.ops.functional.shapes import broadcast_to

__all__ = [
    "cholesky", "cholesky_inverse", "cholesky_solve", "det", "inv", "inverse", "log_matrix_determinant", "logdet",
    "lstsq", "matrix_determinant", "matrix_exp", "matrix_inverse", "matrix_power", "matrix_solve", "pinv", "qr",
    "slogdet", "svd", "trace",
]  # fmt: skip


# ---- determinants, inverses and powers -------------------------------------------------------------


def trace(input: Any) -> Any:
    """The sum of the diagonal of a matrix, in its dtype."""
    check_ranks("trace", (input, 2))
    return cast(sum(diagonal(input)), input.dtype)


def det(input: Any) -> Any:
    """The determinant of square matrices."""
    return apply(matrix.DET, input)


def matrix_determinant(input: Any) -> Any:
    """The determinants of square matrices."""
    return det(input)


def slogdet(input: Any) -> tuple[Any, Any]:
    """(the sign, the logarithm of the size) of the determinant."""
    found = det(input)
    return apply(elementwise.SIGN, found), apply(elementwise.LOG, apply(elementwise.ABS, found))


def log_matrix_determinant(input: Any) -> tuple[Any, Any]:
    """(the sign, the logarithm of the size) of determinants."""
    return slogdet(input)


def logdet(input: Any) -> Any:
    """The logarithm of determinants; NaN for those below 0."""
    return log(det(input))


def inverse(input: Any) -> Any:
    """The inverse of square matrices; raises ``ValueError`` for a singular one."""
    return apply(matrix.INVERSE, input)


matrix_inverse = inverse


def inv(x: Any) -> Any:
    """1 / x, element by element; of matrices ``inverse``."""
    return apply(elementwise.RECIPROCAL, x)


def matrix_power(input: Any, n: int) -> Any:
    """A square matrix times itself ``n`` times; of the inverse for a negative number.

    >>> from minigraph import Tensor
    >>> print(matrix_power(Tensor([[2.0, 0.0], [0.0, 3.0]]), 2))
    [[4. 0.]
     [0. 9.]]
    """
    base = inverse(input) if n < 0 else input
    found, rest = None, abs(n)
    while rest:
        if rest & 1:
            found = base if found is None else matmul(found, base)
        rest >>= 1
        base = matmul(base, base) if rest else base
    if found is not None:
        return found
    return apply(views.BROADCAST_TO, eye(input.shape[-1], dtype=input.dtype), shape=input.shape)


def matrix_exp(input: Any) -> Any:
    """The exponential of square matrices: the sum of input**n / n!, by scaling and squaring.

    >>> print(matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])))
    [[1. 1.]
     [0. 1.]]
    """
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ShapeError(f"matrix_exp: needs square matrices, got shape {list(input.shape)}")
    small = input / 2**10
    term = broadcast_to(eye(input.shape[-1], dtype=input.dtype), input.shape)
    found = term
    for n in range(1, 9):
        term = matmul(term, small) / n
        found = found + term
    for _ in range(10):
        found = matmul(found, found)
    return found


# ---- decompositions --------------------------------------------------------------------------------


def cholesky(input_x: Any, upper: bool = False) -> Any:
    """The lower (or ``upper``) triangular factor of positive definite matrices."""
    found = apply(matrix.CHOLESKY, input_x)
    return found.mT if upper else found


Shapes = Callable[[tuple[int, ...], int, int], Sequence[tuple[int, ...]]]


def _factor(name: str, x: Any, function: Callable[..., Any], shapes: Shapes, bprop: Callable[..., Any]) -> Any:
    """What numpy makes of matrices, as a node; ``shapes(batch, rows, columns)`` are those of the results."""
    if not isinstance(x, Tensor):
        raise UsageError(f"{name}: a tensor is wanted, got {type(x).__name__}")

    def infer(given: Sequence[Given]) -> tuple[TensorType, ...]:
        *batch, rows, columns = given[0].shape
        return tuple(TensorType(tuple(shape), given[0].dtype) for shape in shapes(tuple(batch), rows, columns))

    if x.ndim < 2:
        raise ShapeError(f"{name}: a matrix is wanted, got shape {list(x.shape)}")
    return call_python(name, _in_float32(function) if x.dtype is float16 else function, (x,), infer=infer, bprop=bprop)


def _in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of float16 matrices that numpy, which has none for them, does in float32."""

    def of_float16(a: np.ndarray) -> Any:
        found = function(a.astype(np.float32))
        return tuple(one.astype(np.float16) for one in found) if isinstance(found, tuple) else found.astype(np.float16)

    return of_float16


def svd(input: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """(singular values, left vectors, right vectors) of matrices, or the values alone.

    >>> print(svd(Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False))
    [3. 2.]
    """
    if not compute_uv:
        return _factor("svd", input, _values, lambda batch, m, n: [(*batch, min(m, n))], _wrt_values)

    def shapes(batch: tuple[int, ...], m: int, n: int) -> list[tuple[int, ...]]:
        k = min(m, n)
        return [(*batch, k), (*batch, m, m if full_matrices else k), (*batch, n, n if full_matrices else k)]

    found: tuple[Any, ...] = _factor("svd", input, lambda a: _vectors(a, full_matrices), shapes, _wrt_vectors)
    return found


def _values(a: np.ndarray) -> np.ndarray:
    return np.linalg.svd(a, compute_uv=False)


def _vectors(a: np.ndarray, whole: bool) -> tuple[np.ndarray, ...]:
    left, values, right = np.linalg.svd(a, whole)
    return values, left, np.swapaxes(right, -1, -2)


def _wrt_values(x: Any, out: Any, dout: Any) -> Any:
    _, left, right = svd(x)
    return left * apply(views.EXPAND_DIMS, dout, axis=-2) @ right.mT


def _wrt_vectors(x: Any, out: Any, dout: Any) -> Any:
    (values, left, right), (of_values, of_left, of_right) = out, dout
    if left.shape[-1] != values.shape[-1] or right.shape[-1] != values.shape[-1]:
        raise UsageError("svd: full_matrices=True has no gradient, for the vectors beyond the values are any; leave it")
    rows = apply(views.EXPAND_DIMS, values, axis=-2)
    apart = rows * rows - rows.mT * rows.mT
    apart = where(apply(compare.EQUAL, apart, 0), 1.0, apart)
    turned_left, turned_right = left.mT @ of_left, right.mT @ of_right
    inside = (turned_left - turned_left.mT) / apart * rows + rows.mT * ((turned_right - turned_right.mT) / apart)
    found = left @ (inside + diag_embed(of_values)) @ right.mT
    outside_left = (of_left - left @ turned_left) / rows @ right.mT
    outside_right = left / rows @ (of_right - right @ turned_right).mT
    return found + outside_left + outside_right


def qr(input: Any, mode: str = "reduced") -> tuple[Any, Any]:
    """(orthonormal columns, upper triangle) whose product a matrix is; "reduced" or "complete"."""
    if mode not in ("reduced", "complete"):
        raise UsageError(f"qr: mode is 'reduced' or 'complete', got {mode!r}")

    def shapes(batch: tuple[int, ...], m: int, n: int) -> list[tuple[int, ...]]:
        k = m if mode == "complete" else min(m, n)
        return [(*batch, m, k), (*batch, k, n)]

    factors: Callable[..., Any] = partial(np.linalg.qr, mode=mode)
    found: tuple[Any, Any] = _factor("qr", input, lambda a: tuple(factors(a)), shapes, _wrt_qr)
    return found


def _wrt_qr(x: Any, out: Any, dout: Any) -> Any:
    (columns, triangle), (of_columns, of_triangle) = out, dout
    if triangle.shape[-1] != triangle.shape[-2]:
        text = f"qr: a gradient needs as many rows as columns or more, and mode 'reduced'; got shape {list(x.shape)}"
        raise UsageError(text)
    apart = triangle @ of_triangle.mT - of_columns.mT @ columns
    lower = tril(apart, -1)
    both = lower + lower.mT + apart * eye(apart.shape[-1], dtype=apart.dtype)
    return (of_columns + columns @ both) @ inverse(triangle).mT


def pinv(x: Any, *, atol: Any = None, rtol: Any = None, hermitian: bool = False) -> Any:
    """The pseudo-inverse of matrices, singular values up to ``rtol`` (1e-7) of the largest left out.

    >>> print(pinv(Tensor([[2.0, 0.0]])))
    [[0.5]
     [0. ]]
    """
    limit = 1e-7 if rtol is None else rtol

    def function(a: np.ndarray) -> np.ndarray:
        return np.linalg.pinv(a, limit, hermitian).astype(a.dtype)

    return _factor("pinv", x, function, lambda batch, m, n: [(*batch, n, m)], _wrt_pinv)


def _wrt_pinv(x: Any, out: Any, dout: Any) -> Any:
    turned, back = out.mT, dout.mT
    beside_left = back - x @ (out @ back)
    beside_right = back - (back @ out) @ x
    return beside_left @ out @ turned + turned @ out @ beside_right - turned @ dout @ turned


# ---- linear systems --------------------------------------------------------------------------------


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """x with matrix @ x = rhs (or matrix.T @ x).

    >>> print(matrix_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [2.0]])))
    [[1. ]
     [0.5]]
    """
    return matmul(inverse(matrix.mT if adjoint else matrix), rhs)


def cholesky_inverse(input_x: Any, upper: bool = False) -> Any:
    """The inverse of the positive definite matrix whose lower (or ``upper``) Cholesky factor is given."""
    return inverse(matmul(input_x.mT, input_x) if upper else matmul(input_x, input_x.mT))


def cholesky_solve(input: Any, input2: Any, upper: bool = False) -> Any:
    """x with a @ x = input, the lower (or ``upper``) Cholesky factor of a given."""
    return matmul(cholesky_inverse(triu(input2) if upper else tril(input2), upper), input)


def lstsq(input: Any, A: Any) -> Any:
    """x with the least squares of input @ x - A; zeros below where A has more rows than x."""
    if input.ndim != 2 or input.shape[0] != A.shape[0]:
        raise ShapeError(f"lstsq: needs matrices of as many rows, got {list(input.shape)} and {list(A.shape)}")
    return matmul(pinv(input), A if A.ndim == 2 else A.expand_dims(1))
