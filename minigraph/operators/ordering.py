"""Sorting and running totals: what depends on the order of elements along one axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.fields import Work
from minigraph.core.op import Op, Sample, apply, define
from minigraph.core.types import DType, TensorType, int64
from minigraph.operators.families import axis_label, axis_of, check_kinds, check_operand
from minigraph.operators.pricing import traffic

# ---- sorting ---------------------------------------------------------------------------------------


def _argsort_attrs(x: Any, *, axis: Any = -1, descending: bool = False) -> dict[str, Any]:
    check_operand("argsort", "bif", x)
    return {"axis": axis_of("argsort", axis, max(len(x.shape), 1)), "descending": bool(descending)}


def _argsort(x: np.ndarray, *, axis: int, descending: bool) -> np.ndarray:
    """Equal elements stay in order, NaN counts as the largest."""
    if not x.ndim:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(x, axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - backwards, axis)


def _sort_work(out: TensorType, x: TensorType, **attrs: Any) -> Work:
    """A merge sort: log2 of the length passes over all elements; a guess, for its passes are not published."""
    passes = max(1, max(x.shape, default=1).bit_length())
    return (Work(lanes=(("simple", x.size * passes),)) + traffic(out, (x,))).guessed


ARGSORT = define(Op(
    "argsort", _argsort, lambda x, *, axis, descending: TensorType(x.shape, _checked("argsort", x, int64)),
    vjp=(None,), work=_sort_work, canonical=_argsort_attrs, label=axis_label("argsort"),
    doc="The positions that put an axis in order, equal elements as they stood, as Int64.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 5)),), smooth=False),
        Sample((np.array([[3, 1, 3], [2, 2, 2]]),), {"axis": 0, "descending": True}, smooth=False),
        Sample((np.array([1.0, np.nan, -np.inf, 1.0]),), {"descending": True}, smooth=False),
        Sample((np.array(1.0),), smooth=False),
    ],
))  # fmt: skip


def _checked(name: str, x: TensorType, dtype: DType, kinds: str = "bif") -> DType:
    check_kinds(name, kinds, x)
    return dtype


# ---- running totals --------------------------------------------------------------------------------


def _running(name: str, forward: Callable[..., Any], kinds: str, dtype: Any, **fields: Any) -> Op:
    """Define an operator that gives every element the total of those up to it along ``axis``."""

    def canonical(x: Any, *, axis: Any) -> dict[str, Any]:
        check_operand(name, kinds, x)
        return {"axis": axis_of(name, axis, len(x.shape))}

    def work(out: TensorType, x: TensorType, **attrs: Any) -> Work:
        """One operation per element; a guess, for each waits for the one before it."""
        return (Work(lanes=(("simple", x.size),)) + traffic(out, (x,))).guessed

    return define(Op(
        name, forward, lambda x, *, axis: TensorType(x.shape, _checked(name, x, dtype(x.dtype), kinds)),
        work=work, canonical=canonical, label=axis_label(name), **fields,
    ))  # fmt: skip


def _totals(rng: np.random.Generator) -> list[Sample]:
    return [
        Sample((rng.uniform(0.5, 2.0, (2, 3)),), {"axis": 1}),
        Sample((rng.uniform(0.5, 2.0, (3, 2)).T,), {"axis": 0}),
        Sample((rng.integers(-3, 4, (2, 3)),), {"axis": -1}, smooth=False),
    ]


def flipped(x: Any, axis: int) -> Any:
    """A tensor with one axis turned round."""
    return apply("index", x, key=(*((None, None, None),) * axis, (None, None, -1), ...))


CUMSUM = _running(
    "cumsum", lambda x, *, axis: np.cumsum(np.asarray(x, order="C"), axis, x.dtype), "ifc", lambda dtype: dtype,
    vjp=(lambda g, out, x, axis: flipped(apply("cumsum", flipped(g, axis), axis=axis), axis),),
    doc="The sum of the elements up to each along an axis.", samples=_totals,
)  # fmt: skip
CUMPROD = _running(
    "cumprod", lambda x, *, axis: np.cumprod(np.asarray(x, order="C"), axis, x.dtype), "ifc", lambda dtype: dtype,
    vjp=(lambda g, out, x, axis: flipped(apply("cumsum", flipped(g * out, axis), axis=axis), axis) / x,),
    doc="The product of the elements up to each along an axis; its gradient is not defined where one is 0.",
    samples=_totals,
)  # fmt: skip


def _last_extreme(extreme: Any, reaches: Any) -> Callable[..., Any]:
    """The forward of an operator that says where the extreme element up to each stands: the last of equal ones."""

    def forward(x: np.ndarray, *, axis: int) -> np.ndarray:
        best = extreme.accumulate(x, axis)
        places = np.arange(x.shape[axis]).reshape(-1, *(1,) * (x.ndim - axis - 1))
        reached = reaches(x, best) | (np.isnan(x) if x.dtype.kind == "f" else False)
        return np.maximum.accumulate(np.where(reached, places, 0), axis).astype(np.int64)

    return forward


def _extremes(rng: np.random.Generator) -> list[Sample]:
    return [
        Sample((rng.normal(size=(2, 5)),), {"axis": 1}, smooth=False),
        Sample((np.array([[3, 1], [3, 1], [2, 4]]),), {"axis": 0}, smooth=False),
        Sample((np.array([1.0, np.nan, 2.0]),), {"axis": 0}, smooth=False),
    ]


CUMMAX_AT = _running(
    "cummax_at", _last_extreme(np.maximum, np.greater_equal), "bif", lambda dtype: int64, vjp=(None,),
    doc="Where the largest element up to each stands along an axis, the last of equal ones, as Int64.",
    samples=_extremes,
)  # fmt: skip
CUMMIN_AT = _running(
    "cummin_at", _last_extreme(np.minimum, np.less_equal), "bif", lambda dtype: int64, vjp=(None,),
    doc="Where the smallest element up to each stands along an axis, the last of equal ones, as Int64.",
    samples=_extremes,
)  # fmt: skip
