"""Creation of tensors from attributes alone: full, arange, eye."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue, IntOrTuple
from minigraph.core.op import Op, Sample, define
from minigraph.core.op_fields import Work
from minigraph.core.types import DType, TensorType, float32, int64
from minigraph.operators.families import check_dtype, sizes_of
from minigraph.operators.work import traffic


def _full_attrs(*, shape: IntOrTuple, value: float, dtype: DType = float32) -> Attrs:
    return {"shape": sizes_of("full", shape), "value": value, "dtype": check_dtype("full", dtype)}


def _fill_work(out: TensorType, **attrs: AttrValue) -> Work:
    return traffic(out, ())


FULL = define(Op(
    "full",
    lambda *, shape, value, dtype: np.full(shape, value, dtype.numpy),
    lambda *, shape, value, dtype: TensorType(shape, dtype),
    work=_fill_work,
    unit="vector",
    canonical=_full_attrs,
    label=lambda attrs: f"full {attrs['value']}",
    doc="A tensor filled with one number.",
    samples=lambda rng: [
        Sample((), {"shape": (2, 3), "value": 1.5}),
        Sample((), {"shape": (), "value": 7, "dtype": int64}),
        Sample((), {"shape": (0, 2), "value": 0.0}),
    ],
))  # fmt: skip


def _arange_attrs(*, start: float = 0, stop: float, step: float = 1, dtype: DType = int64) -> Attrs:
    return {"start": start, "stop": stop, "step": step, "dtype": check_dtype("arange", dtype)}


def _arange(*, start: float, stop: float, step: float, dtype: DType) -> Array:
    return np.arange(start, stop, step).astype(dtype.numpy)


ARANGE = define(Op(
    "arange",
    _arange,
    lambda **attrs: TensorType(_arange(**attrs).shape, attrs["dtype"]),
    work=_fill_work,
    canonical=_arange_attrs,
    label=lambda attrs: f"arange {attrs['stop']}",
    doc="Numbers from `start` to `stop`, exclusive, in steps of `step`.",
    samples=lambda rng: [
        Sample((), {"stop": 5}),
        Sample((), {"start": 1.0, "stop": 2.0, "step": 0.25, "dtype": float32}),
    ],
))  # fmt: skip


def _eye_attrs(*, rows: int, columns: int | None = None, dtype: DType = float32) -> Attrs:
    return {"rows": rows, "columns": rows if columns is None else columns, "dtype": check_dtype("eye", dtype)}


EYE = define(Op(
    "eye",
    lambda *, rows, columns, dtype: np.eye(rows, columns, dtype=dtype.numpy),
    lambda *, rows, columns, dtype: TensorType((rows, columns), dtype),
    work=_fill_work,
    canonical=_eye_attrs,
    label=lambda attrs: f"eye {attrs['rows']}",
    doc="Ones on the diagonal, zeros elsewhere.",
    samples=lambda rng: [Sample((), {"rows": 3}), Sample((), {"rows": 2, "columns": 4, "dtype": int64})],
))  # fmt: skip
