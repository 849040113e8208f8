"""Sorting and cumulative operators: argsort, cumsum, cumprod, and the indices of cumulative extrema."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue, Function
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, TensorType, int64
from minigraph.operators.families import axis_label, check_kinds, check_operand, normalize_axis
from minigraph.operators.work import traffic

# ---- sorting ---------------------------------------------------------------------------------------


def _argsort_attrs(x: Tensor, *, axis: int = -1, descending: bool = False) -> Attrs:
    check_operand("argsort", "bif", x)
    return {"axis": normalize_axis("argsort", axis, max(len(x.shape), 1)), "descending": bool(descending)}


def _argsort(x: Array, *, axis: int, descending: bool) -> Array:
    """A stable sort; NaN counts as the largest."""
    if not x.ndim:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(x, axis, kind="stable")
    reverse = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - reverse, axis)


def _sort_work(out: TensorType, x: TensorType, **attrs: AttrValue) -> Work:
    """A merge sort: log2(length) passes over all elements; an estimate, because the chip's passes are not published."""
    passes = max(1, max(x.shape, default=1).bit_length())
    return (Work(lanes=(("simple", x.size * passes),)) + traffic(out, (x,))).as_estimate


ARGSORT = define(Op(
    "argsort", _argsort, lambda x, *, axis, descending: TensorType(x.shape, _result_dtype("argsort", x, int64)),
    vjp=(None,), work=_sort_work, canonical=_argsort_attrs, label=axis_label("argsort"),
    doc="The indices that sort an axis, stable, as Int64.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 5)),), smooth=False),
        Sample((np.array([[3, 1, 3], [2, 2, 2]]),), {"axis": 0, "descending": True}, smooth=False),
        Sample((np.array([1.0, np.nan, -np.inf, 1.0]),), {"descending": True}, smooth=False),
        Sample((np.array(1.0),), smooth=False),
    ],
))  # fmt: skip


def _result_dtype(name: str, x: TensorType, dtype: DType, kinds: str = "bif") -> DType:
    check_kinds(name, kinds, x)
    return dtype


# ---- cumulative operators --------------------------------------------------------------------------


def _cumulative(name: str, forward: Function, kinds: str, dtype: Any, **fields: Any) -> Op:
    """Define an operator that computes, for every element, a reduction of the elements up to it along ``axis``."""

    def canonical(x: Tensor, *, axis: object) -> Attrs:
        check_operand(name, kinds, x)
        return {"axis": normalize_axis(name, axis, len(x.shape))}

    def work(out: TensorType, x: TensorType, **attrs: AttrValue) -> Work:
        """One operation per element; an estimate, because each depends on the previous one."""
        return (Work(lanes=(("simple", x.size),)) + traffic(out, (x,))).as_estimate

    return define(Op(
        name, forward, lambda x, *, axis: TensorType(x.shape, _result_dtype(name, x, dtype(x.dtype), kinds)),
        work=work, canonical=canonical, label=axis_label(name), **fields,
    ))  # fmt: skip


def _cumulative_samples(rng: np.random.Generator) -> list[Sample]:
    return [
        Sample((rng.uniform(0.5, 2.0, (2, 3)),), {"axis": 1}),
        Sample((rng.uniform(0.5, 2.0, (3, 2)).T,), {"axis": 0}),
        Sample((rng.integers(-3, 4, (2, 3)),), {"axis": -1}, smooth=False),
    ]


def flip(x: Tensor, axis: int) -> Tensor:
    """A tensor with one axis reversed."""
    return apply("index", x, key=(*((None, None, None),) * axis, (None, None, -1), ...))


CUMSUM = _cumulative(
    "cumsum", lambda x, *, axis: np.cumsum(np.asarray(x, order="C"), axis, x.dtype), "ifc", lambda dtype: dtype,
    vjp=(lambda g, out, x, axis: flip(apply("cumsum", flip(g, axis), axis=axis), axis),),
    doc="The cumulative sum along an axis.", samples=_cumulative_samples,
)  # fmt: skip
CUMPROD = _cumulative(
    "cumprod", lambda x, *, axis: np.cumprod(np.asarray(x, order="C"), axis, x.dtype), "ifc", lambda dtype: dtype,
    vjp=(lambda g, out, x, axis: flip(apply("cumsum", flip(g * out, axis), axis=axis), axis) / x,),
    doc="The cumulative product along an axis; its gradient is not defined where an element is 0.",
    samples=_cumulative_samples,
)  # fmt: skip


def _last_extremum(extremum: np.ufunc, reaches: np.ufunc) -> Function:
    """The forward of an operator that gives the index of the cumulative extremum: the last of equal elements."""

    def forward(x: Array, *, axis: int) -> Array:
        best = extremum.accumulate(x, axis)
        indices = np.arange(x.shape[axis]).reshape(-1, *(1,) * (x.ndim - axis - 1))
        is_best = reaches(x, best) | (np.isnan(x) if x.dtype.kind == "f" else False)
        return np.maximum.accumulate(np.where(is_best, indices, 0), axis).astype(np.int64)

    return forward


def _extremum_samples(rng: np.random.Generator) -> list[Sample]:
    return [
        Sample((rng.normal(size=(2, 5)),), {"axis": 1}, smooth=False),
        Sample((np.array([[3, 1], [3, 1], [2, 4]]),), {"axis": 0}, smooth=False),
        Sample((np.array([1.0, np.nan, 2.0]),), {"axis": 0}, smooth=False),
    ]


CUMMAX_AT = _cumulative(
    "cummax_at", _last_extremum(np.maximum, np.greater_equal), "bif", lambda dtype: int64, vjp=(None,),
    doc="The index of the cumulative maximum along an axis, the last of equal elements, as Int64.",
    samples=_extremum_samples,
)  # fmt: skip
CUMMIN_AT = _cumulative(
    "cummin_at", _last_extremum(np.minimum, np.less_equal), "bif", lambda dtype: int64, vjp=(None,),
    doc="The index of the cumulative minimum along an axis, the last of equal elements, as Int64.",
    samples=_extremum_samples,
)  # fmt: skip
