"""Operators with side effects: assign to a Parameter, print; and ``depend``, an explicit order edge."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array, Attrs
from minigraph.core.errors import DTypeError, ShapeError, UsageError
from minigraph.core.op import EachOperand, Op, Sample, define
from minigraph.core.tensor import Tensor
from minigraph.core.tensor.printing import tensor_repr
from minigraph.core.types import DTYPE_BY_NUMPY, TensorType
from minigraph.operators.work import copy_work, no_work

# ---- assign ----------------------------------------------------------------------------------------


def _assign_types(target: TensorType, value: TensorType, *, name: str) -> TensorType:
    if target.dtype is not value.dtype:
        raise DTypeError(f"assign to '{name}': it is {target}, the value is {value}; cast the value")
    if target.shape != value.shape:
        raise ShapeError(f"assign to '{name}': it is {target}, the value is {value}; reshape or broadcast the value")
    return target


def _assign_attrs(target: Tensor, value: Tensor, *, name: str) -> Attrs:
    if target.shape != value.shape or target.dtype is not value.dtype:
        _assign_types(TensorType(target.shape, target.dtype), TensorType(value.shape, value.dtype), name=name)
    return {"name": name}


ASSIGN = define(Op(
    "assign",
    lambda target, value, *, name: np.array(value, order="C"),
    _assign_types,
    vjp=(None, lambda g, out, target, value, name: g),
    work=copy_work,
    unit="move",
    effects=("write:{name}",),
    stores=True,
    canonical=_assign_attrs,
    label=lambda attrs: f"{attrs['name']} :=",
    doc="Assigns a copy of the value to a Parameter; the copy is also the result.",
    samples=lambda rng: [Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3))), {"name": "w"})],
))  # fmt: skip


def _new_value_types(value: TensorType, target: TensorType) -> TensorType:
    return _assign_types(target, value, name="a value")


NEW_VALUE = define(Op(
    "new_value",
    lambda value, target: value.view(),
    _new_value_types,
    vjp=(None, lambda g, out, value, target: g),
    work=no_work,
    unit="none",
    role="alias",
    view=True,
    doc="The first operand, to be assigned to the second: gradients of what is read later belong to the second alone.",
    samples=lambda rng: [Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3))), smooth=False)],
))  # fmt: skip


# ---- print -----------------------------------------------------------------------------------------


def _print(*arrays: Array, texts: tuple[str | tuple[str, ...] | None, ...]) -> tuple[()]:
    remaining = map(_array_text, arrays)
    for text in texts:
        if isinstance(text, tuple):
            print("".join(part + next(remaining) for part in text[:-1]) + text[-1])
        else:
            print(next(remaining) if text is None else text)
    return ()


def _print_types(*types: TensorType, texts: tuple[str | tuple[str, ...] | None, ...]) -> tuple[()]:
    count = sum(len(text) - 1 if isinstance(text, tuple) else text is None for text in texts)
    if count != len(types):
        raise UsageError(f"print: its texts have places for {count} tensors, got {len(types)}; pass one for each")
    return ()


def _array_text(array: Array) -> str:
    array = np.asarray(array)
    return tensor_repr(array, DTYPE_BY_NUMPY[array.dtype])


PRINT = define(Op(
    "print",
    _print,
    _print_types,
    vjp=EachOperand(lambda *args, **attrs: None),
    work=no_work,
    unit="none",
    effects=("io",),
    label=lambda attrs: "print",
    doc="Prints one argument per line: in `texts` None is the next tensor, a tuple has tensors between its parts.",
    samples=lambda rng: [Sample((np.array([1.0, 2.0]),), {"texts": ("x is", None)}, smooth=False)],
))  # fmt: skip


# ---- depend ----------------------------------------------------------------------------------------

DEPEND = define(Op(
    "depend",
    lambda value, *after: value,
    lambda value, *after: value,
    vjp=EachOperand(lambda position, g, out, *ins: g if position == 0 else None),
    work=no_work,
    unit="none",
    role="depend",
    view=True,
    doc="The first operand, after all others have been computed.",
    samples=lambda rng: [Sample((rng.normal(size=(2, 3)), rng.normal(size=3), np.array(1)))],
))  # fmt: skip
