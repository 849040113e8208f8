"""Primitives of reductions over axes."""

from __future__ import annotations

from minigraph.core.aliases import IntOrTuple
from minigraph.core.op import Op, apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, int32, int64
from minigraph.operators import reduce
from minigraph.ops import functional as F
from minigraph.ops.primitive import FunctionPrimitive, primitive

__all__ = [
    "ArgMaxWithValue", "ArgMinWithValue", "Argmax", "Argmin", "CountNonZero", "L2Loss", "ReduceAll", "ReduceAny",
    "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "SquareSumAll",
]  # fmt: skip


def _reduction(name: str, op: Op, logical: bool = False) -> type[FunctionPrimitive]:
    """A reduction in the dtype of its operand or, if ``logical``, in Bool."""

    def reduce_axes(x: Tensor, axis: IntOrTuple = (), *, keep_dims: bool) -> Tensor:
        result = apply(op, x, axis=axis, keepdims=keep_dims)
        return result if logical or result.dtype is x.dtype else F.cast(result, x.dtype)

    return primitive(name, reduce_axes, op, keep_dims=False)


def _sum(x: Tensor, axis: IntOrTuple = (), *, keep_dims: bool, skip_mode: bool) -> Tensor:
    """The sum over axes (``()``: all, or none with ``skip_mode``), in the dtype of the tensor."""
    return x if skip_mode and axis in ((), []) else F.reduce_sum(x, axis, keep_dims)


def _square_sums(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """(the sum of x², the sum of y²)."""
    return F.sum(F.square(x)), F.sum(F.square(y))


def _l2_loss(x: Tensor) -> Tensor:
    """Half of the sum of squares."""
    return F.sum(F.square(x)) / 2


ReduceSum = primitive("ReduceSum", _sum, reduce.SUM, keep_dims=False, skip_mode=False)
ReduceMean, ReduceProd = _reduction("ReduceMean", reduce.MEAN), _reduction("ReduceProd", reduce.PROD)
ReduceAll = _reduction("ReduceAll", reduce.ALL, logical=True)
ReduceAny = _reduction("ReduceAny", reduce.ANY, logical=True)
ReduceMax, ReduceMin = _reduction("ReduceMax", reduce.MAX), _reduction("ReduceMin", reduce.MIN)
SquareSumAll, L2Loss = primitive("SquareSumAll", _square_sums), primitive("L2Loss", _l2_loss)


def _argmax(input_x: Tensor, *, axis: int, output_type: DType) -> Tensor:
    """The index of the first maximum along an axis."""
    return F.cast(F.argmax(input_x, axis), output_type)


def _argmin(x: Tensor, *, axis: int, output_type: DType) -> Tensor:
    """The index of the first minimum along an axis."""
    return F.cast(F.argmin(x, axis), output_type)


def _argmax_with_value(input: Tensor, *, axis: int, keep_dims: bool) -> tuple[Tensor, Tensor]:
    """(indices, maxima) over one axis."""
    values, indices = F.max(input, axis, keep_dims)
    return indices, values


def _argmin_with_value(input: Tensor, *, axis: int, keep_dims: bool) -> tuple[Tensor, Tensor]:
    """(indices, minima) over one axis."""
    values, indices = F.min(input, axis, keep_dims)
    return indices, values


Argmax = primitive("Argmax", _argmax, axis=-1, output_type=int32)
Argmin = primitive("Argmin", _argmin, axis=-1, output_type=int32)
ArgMaxWithValue = primitive("ArgMaxWithValue", _argmax_with_value, axis=0, keep_dims=False)
ArgMinWithValue = primitive("ArgMinWithValue", _argmin_with_value, axis=0, keep_dims=False)


def _count_nonzero(x: Tensor, *, dims: IntOrTuple | None) -> Tensor:
    """The number of elements other than 0, over axes."""
    return F.count_nonzero(x, () if dims is None else dims, dtype=int64)


CountNonZero = primitive("CountNonZero", _count_nonzero, dims=None)
