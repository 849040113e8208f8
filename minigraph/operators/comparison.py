"""Comparison, logic and ``where``: results or operands are Bool."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs
from minigraph.core.errors import DTypeError
from minigraph.core.op import Op, Promotion, Sample, apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, bool_
from minigraph.operators.families import broadcast_types, check_same_dtype, elementwise, types_text, ufunc
from minigraph.operators.samples import Samples


def _comparison(name: str, function: np.ufunc, sign: str, **fields: Any) -> Op:
    """A comparison of two tensors, by default of Bool, integers and floats: complex numbers have no order."""
    nan_result = sign == "!="  # IEEE 754: NaN differs from everything
    return elementwise(
        name, ufunc(function), vjp=(None, None), result=bool_,
        doc=f"Whether x {sign} y, as Bool; {nan_result} where either is NaN.", **{"kinds": "bif"} | fields,
    )  # fmt: skip


EQUAL = _comparison("equal", np.equal, "==", kinds="bifc", commutative=True)
NOT_EQUAL = _comparison("not_equal", np.not_equal, "!=", kinds="bifc", commutative=True)
LESS = _comparison("less", np.less, "<")
LESS_EQUAL = _comparison("less_equal", np.less_equal, "<=")
GREATER = _comparison("greater", np.greater, ">")
GREATER_EQUAL = _comparison("greater_equal", np.greater_equal, ">=")


def _truth_values(count: int) -> Samples:
    """Samples with ``count`` operands: Bools, and floats that are zero (false) or not."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [
            Sample(tuple(rng.integers(0, 2, (2, 3)).astype(bool) for _ in range(count)), smooth=False),
            Sample(tuple(rng.integers(0, 2, 3) * 1.5 for _ in range(count)), smooth=False),
        ]

    return samples


LOGICAL_NOT = elementwise(
    "logical_not", ufunc(np.logical_not), vjp=(None,), result=bool_, samples=_truth_values(1), doc="Whether x is zero."
)
LOGICAL_AND = elementwise(
    "logical_and", ufunc(np.logical_and),
    vjp=(None, None), result=bool_, samples=_truth_values(2), commutative=True,
    doc="Whether x and y are both nonzero.",
)  # fmt: skip
LOGICAL_OR = elementwise(
    "logical_or", ufunc(np.logical_or),
    vjp=(None, None), result=bool_, samples=_truth_values(2), commutative=True,
    doc="Whether x or y is nonzero.",
)  # fmt: skip
LOGICAL_XOR = elementwise(
    "logical_xor", ufunc(np.logical_xor),
    vjp=(None, None), result=bool_, samples=_truth_values(2), commutative=True,
    doc="Whether exactly one of x and y is nonzero.",
)  # fmt: skip
ISNAN = elementwise(
    "isnan", ufunc(np.isnan),
    vjp=(None,), result=bool_, kinds="bif", doc="Whether x is NaN.",
)  # fmt: skip
ISINF = elementwise(
    "isinf", ufunc(np.isinf), vjp=(None,), result=bool_, kinds="f", doc="Whether x is plus or minus infinity."
)
ISFINITE = elementwise(
    "isfinite", ufunc(np.isfinite), vjp=(None,), result=bool_, kinds="bif", doc="Whether x is neither infinite nor NaN."
)


def _where(condition: Array, x: Array, y: Array, *, out: Array | None = None) -> Array:
    result = np.where(condition, x, y)
    if out is None:
        return np.asarray(result, order="C")
    np.copyto(out, result)
    return out


def _where_types(condition: TensorType, x: TensorType, y: TensorType) -> TensorType:
    if condition.dtype is not bool_:
        operands = types_text((condition, x, y))
        raise DTypeError(f"where: the condition must be Bool, got {operands}; compare it, or cast it")
    return TensorType(broadcast_types("where", condition, x, y), check_same_dtype("where", x, y))


def _check_condition(condition: Tensor, x: Tensor, y: Tensor) -> Attrs:
    """No attributes; refuses a wrong condition before the call, since the kernel itself would take any number."""
    if condition.dtype is not bool_:
        _where_types(*(TensorType(t.shape, t.dtype) for t in (condition, x, y)))
    return {}


def _where_samples(rng: np.random.Generator) -> list[Sample]:
    condition = rng.integers(0, 2, (2, 3)).astype(bool)
    return [
        Sample((condition, rng.normal(size=(2, 3)), rng.normal(size=3))),
        Sample((condition, np.array(np.nan), np.array(np.inf)), smooth=False),
        Sample((np.array(True), rng.integers(0, 5, 3), rng.integers(0, 5, (2, 1))), smooth=False),
    ]


WHERE = elementwise(
    "where", _where, infer=_where_types, canonical=_check_condition, promotes=Promotion((1, 2)), samples=_where_samples,
    vjp=(
        None,
        lambda g, out, condition, x, y: apply("where", condition, g, 0),
        lambda g, out, condition, x, y: apply("where", condition, 0, g),
    ),
    doc="x where the condition holds, else y.",
)  # fmt: skip
