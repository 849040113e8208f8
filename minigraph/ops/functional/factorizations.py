"""Eigenvalues, Householder reflections, and systems with LU factors; leading axes are batch axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import Array, Function
from minigraph.core.errors import ArgTypeError, ShapeError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, TensorType, complex64, complex128, float64
from minigraph.operators.pyfunc import InputInfo, Types, call_python
from minigraph.ops.functional.complex_numbers import real
from minigraph.ops.functional.creation import eye
from minigraph.ops.functional.diagonals import tril, triu
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.linalg import inverse
from minigraph.ops.functional.matrix_products import matmul
from minigraph.ops.functional.shapes import reshape

FORMS = """
method: eigvals geqrf:Geqrf lu_solve:LuSolve orgqr:Orgqr
function: eig lu_unpack
"""
export(globals())

LIKE_INPUT: None = None  # the dtype of the first operand


def _matrix_node(
    name: str, function: Function, inputs: tuple[Tensor, ...], shapes: Sequence[tuple[int, ...]],
    dtype: DType | None = LIKE_INPUT, bprop: Function | None = None,
) -> Tensor | tuple[Tensor, ...]:  # fmt: skip
    """A node of a numpy function of matrices with results of these shapes."""

    def infer(operands: Sequence[InputInfo]) -> Types:
        return tuple(TensorType(shape, dtype or operands[0].dtype) for shape in shapes)

    result: Tensor | tuple[Tensor, ...] = call_python(name, function, inputs, infer=infer, bprop=bprop)
    return result


def _check_matrices(name: str, x: object, square: bool = False) -> None:
    if not isinstance(x, Tensor):
        raise ArgTypeError(f"{name}: expected a tensor, got {type(x).__name__}; wrap it in Tensor(...)")
    if x.ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        kind = "square matrices" if square else "matrices"
        raise ShapeError(f"{name}: needs {kind}, got {x.type}; the last two axes are rows and columns")


# ---- eigenvalues -----------------------------------------------------------------------------------


def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of square matrices, complex, in LAPACK's order.

    Raises ``ShapeError`` for matrices that are not square.

    >>> print(eigvals(Tensor([[2.0, 0.0], [0.0, 3.0]])))
    [2.+0.j 3.+0.j]
    """
    _check_matrices("eigvals", A, square=True)
    dtype = complex128 if A.dtype in (float64, complex128) else complex64

    def bprop(x: Tensor, out: Tensor, dout: Tensor) -> Tensor:
        vectors = _eigenvectors(x, dtype)
        gradient = inverse_of_complex(vectors).mT * apply("expand_dims", dout, axis=-2) @ vectors.mT
        return gradient if x.dtype in (complex64, complex128) else real(gradient)

    values = _matrix_node(
        "eigvals", lambda a: np.linalg.eigvals(a).astype(dtype.numpy), (A,), [A.shape[:-1]], dtype, bprop
    )
    assert isinstance(values, Tensor)
    return values


def inverse_of_complex(x: Tensor) -> Tensor:
    """The inverse of complex matrices; it has no gradient."""
    result = _matrix_node("inverse", np.linalg.inv, (x,), [x.shape])
    assert isinstance(result, Tensor)
    return result


def _eigenvectors(x: Tensor, dtype: DType) -> Tensor:
    vectors = _matrix_node("eig", lambda a: np.linalg.eig(a)[1].astype(dtype.numpy), (x,), [x.shape], dtype)
    assert isinstance(vectors, Tensor)
    return vectors


def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """(``eigvals``, the eigenvectors as columns of norm 1); the vectors have no gradient, as their phase is arbitrary.

    >>> values, vectors = eig(Tensor([[2.0, 0.0], [0.0, 3.0]]))
    >>> print(vectors)
    [[1.+0.j 0.+0.j]
     [0.+0.j 1.+0.j]]
    """
    values = eigvals(A)
    return values, _eigenvectors(A, values.dtype)


# ---- Householder reflections -----------------------------------------------------------------------


