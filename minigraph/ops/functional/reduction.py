"""Reductions over axes: sums, products, means, extremes, counts."""

from __future__ import annotations

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ArgValueError
from minigraph.core.op import Op, apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bool_, int32, int64
from minigraph.operators import activation, comparison, creation, elementwise, reduce, views
from minigraph.ops.functional.dtypes import as_dtype, cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.operator_functions import reduction, rename_arguments

FORMS = """
method: all amax amin aminmax any argmin count_nonzero nanmean nansum prod
mint: sum
function: argmax logsumexp max mean min reduce_max reduce_mean reduce_min reduce_sum
"""
export(globals())


# ---- sums and means --------------------------------------------------------------------------------


mean = reduce_mean = rename_arguments(reduction(reduce.MEAN), x="input")


def sum(input: Tensor, dim: IntOrTuple | None = None, keepdim: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The sum over axes ``dim`` (``None``: all), in ``dtype``; by default integers and bools are summed in Int64."""
    if dtype is None:
        return apply(reduce.SUM, input, axis=dim, keepdims=keepdim)
    return as_dtype(dtype, apply(reduce.SUM, cast(input, dtype), axis=dim, keepdims=keepdim))


def reduce_sum(x: Tensor, axis: IntOrTuple | None = None, keep_dims: bool = False) -> Tensor:
    """The sum over axes (``None``: all) in the dtype of the tensor."""
    return as_dtype(x.dtype, apply(reduce.SUM, x, axis=axis, keepdims=keep_dims))


logsumexp = rename_arguments(reduction(activation.LOGSUMEXP), dim="axis", keepdim="keep_dims")


def prod(input: Tensor, axis: IntOrTuple | None = None, keep_dims: bool = False, dtype: DType | None = None) -> Tensor:
    """The product over axes (``None``: all), in ``dtype``; by default in Int64 for integers and bools.

    >>> from minigraph import Tensor
    >>> print(prod(Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
    [3. 8.]
    """
    return apply(reduce.PROD, input if dtype is None else cast(input, dtype), axis=axis, keepdims=keep_dims)


def count_nonzero(x: Tensor, axis: IntOrTuple = (), keep_dims: bool = False, dtype: DType = int32) -> Tensor:
    """The number of elements over axes (``()``: all) that are not 0."""
    return cast(apply(reduce.SUM, x != 0, axis=axis, keepdims=keep_dims), dtype)


def nansum(
    input: Tensor, axis: IntOrTuple | None = None, keepdims: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The sum over axes with NaN counted as 0, in ``dtype`` (default: the tensor's, Int64 for bools)."""
    accumulator_dtype = int64 if input.dtype is bool_ else input.dtype
    return sum(where(input != input, 0, input), axis, keepdims, dtype=dtype or accumulator_dtype)


def nanmean(
    input: Tensor, axis: IntOrTuple | None = None, keepdims: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """The mean over axes, ignoring NaN."""
    total = nansum(input, axis, keepdims, dtype=dtype)
    count = apply(reduce.SUM, apply(comparison.EQUAL, input, input), axis=axis, keepdims=keepdims)
    return total / cast(count, total.dtype)


# ---- logic -----------------------------------------------------------------------------------------


all, any = reduction(reduce.ALL), reduction(reduce.ANY)

# ---- extremes --------------------------------------------------------------------------------------


def _masked_operand(input: Tensor, initial: float | None, where: Tensor | bool | None, op: Op) -> Tensor:
    """``input``, with ``initial`` where the mask is false, and combined with ``initial`` by ``op``."""
    if where is not None and initial is None:
        raise ArgValueError("initial value must be provided for where masks")
    masked = input if where is None else apply(comparison.WHERE, where, input, initial)
    return masked if initial is None else as_dtype(input.dtype, apply(op, masked, initial))


def amax(
    input: Tensor, axis: IntOrTuple | None = None, keepdims: bool = False, *, initial: float | None = None,
    where: Tensor | bool | None = None,
) -> Tensor:  # fmt: skip
    """The maximum over axes (``None``: all); NaN propagates.

    ``where`` selects elements, ``initial`` is one element more.
    """
    operand = _masked_operand(input, initial, where, elementwise.MAXIMUM)
    return apply(reduce.MAX, operand, axis=axis, keepdims=keepdims)


def amin(
    input: Tensor, axis: IntOrTuple | None = None, keepdims: bool = False, *, initial: float | None = None,
    where: Tensor | bool | None = None,
) -> Tensor:  # fmt: skip
    """The minimum over axes (``None``: all); NaN propagates. The other arguments as in ``amax``."""
    operand = _masked_operand(input, initial, where, elementwise.MINIMUM)
    return apply(reduce.MIN, operand, axis=axis, keepdims=keepdims)


reduce_max, reduce_min = rename_arguments(amax, x="input"), rename_arguments(amin, x="input")


def aminmax(input: Tensor, *, axis: IntOrTuple = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """(minimum, maximum) over an axis."""
    return amin(input, axis, keepdims), amax(input, axis, keepdims)


def max(
    input: Tensor, axis: int | None = None, keepdims: bool = False, *, initial: float | None = None,
    where: Tensor | bool | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(maxima, their indices) over one axis; over all axes the index is 0. ``amax`` returns the values only.

    ``where`` selects elements, ``initial`` replaces all that are smaller.
    """
    input = _masked_operand(input, initial, where, elementwise.MAXIMUM)
    if axis is None:
        return apply(reduce.MAX, input, axis=None, keepdims=keepdims), _zero_index()
    return apply(reduce.FIRST_MAX, input, axis=axis, keepdims=keepdims), argmax(input, axis, keepdims)


def min(
    input: Tensor, axis: int | None = None, keepdims: bool = False, *, initial: float | None = None,
    where: Tensor | bool | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(minima, their indices) over one axis; the other arguments as in ``max``."""
    input = _masked_operand(input, initial, where, elementwise.MINIMUM)
    if axis is None:
        return apply(reduce.MIN, input, axis=None, keepdims=keepdims), _zero_index()
    return apply(reduce.FIRST_MIN, input, axis=axis, keepdims=keepdims), as_dtype(int64, argmin(input, axis, keepdims))


def _zero_index() -> Tensor:
    return apply(creation.FULL, shape=(), value=0, dtype=int64)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the first maximum along ``dim`` (``None``: of the flattened tensor), Int64."""
    index = apply(reduce.ARGMAX, input, axis=dim)
    return apply(views.EXPAND_DIMS, index, axis=dim) if keepdim and dim is not None else index


def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the first minimum along ``axis`` (``None``: of the flattened tensor), Int32."""
    index = apply(reduce.ARGMIN, input, axis=axis)
    return apply(views.EXPAND_DIMS, index, axis=axis) if keepdims and axis is not None else index
