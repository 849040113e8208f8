"""FRACTAL_NZ, the matrix format of an Ascend chip's cube unit: blocks of 16 rows of 32 bytes, in column-major order.

A matrix [m, n] in NZ is [n / n0, m / 16, 16, n0] with n0 elements in 32 bytes, both sizes rounded up and padded with
zeros (Ascend C, data formats). ND is the row-major format. The format applies to the last two axes.
"""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, TensorType
from minigraph.operators.work import traffic

BLOCK_ROWS, BLOCK_ROW_BYTES = 16, 32  # of one block


def nz_shape(shape: Shape, itemsize: int) -> Shape:
    """The shape in NZ of a matrix, or of a batch of matrices.

    >>> nz_shape((5, 20, 17), 2)
    (5, 2, 2, 16, 16)
    """
    columns = BLOCK_ROW_BYTES // itemsize
    return (*shape[:-2], -(-shape[-1] // columns), -(-shape[-2] // BLOCK_ROWS), BLOCK_ROWS, columns)


def _check_operand(operand: str, x: TensorType) -> None:
    if len(x.shape) < 2 or x.dtype.itemsize > BLOCK_ROW_BYTES:
        raise ShapeError(f"{operand}: needs a matrix or a batch of matrices, got {list(x.shape)}; reshape it")


def _work(out: TensorType, x: TensorType, **attrs: AttrValue) -> Work:
    """Reading and writing only: the blocks are addressed by the copy."""
    return traffic(out, (x,))


# ---- ND to NZ ----------------------------------------------------------------------------------------


def _to_nz(x: Array) -> Array:
    *_, rows, columns = shape = nz_shape(x.shape, x.itemsize)
    batch, column_blocks, row_blocks = x.shape[:-2], shape[-4], shape[-3]
    padded = np.zeros((*batch, row_blocks * rows, column_blocks * columns), x.dtype)
    padded[..., : x.shape[-2], : x.shape[-1]] = x
    parts = padded.reshape(*batch, row_blocks, rows, column_blocks, columns)
    return np.ascontiguousarray(np.moveaxis(parts, -2, -4))


def _to_nz_types(x: TensorType) -> TensorType:
    _check_operand("to_nz", x)
    return TensorType(nz_shape(x.shape, x.dtype.itemsize), x.dtype)


TO_NZ = define(Op(
    "to_nz", _to_nz, _to_nz_types, vjp=(lambda g, out, x: apply("to_nd", g, shape=x.shape[-2:]),), work=_work,
    unit="move", label=lambda attrs: "ND to NZ", doc="A matrix in NZ: blocks of 16 rows of 32 bytes, zero-padded.",
    samples=lambda rng: [
        Sample((rng.normal(size=(3, 5)),)),
        Sample((rng.normal(size=(2, 17, 4)).astype(np.float32),), smooth=False),
    ],
))  # fmt: skip

# ---- NZ to ND ----------------------------------------------------------------------------------------


def _to_nd(x: Array, *, shape: Shape) -> Array:
    down, rows, columns = x.shape[-3], x.shape[-2], x.shape[-1]
    parts = np.moveaxis(x, -4, -2)
    padded = parts.reshape(*x.shape[:-4], down * rows, x.shape[-4] * columns)
    return np.array(padded[..., : shape[0], : shape[1]], order="C")


def _to_nd_types(x: TensorType, *, shape: Shape) -> TensorType:
    return TensorType((*x.shape[:-4], *shape), x.dtype)


def _to_nd_attrs(x: Tensor, *, shape: tuple[int, ...]) -> Attrs:
    sizes = tuple(shape)
    if len(x.shape) < 4 or len(sizes) != 2 or nz_shape(sizes, x.dtype.itemsize) != tuple(x.shape[-4:]):
        raise UsageError(f"to_nd: {list(x.shape)} holds no matrix of shape {list(sizes)}; give the shape before to_nz")
    return {"shape": sizes}


TO_ND = define(Op(
    "to_nd", _to_nd, _to_nd_types, vjp=(lambda g, out, x, shape: apply("to_nz", g),), work=_work,
    unit="move", canonical=_to_nd_attrs, label=lambda attrs: "NZ to ND",
    doc="The matrix of shape `shape` of an NZ operand, without its padding.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 1, 16, 4)),), {"shape": (3, 5)}),
        Sample((rng.normal(size=(2, 1, 2, 16, 8)).astype(np.float32),), {"shape": (17, 4)}, smooth=False),
    ],
))  # fmt: skip