def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """LAPACK's form of a QR factorisation: (R above reflection vectors, the factors of the reflections).

    Q is the product of I - tau v vᵀ; ``orgqr`` computes it. It has no gradient.

    >>> factors, tau = geqrf(Tensor([[3.0], [4.0]]))
    >>> print(factors.T, tau)
    [[-5.   0.5]] [1.6]
    """
    _check_matrices("geqrf", input)
    *batch, rows, columns = input.shape
    shapes = [input.shape, (*batch, min(rows, columns))]
    result = _matrix_node("geqrf", _reflections, (input,), shapes)
    assert isinstance(result, tuple)
    return result[0], result[1]


def _reflections(a: Array) -> tuple[Array, Array]:
    matrix = a.astype(np.float32) if a.dtype == np.float16 else a
    factors, tau = np.linalg.qr(matrix, mode="raw")
    return np.ascontiguousarray(np.swapaxes(factors, -1, -2), a.dtype), np.ascontiguousarray(tau, a.dtype)


def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """The first columns of the product of the reflections I - tau v vᵀ that ``geqrf`` returns.

    Raises ``ShapeError`` for more factors than columns.

    >>> print(orgqr(*geqrf(Tensor([[3.0], [4.0]]))))
    [[-0.6]
     [-0.8]]
    """
    _check_matrices("orgqr", input)
    rows, columns = input.shape[-2:]
    count = input2.shape[-1]
    if count > columns or columns > rows:
        raise ShapeError(f"orgqr: {count} factors for {input.type}; needs rows >= columns >= factors")
    q = eye(rows, columns, input.dtype)
    vectors = tril(input, -1) + eye(rows, columns, input.dtype)
    for i in reversed(range(count)):
        v = vectors[..., i : i + 1]
        q = q - matmul(v, matmul(v.mT, q)) * reshape(input2[..., i], (*input2.shape[:-1], 1, 1))
    return q


# ---- LU factors ------------------------------------------------------------------------------------


def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> tuple[Tensor, Tensor, Tensor] | tuple[Tensor, Tensor] | Tensor | None:
    """(permutation, unit lower triangle, upper triangle) with matrix = P L U, from packed factors.

    ``LU_pivots`` are LAPACK's: row i was exchanged with row pivots[i] - 1. Only the parts that are asked for.

    >>> p, l, u = lu_unpack(Tensor([[4.0, 2.0], [0.5, 1.0]]), Tensor([2, 2]))
    >>> print(p @ l @ u)
    [[2. 2.]
     [4. 2.]]
    """
    _check_matrices("lu_unpack", LU_data)
    rows, columns = LU_data.shape[-2:]
    size = min(rows, columns)
    permutation = _matrix_node(
        "lu_unpack", lambda pivots: _permutation(pivots, rows).astype(LU_data.dtype.numpy), (LU_pivots,),
        [(*LU_pivots.shape[:-1], rows, rows)], LU_data.dtype,
    )  # fmt: skip
    assert isinstance(permutation, Tensor)
    lower = tril(LU_data[..., :, :size], -1) + eye(rows, size, LU_data.dtype)
    upper = triu(LU_data[..., :size, :])
    if not unpack_data:
        return permutation if unpack_pivots else None
    return (permutation, lower, upper) if unpack_pivots else (lower, upper)


def _permutation(pivots: Array, rows: int) -> Array:
    """The matrices that undo the exchanges of rows."""
    flat = pivots.reshape(-1, pivots.shape[-1])
    matrices = np.zeros((len(flat), rows, rows))
    for matrix, exchanges in zip(matrices, flat, strict=True):
        order = list(range(rows))
        for i, pivot in enumerate(exchanges):
            order[i], order[pivot - 1] = order[pivot - 1], order[i]
        matrix[order, range(rows)] = 1
    return matrices.reshape(*pivots.shape[:-1], rows, rows)


def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """x with A x = b, from the packed LU factors of A.

    >>> print(lu_solve(Tensor([[4.0], [6.0]]), Tensor([[4.0, 2.0], [0.5, 1.0]]), Tensor([2, 2])))
    [[1.]
     [1.]]
    """
    parts = lu_unpack(LU_data, LU_pivots)
    assert isinstance(parts, tuple) and len(parts) == 3
    permutation, lower, upper = parts
    column = b.ndim == LU_data.ndim - 1
    right = apply("expand_dims", b, axis=-1) if column else b
    x = matmul(inverse(upper), matmul(inverse(lower), matmul(permutation.mT, cast(right, LU_data.dtype))))
    return x[..., 0] if column else x
