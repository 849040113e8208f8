"""Matrix products, and the condition number of matrices."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import Any

import numpy as np

from minigraph.errors import DTypeError, ShapeError, UsageError
from minigraph.ground.blas import SMALL, has_small_kernels
from minigraph.ground.tiles import Tile, by_tiles, is_transposed, tile_of
from minigraph.ground.work import Macs, Work
from minigraph.op import Op, Sample, apply, define
from minigraph.ops.pricing import traffic
from minigraph.types import Shape, TensorType, broadcast, float32, float64

ROWS, WIDE = (16, 128), 2048  # of a product that is turned: its rows, and its size
DEEPER = 3  # times as many columns as rows, or more, has its left matrix


def _as_matrices(x: Shape, y: Shape) -> tuple[Shape, Shape]:
    """Shapes with a vector on the left as one row and a vector on the right as one column."""
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
    if len(columns) == 2:  # one right-hand matrix for the whole batch: the batch joins the rows
        return Work(macs=(Macs(1, math.prod(rows[:-1]), k, n),)) + traffic(out, (x, y))
    batch = math.prod(broadcast(rows[:-2], columns[:-2]))
    return Work(macs=(Macs(batch, m, k, n),)) + traffic(out, (x, y))


def _matrices(g: Any, x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Gradient and operands with vectors as the matrices they stood for."""
    if x.ndim == 1:
        g = apply("expand_dims", g, axis=-1 if y.ndim == 1 else -2)
        x = apply("expand_dims", x, axis=0)
    if y.ndim == 1:
        g, y = apply("expand_dims", g, axis=-1), apply("expand_dims", y, axis=1)
    return g, x, y


def _wrt_left(g: Any, out: Any, x: Any, y: Any) -> Any:
    g, _, matrix = _matrices(g, x, y)
    found = g @ matrix.mT
    return apply("squeeze", found, axis=-2) if x.ndim == 1 else found


def _wrt_right(g: Any, out: Any, x: Any, y: Any) -> Any:
    g, matrix, _ = _matrices(g, x, y)
    if matrix.ndim > 2 and y.ndim <= 2:  # one product for the whole batch, with nothing left to sum over
        g, matrix = _rows(g), _rows(matrix)
    found = matrix.mT @ g
    return apply("squeeze", found, axis=-1) if y.ndim == 1 else found


def _wrt_turned_left(g: Any, out: Any, x: Any, y: Any) -> Any:
    """What arrives at ``x.mT``; ``None`` for vectors."""
    return y @ g.mT if min(x.ndim, y.ndim) >= 2 else None


def _wrt_turned_right(g: Any, out: Any, x: Any, y: Any) -> Any:
    """What arrives at ``y.mT``; ``None`` for vectors."""
    if min(x.ndim, y.ndim) < 2:
        return None
    if x.ndim > 2 == y.ndim:  # one product for the whole batch
        g, x = _rows(g), _rows(x)
    return g.mT @ x


def _rows(x: Any) -> Any:
    """A stack of matrices as one of all their rows."""
    return apply("reshape", x, shape=(math.prod(x.shape[:-1]), x.shape[-1]))


def _matmul(x: np.ndarray, y: np.ndarray, out: np.ndarray | None = None) -> Any:
    """``np.matmul`` made a function of values, and of which matrix is a transposed view.

    BLAS multiplies a matrix and a vector (or one row or column) by another sum for each layout, and a matrix with
    its own transpose by a third. Copies keep rewrites, which merge equal tensors, from showing in the bits. What
    they cannot hide without copying every weight: on processors with AVX-512 OpenBLAS multiplies small matrices by
    other kernels where one is transposed. So no rewrite that keeps bits makes a view of a copy, or a copy of a view.
    """
    if _are_of_one(x, y):
        y = y.copy(order="K")
    if _is_worth_a_look(x, y):
        x, y = _readable(x), _readable(y)
        if (kernel := _sooner(x, y)) is not None:
            return kernel(x, y, out)
    if _is_plain_product(x, y) and x.flags.forc and y.flags.forc and (out is None or out.flags.c_contiguous):
        return x.dot(y, out)  # the same call of BLAS as matmul's, half a microsecond sooner; it would copy others
    if x.ndim > 2 == y.ndim and x.dtype.char in "fd" and x.size and len(rows := x.reshape(-1, x.shape[-1])) > 1:
        # one product of all rows, a tenth faster than one for each matrix of them
        found = _matmul(rows, y, None if out is None else out.reshape(len(rows), -1))
        return found.reshape(*x.shape[:-1], -1) if out is None else _kept(out, found)
    if x.ndim < 2 or y.ndim < 2 or x.shape[-2] == 1 or y.shape[-1] == 1:
        x, y = np.asarray(x, order="C"), np.asarray(y, order="C")
    return np.matmul(_readable(x), _readable(y), out=out, casting="no", order="C")


