"""Linear algebra: determinants, inverses, decompositions and linear systems.

``svd``, ``qr`` and ``pinv`` call numpy.linalg and have VJP rules of their own: the SVD as in J. Townsend,
"Differentiating the singular value decomposition" (2016), QR as in Liao, Liu, Wang and Xiang, "Differentiable
programming tensor networks" (2019), the pseudo-inverse as in Golub and Pereyra, "The differentiation of
pseudo-inverses" (1973). Gradients by singular vectors of equal singular values are not defined and not handled; nor are
those of full matrices and of QR of matrices with more columns than rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from minigraph.core.aliases import CallResult, Function
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, bfloat16, float16
from minigraph.operators import comparison, elementwise, matrix, views
from minigraph.operators.pyfunc import InputInfo, call_python
from minigraph.ops.functional.arguments import check_ranks
from minigraph.ops.functional.creation import eye
from minigraph.ops.functional.diagonals import diag_embed, diagonal, tril, triu
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.matrix_products import matmul
from minigraph.ops.functional.reduction import sum
from minigraph.ops.functional.shapes import broadcast_to

FORMS = """
method mint: inverse
method: cholesky cholesky_inverse cholesky_solve det inv log_matrix_determinant:LogMatrixDeterminant logdet lstsq
    matrix_determinant:MatrixDeterminant matrix_power qr slogdet svd
function: matrix_exp:MatrixExp matrix_inverse matrix_solve pinv trace:Trace
"""
export(globals())


# ---- determinants, inverses and powers -------------------------------------------------------------


def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix, in its dtype."""
    check_ranks("trace", (input, 2))
    return cast(sum(diagonal(input)), input.dtype)


def det(input: Tensor) -> Tensor:
    """The determinants of square matrices."""
    return apply(matrix.DET, input)


def matrix_determinant(input: Tensor) -> Tensor:
    """The determinants of square matrices."""
    return det(input)


def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """(sign, logarithm of the absolute value) of determinants, also of those that no float can hold.

    >>> sign, logarithm = slogdet(eye(100, 100) * 1000)
    >>> print(sign, round(logarithm.item(), 2))
    1.0 690.78
    """
    return apply(matrix.DET_SIGN, input), apply(matrix.LOG_ABS_DET, input)


def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    """(sign, logarithm of the absolute value) of determinants."""
    return slogdet(input)


def logdet(input: Tensor) -> Tensor:
    """The logarithms of determinants; NaN for negative ones."""
    sign, logarithm = slogdet(input)
    return where(apply(comparison.LESS, sign, 0), float("nan"), logarithm)


def inverse(input: Tensor) -> Tensor:
    """The inverse of square matrices; raises ``ValueError`` for a singular one."""
    return apply(matrix.INVERSE, input)


matrix_inverse = inverse


def inv(x: Tensor) -> Tensor:
    """1 / x, element by element; of matrices ``inverse``."""
    return apply(elementwise.RECIPROCAL, x)


def matrix_power(input: Tensor, n: int) -> Tensor:
    """Square matrices to the power ``n``, by repeated squaring; a negative power inverts first.

    >>> from minigraph import Tensor
    >>> print(matrix_power(Tensor([[2.0, 0.0], [0.0, 3.0]]), 2))
    [[4. 0.]
     [0. 9.]]
    """
    base = inverse(input) if n < 0 else input
    power, exponent = None, abs(n)
    while exponent:
        if exponent & 1:
            power = base if power is None else matmul(power, base)
        exponent >>= 1
        base = matmul(base, base) if exponent else base
    if power is not None:
        return power
    return apply(views.BROADCAST_TO, eye(input.shape[-1], dtype=input.dtype), shape=input.shape)


def matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices.

    By scaling and squaring (Moler and Van Loan, "Nineteen dubious ways to compute the exponential of a matrix", 2003,
    method 3): the Taylor polynomial of degree 8 of input / 2**10, squared ten times.

    >>> print(matrix_exp(Tensor([[0.0, 1.0], [0.0, 0.0]])))
    [[1. 1.]
     [0. 1.]]
    """
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ShapeError(f"matrix_exp: needs square matrices, got shape {list(input.shape)}")
    scaled = input / 2**10
    term = broadcast_to(eye(input.shape[-1], dtype=input.dtype), input.shape)
    exponential = term
    for n in range(1, 9):
        term = matmul(term, scaled) / n
        exponential = exponential + term
    for _ in range(10):
        exponential = matmul(exponential, exponential)
    return exponential


# ---- decompositions --------------------------------------------------------------------------------


def cholesky(input_x: Tensor, upper: bool = False) -> Tensor:
    """The lower (or ``upper``) triangular factor of positive definite matrices."""
    factor = apply(matrix.CHOLESKY, input_x)
    return factor.mT if upper else factor


Shapes = Callable[[tuple[int, ...], int, int], Sequence[tuple[int, ...]]]


def _call_numpy(name: str, x: Tensor, function: Function, shapes: Shapes, bprop: Function) -> CallResult:
    """A node that calls a numpy function of matrices; ``shapes(batch, rows, columns)`` are the results' shapes."""
    if not isinstance(x, Tensor):
        raise UsageError(f"{name}: expected a tensor, got {type(x).__name__}")

    def infer(operands: Sequence[InputInfo]) -> tuple[TensorType, ...]:
        *batch, rows, columns = operands[0].shape
        return tuple(TensorType(tuple(shape), operands[0].dtype) for shape in shapes(tuple(batch), rows, columns))

    if x.ndim < 2:
        raise ShapeError(f"{name}: expected a matrix, got shape {list(x.shape)}")
    return call_python(
        name, _as_float32(function) if x.dtype in (float16, bfloat16) else function, (x,), infer=infer, bprop=bprop
    )


def _as_float32(function: Function) -> Function:
    """A function of float16 or bfloat16 matrices that computes in float32, because numpy.linalg has neither."""

    def of_halves(a: np.ndarray) -> np.ndarray | tuple[np.ndarray, ...]:
        out = function(a.astype(np.float32))
        return tuple(factor.astype(a.dtype) for factor in out) if isinstance(out, tuple) else out.astype(a.dtype)

    return of_halves


