"""Mathematical methods of a Tensor with a signature of their own; ``x`` is the tensor."""

from __future__ import annotations

from typing import Any

from minigraph.core.aliases import CallResult, Function, IntOrTuple, TensorLike
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType
from minigraph.ops import functional as F

# ---- reductions ------------------------------------------------------------------------------------


def sum(
    x: Tensor, axis: IntOrTuple | None = None, dtype: Any = None, keepdims: bool = False,
    initial: TensorLike | None = None,
) -> Tensor:  # fmt: skip
    """The sum over axes (``None``: all), plus ``initial``, in ``dtype``; by default Int64 for integers and bools."""
    if isinstance(dtype, bool):  # x.sum(0, True)
        dtype, keepdims = None, dtype
    total = F.sum(x, axis, keepdims, dtype=dtype)
    return total if initial is None else total + initial


def mean(x: Tensor, axis: IntOrTuple | None = None, keep_dims: bool = False, *, dtype: DType | None = None) -> Tensor:
    """The mean over axes (``None``: all), in ``dtype`` if given."""
    return F.mean(x if dtype is None else F.cast(x, dtype), axis, keep_dims)


def _extreme(pair: Function, single: Function, combine: Function, adjective: str) -> Function:
    def extreme(
        x: Tensor,
        *positional: object,
        axis: IntOrTuple | None = None,
        dim: int | None = None,
        keepdims: bool = False,
        keepdim: bool = False,
        return_indices: bool = False,
        initial: Any = None,
        where: Tensor | None = None,
    ) -> CallResult:
        keep = keepdims or keepdim or positional[1:] == (True,)
        axis_of_pair = positional[0] if positional else dim
        if axis_of_pair is not None or return_indices:
            return pair(x, axis if axis_of_pair is None else axis_of_pair, keep)
        values = single(x if where is None else F.where(where, x, initial), axis, keep)
        return values if initial is None else combine(values, initial)

    extreme.__doc__ = f"""The {adjective} element of all, or over ``axis``; over ``dim`` also its index.

    ``x.max(0)`` and ``x.max(dim=0)`` return (elements, indices) as ``ops.max`` does, ``x.max(axis=0)`` elements
    only. ``where`` selects elements, ``initial`` is an additional element; ``min`` is called the same way.
    """
    return extreme


max = _extreme(F.max, F.amax, F.maximum, "largest")
min = _extreme(F.min, F.amin, F.minimum, "smallest")


def argmax(x: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the first maximum along ``axis`` (``None``: of the flattened tensor), Int64."""
    return F.argmax(x, axis, keepdims)


def argmax_with_value(x: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """(maxima, their indices) over one axis."""
    return F.max(x, axis, keep_dims)


def argmin_with_value(x: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """(minima, their indices) over one axis."""
    return F.min(x, axis, keep_dims)


def ptp(x: Tensor, axis: IntOrTuple | None = None, keepdims: bool = False) -> Tensor:
    """The maximum minus the minimum over axes (``None``: all)."""
    return F.amax(x, axis, keepdims) - F.amin(x, axis, keepdims)


def logsumexp(x: Tensor, axis: IntOrTuple, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) over axes, without overflow."""
    return F.logsumexp(x, axis, keepdims)


def trace(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DType | None = None) -> Tensor:
    """The sum of a diagonal, in ``dtype`` (default: the tensor's)."""
    return F.cast(F.sum(F.diagonal(x, offset, axis1, axis2), -1), dtype or x.dtype)


def allclose(x: Tensor, other: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are close to the elements of another tensor, as a Python bool."""
    return bool(F.all(F.isclose(x, other, rtol, atol, equal_nan)))


# ---- numbers ---------------------------------------------------------------------------------------


def round(x: Tensor, decimals: int = 0) -> Tensor:
    """Rounds to ``decimals`` places, halves to even."""
    return F.round(x, decimals=decimals)


def add(x: Tensor, other: TensorLike, *, alpha: float = 1) -> Tensor:
    """The sum with another tensor, or with ``alpha`` times it."""
    return F.add(x, other if alpha == 1 else other * alpha)


def softmax(x: Tensor, axis: int = -1, dtype: DType | None = None) -> Tensor:
    """exp(x) divided by its sum along an axis."""
    return apply("softmax", x if dtype is None else F.cast(x, dtype), axis=axis)
