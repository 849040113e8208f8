"""Matrices as the cube of an Ascend chip holds them: in blocks of 16 rows of 32 bytes, column of blocks by column.

A matrix [m, n] in this layout, NZ, is [n / n0, m / 16, 16, n0] with n0 elements in 32 bytes, both sides rounded up
and padded with zeros (Ascend C, data formats). ND is the plain order. Only the last two axes are concerned.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.fields import Work
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.types import Shape, TensorType
from minigraph.operators.pricing import traffic

ROWS, ROW_BYTES = 16, 32  # of one block


def blocked(shape: Shape, itemsize: int) -> Shape:
    """The shape of a matrix, or of a stack of them, in NZ.

    >>> blocked((5, 20, 17), 2)
    (5, 2, 2, 16, 16)
    """
    wide = ROW_BYTES // itemsize
    return (*shape[:-2], -(-shape[-1] // wide), -(-shape[-2] // ROWS), ROWS, wide)


def _check(what: str, x: Any) -> None:
    if len(x.shape) < 2 or x.dtype.itemsize > ROW_BYTES:
        raise ShapeError(f"{what}: needs a matrix or a stack of them, got {list(x.shape)}; reshape it")


def _work(out: TensorType, x: TensorType, **attrs: Any) -> Work:
    """Reading and writing; the blocks are a matter of addresses."""
    return traffic(out, (x,))


# ---- to blocks ---------------------------------------------------------------------------------------


def _to_nz(x: np.ndarray) -> Any:
    *_, rows, columns = shape = blocked(x.shape, x.itemsize)
    batch, across, down = x.shape[:-2], shape[-4], shape[-3]
    whole = np.zeros((*batch, down * rows, across * columns), x.dtype)
    whole[..., : x.shape[-2], : x.shape[-1]] = x
    parts = whole.reshape(*batch, down, rows, across, columns)
    return np.ascontiguousarray(np.moveaxis(parts, -2, -4))


def _to_nz_types(x: TensorType) -> TensorType:
    _check("to_nz", x)
    return TensorType(blocked(x.shape, x.dtype.itemsize), x.dtype)


TO_NZ = define(Op(
    "to_nz", _to_nz, _to_nz_types, vjp=(lambda g, out, x: apply("to_nd", g, shape=x.shape[-2:]),), work=_work,
    unit="move", label=lambda attrs: "ND to NZ", doc="A matrix in blocks of 16 rows of 32 bytes, padded with zeros.",
    samples=lambda rng: [
        Sample((rng.normal(size=(3, 5)),)),
        Sample((rng.normal(size=(2, 17, 4)).astype(np.float32),), smooth=False),
    ],
))  # fmt: skip

# ---- and back ----------------------------------------------------------------------------------------


def _to_nd(x: np.ndarray, *, shape: Shape) -> Any:
    down, rows, columns = x.shape[-3], x.shape[-2], x.shape[-1]
    parts = np.moveaxis(x, -4, -2)
    whole = parts.reshape(*x.shape[:-4], down * rows, x.shape[-4] * columns)
    return np.array(whole[..., : shape[0], : shape[1]], order="C")


def _to_nd_types(x: TensorType, *, shape: Shape) -> TensorType:
    return TensorType((*x.shape[:-4], *shape), x.dtype)


def _to_nd_attrs(x: Any, *, shape: Any) -> dict[str, Any]:
    sizes = tuple(shape)
    if len(x.shape) < 4 or len(sizes) != 2 or blocked(sizes, x.dtype.itemsize) != tuple(x.shape[-4:]):
        raise UsageError(f"to_nd: {list(x.shape)} holds no matrix of shape {list(sizes)}; give the one it was made of")
    return {"shape": sizes}


TO_ND = define(Op(
    "to_nd", _to_nd, _to_nd_types, vjp=(lambda g, out, x, shape: apply("to_nz", g),), work=_work,
    unit="move", canonical=_to_nd_attrs, label=lambda attrs: "NZ to ND",
    doc="The matrix of shape `shape` that lies in blocks, without the padding.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 1, 16, 4)),), {"shape": (3, 5)}),
        Sample((rng.normal(size=(2, 1, 2, 16, 8)).astype(np.float32),), {"shape": (17, 4)}, smooth=False),
    ],
))  # fmt: skip