def svd(input: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> CallResult:
    """(singular values, left vectors, right vectors) of matrices, or the values alone.

    >>> print(svd(Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False))
    [3. 2.]
    """
    if not compute_uv:
        return _call_numpy("svd", input, _singular_values, lambda batch, m, n: [(*batch, min(m, n))], _vjp_of_values)

    def shapes(batch: tuple[int, ...], m: int, n: int) -> list[tuple[int, ...]]:
        k = min(m, n)
        return [(*batch, k), (*batch, m, m if full_matrices else k), (*batch, n, n if full_matrices else k)]

    factors: tuple[Tensor, ...] = _call_numpy("svd", input, lambda a: _svd(a, full_matrices), shapes, _vjp_of_svd)
    return factors


def _singular_values(a: np.ndarray) -> np.ndarray:
    return np.linalg.svd(a, compute_uv=False)


def _svd(a: np.ndarray, full: bool) -> tuple[np.ndarray, ...]:
    left, values, right = np.linalg.svd(a, full)
    return values, left, np.swapaxes(right, -1, -2)


def _vjp_of_values(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    _, left, right = svd(x)
    return left * apply(views.EXPAND_DIMS, dout, axis=-2) @ right.mT


def _vjp_of_svd(x: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> Tensor:
    (values, left, right), (d_values, d_left, d_right) = out, dout
    if left.shape[-1] != values.shape[-1] or right.shape[-1] != values.shape[-1]:
        raise UsageError("svd: full_matrices=True has no gradient: vectors without a singular value are not unique")
    rows = apply(views.EXPAND_DIMS, values, axis=-2)
    gaps = rows * rows - rows.mT * rows.mT
    gaps = where(apply(comparison.EQUAL, gaps, 0), 1.0, gaps)
    inner_left, inner_right = left.mT @ d_left, right.mT @ d_right
    core = (inner_left - inner_left.mT) / gaps * rows + rows.mT * ((inner_right - inner_right.mT) / gaps)
    gradient = left @ (core + diag_embed(d_values)) @ right.mT
    outside_left = (d_left - left @ inner_left) / rows @ right.mT
    outside_right = left / rows @ (d_right - right @ inner_right).mT
    return gradient + outside_left + outside_right


def qr(input: Tensor, mode: str = "reduced") -> tuple[Tensor, Tensor]:
    """(Q with orthonormal columns, upper triangular R) with input = Q R; ``mode`` is "reduced" or "complete"."""
    if mode not in ("reduced", "complete"):
        raise UsageError(f"qr: mode is 'reduced' or 'complete', got {mode!r}")

    def shapes(batch: tuple[int, ...], m: int, n: int) -> list[tuple[int, ...]]:
        k = m if mode == "complete" else min(m, n)
        return [(*batch, m, k), (*batch, k, n)]

    function: Function = partial(np.linalg.qr, mode=mode)
    factors: tuple[Tensor, Tensor] = _call_numpy("qr", input, lambda a: tuple(function(a)), shapes, _vjp_of_qr)
    return factors


def _vjp_of_qr(x: Tensor, out: tuple[Tensor, ...], dout: tuple[Tensor, ...]) -> Tensor:
    (columns, triangle), (d_columns, d_triangle) = out, dout
    if triangle.shape[-1] != triangle.shape[-2]:
        shape = list(x.shape)
        raise UsageError(f"qr: the gradient needs mode 'reduced' and at least as many rows as columns, got {shape}")
    product = triangle @ d_triangle.mT - d_columns.mT @ columns
    lower = tril(product, -1)
    symmetric = lower + lower.mT + product * eye(product.shape[-1], dtype=product.dtype)
    return (d_columns + columns @ symmetric) @ inverse(triangle).mT


def pinv(x: Tensor, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    """The pseudo-inverse of matrices; singular values up to ``rtol`` (1e-7) times the largest count as 0.

    >>> print(pinv(Tensor([[2.0, 0.0]])))
    [[0.5]
     [0. ]]
    """
    limit = 1e-7 if rtol is None else rtol

    def function(a: np.ndarray) -> np.ndarray:
        return np.linalg.pinv(a, limit, hermitian).astype(a.dtype)

    return _call_numpy("pinv", x, function, lambda batch, m, n: [(*batch, n, m)], _vjp_of_pinv)


def _vjp_of_pinv(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
    out_t, dout_t = out.mT, dout.mT
    left = dout_t - x @ (out @ dout_t)
    right = dout_t - (dout_t @ out) @ x
    return left @ out @ out_t + out_t @ out @ right - out_t @ dout @ out_t


# ---- linear systems --------------------------------------------------------------------------------


def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint: bool = False) -> Tensor:
    """x with matrix @ x = rhs (or matrix.T @ x).

    >>> print(matrix_solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([[2.0], [2.0]])))
    [[1. ]
     [0.5]]
    """
    return matmul(inverse(matrix.mT if adjoint else matrix), rhs)


def cholesky_inverse(input_x: Tensor, upper: bool = False) -> Tensor:
    """The inverse of a positive definite matrix, from its lower (or ``upper``) Cholesky factor."""
    return inverse(matmul(input_x.mT, input_x) if upper else matmul(input_x, input_x.mT))


def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """x with a @ x = input, from the lower (or ``upper``) Cholesky factor of a."""
    return matmul(cholesky_inverse(triu(input2) if upper else tril(input2), upper), input)


def lstsq(input: Tensor, A: Tensor) -> Tensor:
    """The least-squares solution x of input @ x = A."""
    if input.ndim != 2 or input.shape[0] != A.shape[0]:
        raise ShapeError(f"lstsq: needs matrices of as many rows, got {list(input.shape)} and {list(A.shape)}")
    return matmul(pinv(input), A if A.ndim == 2 else A.expand_dims(1))