def _kept(out: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """``out`` with all of its rows, which are elsewhere if its matrices have gaps between them."""
    if not np.may_share_memory(out, rows):
        out[...] = rows.reshape(out.shape)
    return out


def _are_of_one(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two arrays may show the same memory."""
    return x is y or x.base is y or (y.base is not None and (y.base is x or y.base is x.base))


def _is_plain_product(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether two arrays are matrices, none of them one row or column, that BLAS multiplies."""
    return x.ndim == 2 == y.ndim and x.dtype is y.dtype and x.dtype.char in "fd" and len(x) > 1 < y.shape[1]


def _is_sooner_turned(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether ``(y.T @ x.T).T`` and a copy take less time: a few rows times a layer's transposed weights.

    With AVX-512, OpenBLAS packs the transposed matrix for every few of the rows: (32, 400) @ (120, 400).T takes 54 us
    and turned 42, (16, 784) @ (512, 784).T 1.8 times as long as turned. With AVX2 nothing is gained but for 16 rows.
    """
    if not (x.ndim == 2 == y.ndim and ROWS[0] <= len(x) <= ROWS[1] and x.dtype.char == y.dtype.char == "f"):
        return False
    (m, k), n = x.shape, y.shape[1]
    return n >= 2 * m and m * n >= WIDE and k >= DEEPER * m and y.strides[0] == x.itemsize == x.strides[1]


def _turned(x: np.ndarray, y: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """A product as the transpose of the transposed one, in C order."""
    found = np.matmul(y.T, x.T).T
    if out is None:
        return np.asarray(found, order="C")
    out[...] = found
    return out


def _product_of(x: np.ndarray, y: np.ndarray) -> Any:
    """What multiplies operands that lie like these, ``None`` where they had better be looked at."""
    if _are_of_one(x, y) or x is not _readable(x) or y is not _readable(y):
        return None
    if _is_worth_a_look(x, y) and (kernel := _sooner(x, y)) is not None:
        return kernel
    return np.ndarray.dot if _is_plain_product(x, y) and x.flags.forc and y.flags.forc else None


def _is_worth_a_look(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether matrices are so large, or the left ones so flat, that there may be a way to multiply them sooner."""
    if x.size * y.size <= SMALL or x.ndim < 2 or y.ndim < 2:
        return False
    rows, deep = x.shape[-2:]
    return deep >= DEEPER * rows or rows * deep * y.shape[-1] > SMALL


def _sooner(x: np.ndarray, y: np.ndarray) -> Any:
    """What multiplies matrices that BLAS can read sooner than BLAS alone; ``None`` if nothing does."""
    tile = None if x.ndim > 2 == y.ndim else tile_of(x, y)
    if tile is not None:
        return _by(tile)
    return _turned if has_small_kernels() and _is_sooner_turned(x, y) else None


@cache
def _by(tile: Tile) -> Any:
    """The product in such tiles."""
    return partial(by_tiles, tile=tile)


def _readable(x: np.ndarray) -> np.ndarray:
    """The array itself where BLAS reads its matrices in place, else a copy: of transposed ones a transposed one."""
    if x.flags.c_contiguous or x.ndim < 2:
        return x
    (rows, columns), (tall, wide) = x.shape[-2:], x.strides[-2:]
    if (wide == x.itemsize and tall >= columns * wide) or (tall == x.itemsize and wide >= rows * tall):
        return x
    return np.asarray(x.swapaxes(-1, -2), order="C").swapaxes(-1, -2) if is_transposed(x) else np.asarray(x, order="C")


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
    turned=(_wrt_turned_left, _wrt_turned_right),
    work=_matmul_work,
    unit="cube",
    into=True,
    gaps=True,
    kernel=_product_of,
    samples=_matmul_samples,
    doc="The matrix product over the last two axes, other axes broadcast; a vector is a row or a column.",
))  # fmt: skip


# ---- condition number ------------------------------------------------------------------------------


def _cond_number_types(x: TensorType, *, p: Any) -> TensorType:
    if len(x.shape) < 2:
        raise ShapeError(f"cond: needs a matrix, or a stack of them, got {x}")
    if x.dtype not in (float32, float64):
        raise DTypeError(f"cond: needs float32 or float64, got {x}; cast it")
    return TensorType(x.shape[:-2], x.dtype)


def _cond_number_attrs(x: Any, *, p: Any = None) -> dict[str, Any]:
    if p not in (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc"):
        raise UsageError(f"cond: no norm {p!r}; it is None, 1, -1, 2, -2, inf, -inf, 'fro' or 'nuc'")
    return {"p": p}


COND_NUMBER = define(Op(
    "condition_number",
    lambda x, *, p: np.asarray(np.linalg.cond(x, p), x.dtype),
    _cond_number_types,
    vjp=(None,),
    work=lambda out, x, **attrs: (Work(lanes=(("special", x.size * min(x.shape[-2:])),)) + traffic(out, (x,))).guessed,
    canonical=_cond_number_attrs,
    samples=lambda rng: [Sample((rng.normal(size=(2, 3, 3)),), smooth=False)],
    doc="How much a matrix may magnify relative errors: the norm `p` of it times that of its inverse.",
))  # fmt: skip
