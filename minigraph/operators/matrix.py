"""Functions of square matrices: determinant, inverse, Cholesky factor; leading axes are batch axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Function
from minigraph.core.errors import ArgValueError, DTypeError, ShapeError
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType
from minigraph.operators.work import traffic


def check_square(name: str, x: TensorType) -> None:
    """Raises ``ShapeError`` for operands that are not square matrices, ``DTypeError`` for those that are not floats."""
    if len(x.shape) < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"{name}: needs square matrices, got {x}; the last two axes must have one size")
    if not x.dtype.is_float:
        raise DTypeError(f"{name}: needs floats, got {x}; cast it")


def _matrix_function(name: str, forward: Function, drop: int, **fields: Any) -> Op:
    """Define an operator on square matrices whose result lacks the last ``drop`` axes."""

    def infer(x: TensorType) -> TensorType:
        check_square(name, x)
        return TensorType(x.shape[: len(x.shape) - drop], x.dtype)

    def checked_forward(x: Array) -> Array:
        try:
            dtype = np.float32 if x.dtype == np.float16 else x.dtype  # numpy.linalg has no float16
            return np.asarray(forward(np.asarray(x, dtype, order="C")), x.dtype)
        except np.linalg.LinAlgError as error:
            if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
                raise ValueError(str(error)) from None
            raise ArgValueError(f"{name}: {error}".lower()) from None

    def work(out: TensorType, x: TensorType) -> Work:
        return (Work(lanes=(("simple", x.size * x.shape[-1]),)) + traffic(out, (x,))).as_estimate

    return define(Op(name, checked_forward, infer, work=work, **fields))


def _near_identity(rng: np.random.Generator) -> list[Sample]:
    return [
        Sample((rng.normal(size=(3, 3)) * 0.3 + np.eye(3),)),
        Sample((rng.normal(size=(2, 2, 2)) * 0.3 + np.eye(2),)),
    ]


DET = _matrix_function(
    "det", np.linalg.det, 2,
    vjp=(lambda g, out, x: apply("reshape", g * out, shape=(*out.shape, 1, 1)) * apply("inverse", x).mT,),
    doc="The determinant; its gradient is not defined for a singular matrix.", samples=_near_identity,
)  # fmt: skip
LOG_ABS_DET = _matrix_function(
    "log_abs_det", lambda x: np.linalg.slogdet(x)[1], 2,
    vjp=(lambda g, out, x: apply("reshape", g, shape=(*out.shape, 1, 1)) * apply("inverse", x).mT,),
    doc="The logarithm of the determinant's absolute value, also where the determinant itself has no float.",
    samples=_near_identity,
)  # fmt: skip
DET_SIGN = _matrix_function(
    "det_sign", lambda x: np.linalg.slogdet(x)[0], 2, vjp=(None,),
    doc="The sign of the determinant, 0 for a singular matrix.", samples=_near_identity,
)  # fmt: skip
INVERSE = _matrix_function(
    "inverse", np.linalg.inv, 0, vjp=(lambda g, out, x: -(out.mT @ g @ out.mT),),
    doc="The inverse of a matrix.", samples=_near_identity,
)  # fmt: skip


def _cholesky_grad(g: Tensor, out: Tensor, x: Tensor) -> Tensor:
    """The symmetric part of L^-T phi(L^T g) L^-1, phi: the lower triangle, half the diagonal (Murray 2016, eq. 10)."""
    inverse, product = apply("inverse", out), out.mT @ g
    size = x.shape[-1]
    phi = np.tril(np.ones((size, size))) - 0.5 * np.eye(size)
    inner = product * apply("cast", x.from_numpy(phi), dtype=x.dtype)
    full = inverse.mT @ inner @ inverse
    return (full + full.mT) * 0.5


def _positive_definite_samples(rng: np.random.Generator) -> list[Sample]:
    x = rng.normal(size=(3, 3))
    return [Sample((x @ x.T + 3 * np.eye(3),), smooth=False)]


CHOLESKY = _matrix_function(
    "cholesky", np.linalg.cholesky, 0, vjp=(_cholesky_grad,), samples=_positive_definite_samples,
    doc="The Cholesky factor of a positive definite matrix: a lower triangular L with L @ L.T equal to the matrix.",
)  # fmt: skip
