"""Matrix products, and the condition number of a matrix."""

from __future__ import annotations

import math

import numpy as np

from minigraph.core.aliases import Array, Attrs
from minigraph.core.errors import DTypeError, ShapeError, UsageError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.op_fields import Macs, Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, TensorType, broadcast, float32, float64
from minigraph.operators.work import traffic


def _as_matrices(x: Shape, y: Shape) -> tuple[Shape, Shape]:
    """The shapes of the operands as matrices: a left vector is a row, a right vector a column."""
    return (1, *x) if len(x) == 1 else x, (*y, 1) if len(y) == 1 else y


def product_shape(x: Shape, y: Shape) -> Shape:
    """The shape of ``x @ y`` by numpy's rules; raises ``ShapeError``.

    >>> product_shape((5, 2, 3), (3, 4)), product_shape((3,), (3,))
    ((5, 2, 4), ())
    """
    rows, columns = _as_matrices(x, y)
    batch = broadcast(rows[:-2], columns[:-2])
    return (*batch, *rows[-2:-1][: len(x) - 1], *columns[-1:][: len(y) - 1])


def _matmul_types(x: TensorType, y: TensorType) -> TensorType:
    if x.dtype is not y.dtype:
        raise DTypeError(f"matmul: no promotion between {x} and {y}; cast one with x.astype(...)")
    if not x.shape or not y.shape:
        raise ShapeError(f"matmul: needs at least one axis each, got {x} @ {y}; use * for scalars")
    inner = x.shape[-1], y.shape[-2] if len(y.shape) > 1 else y.shape[0]
    if inner[0] != inner[1]:
        sizes = f"{inner[0]} and {inner[1]}"
        raise ShapeError(f"matmul: inner sizes differ, {sizes}, in {x} @ {y}; transpose or reshape one of them")
    try:
        return TensorType(product_shape(x.shape, y.shape), x.dtype)
    except ShapeError as error:
        raise ShapeError(f"matmul: batch axes of {x} @ {y}: {error}") from None


def _matmul_work(out: TensorType, x: TensorType, y: TensorType) -> Work:
    rows, columns = _as_matrices(x.shape, y.shape)
    m, k, n = rows[-2], rows[-1], columns[-1]
    if len(columns) == 2:  # one right matrix for the whole batch: batch axes are rows
        return Work(macs=(Macs(1, math.prod(rows[:-1]), k, n),)) + traffic(out, (x, y))
    batch = math.prod(broadcast(rows[:-2], columns[:-2]))
    return Work(macs=(Macs(batch, m, k, n),)) + traffic(out, (x, y))


def _matrices(g: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Cotangent and operands, vectors as matrices."""
    if x.ndim == 1:
        g = apply("expand_dims", g, axis=-1 if y.ndim == 1 else -2)
        x = apply("expand_dims", x, axis=0)
    if y.ndim == 1:
        g, y = apply("expand_dims", g, axis=-1), apply("expand_dims", y, axis=1)
    return g, x, y


def _wrt_left(g: Tensor, out: Tensor, x: Tensor, y: Tensor) -> Tensor:
    g, _, matrix = _matrices(g, x, y)
    product = g @ matrix.mT
    return apply("squeeze", product, axis=-2) if x.ndim == 1 else product


def _wrt_right(g: Tensor, out: Tensor, x: Tensor, y: Tensor) -> Tensor:
    g, matrix, _ = _matrices(g, x, y)
    if matrix.ndim > 2 and y.ndim <= 2:  # one product for the whole batch, which also sums over the batch
        g, matrix = _flatten_batch(g), _flatten_batch(matrix)
    product = matrix.mT @ g
    return apply("squeeze", product, axis=-1) if y.ndim == 1 else product


def _flatten_batch(x: Tensor) -> Tensor:
    """A batch of matrices as one matrix of all their rows."""
    return apply("reshape", x, shape=(math.prod(x.shape[:-1]), x.shape[-1]))


def _matmul(x: Array, y: Array, out: Array | None = None) -> Array:
    """``np.matmul`` whose bits depend only on values and on which matrix is a transposed view.

    BLAS uses another summation order for a matrix times a vector (or one row or column) in each layout, and another for
    a matrix times its own transpose. Operands are copied in these cases, so that rewrites that merge equal tensors do
    not change bits. One dependence remains, because avoiding it would copy every weight: some BLAS kernels sum in
    another order where a matrix is transposed. So an exact rewrite never replaces a copy by a view or a view by a copy.
    """
    if np.may_share_memory(x, y):
        y = y.copy(order="K")
    if x.ndim < 2 or y.ndim < 2 or x.shape[-2] == 1 or y.shape[-1] == 1:
        x, y = np.asarray(x, order="C"), np.asarray(y, order="C")
    return np.matmul(blas_readable(x), blas_readable(y), out=out, casting="no", order="C")


def blas_readable(x: Array) -> Array:
    """The array itself if BLAS can read its matrices in place, else a copy; a transposed matrix stays transposed."""
    if x.flags.c_contiguous or x.ndim < 2:
        return x
    (rows, columns), (row_stride, column_stride) = x.shape[-2:], x.strides[-2:]
    if (column_stride == x.itemsize and row_stride >= columns * column_stride) or (
        row_stride == x.itemsize and column_stride >= rows * row_stride
    ):
        return x
    is_transposed = column_stride != x.itemsize == row_stride
    return np.asarray(x.swapaxes(-1, -2), order="C").swapaxes(-1, -2) if is_transposed else np.asarray(x, order="C")


def _matmul_samples(rng: np.random.Generator) -> list[Sample]:
    shapes: list[tuple[Shape, Shape]] = [
        ((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 1, 2, 3), (4, 3, 2)),
        ((2, 2, 3), (3,)), ((3,), (2, 3, 2)), ((2, 0), (0, 3)),
    ]  # fmt: skip
    return [Sample((rng.normal(size=x), rng.normal(size=y))) for x, y in shapes]


MATMUL = define(Op(
    "matmul",
    _matmul,
    _matmul_types,
    vjp=(_wrt_left, _wrt_right),
    work=_matmul_work,
    unit="cube",
    into=True,
    samples=_matmul_samples,
    doc="The matrix product over the last two axes, batch axes broadcast; a vector is a row or a column.",
))  # fmt: skip


# ---- condition number ------------------------------------------------------------------------------


def _cond_number_types(x: TensorType, *, p: float | str | None) -> TensorType:
    if len(x.shape) < 2:
        raise ShapeError(f"cond: needs a matrix, or a batch of matrices, got {x}")
    if x.dtype not in (float32, float64):
        raise DTypeError(f"cond: needs float32 or float64, got {x}; cast it")
    return TensorType(x.shape[:-2], x.dtype)


def _cond_number_attrs(x: Tensor, *, p: float | str | None = None) -> Attrs:
    if p not in (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc"):
        raise UsageError(f"cond: no norm {p!r}; it is None, 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc'")
    return {"p": p}


COND_NUMBER = define(Op(
    "condition_number",
    lambda x, *, p: np.asarray(np.linalg.cond(x, p), x.dtype),
    _cond_number_types,
    vjp=(None,),
    work=lambda out, x, **attrs: (
        Work(lanes=(("special", x.size * min(x.shape[-2:])),)) + traffic(out, (x,))
    ).as_estimate,
    canonical=_cond_number_attrs,
    samples=lambda rng: [Sample((rng.normal(size=(2, 3, 3)),), smooth=False)],
    doc="The condition number of a matrix: its norm `p` times the norm of its inverse.",
))  # fmt: skip
