"""Joining, splitting and padding tensors: concat, stack, split, pad."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs, Function
from minigraph.core.errors import DTypeError, ShapeError, UsageError
from minigraph.core.op import EachOperand, Op, Sample, apply, define
from minigraph.core.tensor import Tensor
from minigraph.core.types import Results, TensorType
from minigraph.operators.families import axis_label, check_same_dtype, normalize_axis, types_text
from minigraph.operators.work import copy_work, no_work

Widths = tuple[tuple[int, int], ...]


# ---- concat ----------------------------------------------------------------------------------------


def _concat_types(*types: TensorType, axis: int) -> TensorType:
    shapes = {t.shape[:axis] + t.shape[axis + 1 :] for t in types}
    if len(shapes) > 1:
        raise ShapeError(f"concat: {types_text(types)} differ in axes other than {axis}; reshape or slice them")
    first = types[0].shape
    size = sum(t.shape[axis] for t in types)
    return TensorType((*first[:axis], size, *first[axis + 1 :]), check_same_dtype("concat", *types))


def _joining_attrs(name: str, new_axes: int) -> Function:
    """The ``canonical`` of an operator that joins tensors along ``axis`` and adds ``new_axes`` to their rank."""

    def canonical(*tensors: Tensor, axis: object = 0) -> Attrs:
        if not tensors:
            raise UsageError(f"{name}: needs at least one tensor, got none")
        check_same_dtype(name, *(TensorType(t.shape, t.dtype) for t in tensors))
        return {"axis": normalize_axis(name, axis, len(tensors[0].shape) + new_axes)}

    return canonical


def _slice_of_operand(position: int, g: Tensor, out: Tensor, *tensors: Tensor, axis: int) -> Tensor:
    """The slice of the gradient that belongs to one operand."""
    start = sum(t.shape[axis] for t in tensors[:position])
    leading = ((None, None, 1),) * axis
    return apply("index", g, key=(*leading, (start, start + tensors[position].shape[axis], 1), ...))


def _concat(*arrays: Array, axis: int, out: Array | None = None) -> Array:
    return np.asarray(np.concatenate(arrays, axis, out), order="C")  # numpy's result has the order of its operands


CONCAT = define(Op(
    "concat", _concat, _concat_types,
    vjp=EachOperand(_slice_of_operand), into=True,
    work=copy_work, unit="move", canonical=_joining_attrs("concat", 0), label=axis_label("concat"),
    doc="Tensors concatenated along an axis.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(1, 3)), rng.normal(size=(2, 3)))),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 0))), {"axis": -1}),
        Sample((rng.integers(0, 5, 3),), smooth=False),
    ],
))  # fmt: skip


# ---- stack -----------------------------------------------------------------------------------------


def _stack_types(*types: TensorType, axis: int) -> TensorType:
    if len({t.shape for t in types}) > 1:
        raise ShapeError(f"stack: {types_text(types)} are not all of one shape; use concat, or pad them")
    shape = types[0].shape
    return TensorType((*shape[:axis], len(types), *shape[axis:]), check_same_dtype("stack", *types))


def _stack_item(position: int, g: Tensor, out: Tensor, *tensors: Tensor, axis: int) -> Tensor:
    return apply("index", g, key=(*((None, None, 1),) * axis, position, ...))


STACK = define(Op(
    "stack", lambda *arrays, axis: np.stack(arrays, axis), _stack_types, vjp=EachOperand(_stack_item),
    work=copy_work, unit="move", canonical=_joining_attrs("stack", 1), label=axis_label("stack"),
    doc="Tensors of one shape stacked along a new axis.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))),
        Sample((np.array(1.0), np.array(2.0), np.array(3.0))),
        Sample((rng.normal(size=(2, 3)), rng.normal(size=(2, 3))), {"axis": -1}),
    ],
))  # fmt: skip


# ---- split -----------------------------------------------------------------------------------------


def _split_types(x: TensorType, *, sizes: tuple[int, ...], axis: int) -> TensorType | Results:
    parts = tuple(TensorType((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype) for size in sizes)
    return parts if len(parts) != 1 else x


def _split_attrs(x: Tensor, *, sizes: Any, axis: int = 0) -> Attrs:
    axis = normalize_axis("split", axis, len(x.shape))
    total = x.shape[axis]
    if isinstance(sizes, int):
        if sizes < 1:
            raise UsageError(f"split: sections of size {sizes}; give at least 1")
        sizes = [min(sizes, total - start) for start in range(0, total, sizes)] or [0]
    if sum(sizes) != total or min(sizes, default=0) < 0:
        text = f"split: sizes {tuple(sizes)} do not add up to {total}, the size of axis {axis} of {x}"
        raise ShapeError(f"{text}; change one of them")
    return {"sizes": tuple(sizes), "axis": axis}


def _split(x: Array, *, sizes: tuple[int, ...], axis: int) -> Array | tuple[Array, ...]:
    return tuple(np.split(x, list(accumulate(sizes))[:-1], axis)) if len(sizes) != 1 else x


SPLIT = define(Op(
    "split", _split, _split_types,
    vjp=(lambda g, out, x, sizes, axis: apply("concat", *g, axis=axis) if isinstance(g, tuple) else g,),
    work=no_work, unit="none", view=True, canonical=_split_attrs,
    label=lambda attrs: f"split {','.join(map(str, attrs['sizes']))}",
    doc="Consecutive parts along an axis: of one size (the last may be smaller), or of given sizes; a single part is "
    "the tensor itself.",
    samples=lambda rng: [
        Sample((rng.normal(size=(5, 2)),), {"sizes": 2}),
        Sample((rng.normal(size=(2, 4)),), {"sizes": (1, 3), "axis": -1}),
        Sample((rng.normal(size=(2, 4)),), {"sizes": (2,)}),
    ],
))  # fmt: skip


# ---- pad -------------------------------------------------------------------------------------------


def _pad_attrs(x: Tensor, *, widths: Any, value: float = 0.0) -> Attrs:
    pairs = tuple((int(before), int(after)) for before, after in widths)
    if len(pairs) != len(x.shape) or min((n for pair in pairs for n in pair), default=0) < 0:
        raise ShapeError(f"pad: widths {pairs} for shape {list(x.shape)}; give one (before, after) >= 0 per axis")
    if x.dtype.kind not in "fc" and value != int(value if np.isfinite(value) else 0.5):
        raise DTypeError(f"pad: {value} does not fit into {x.dtype}; cast the tensor to a float first")
    return {"widths": pairs, "value": value}


def _pad_grad(g: Tensor, out: Tensor, x: Tensor, widths: Widths, value: float) -> Tensor:
    return apply("index", g, key=tuple((b, b + n, 1) for (b, _), n in zip(widths, x.shape, strict=True)))


PAD = define(Op(
    "pad", lambda x, *, widths, value: np.pad(x, widths, constant_values=value) if widths else x.copy(),
    lambda x, *, widths, value: TensorType(
        tuple(b + n + a for (b, a), n in zip(widths, x.shape, strict=True)), x.dtype
    ),
    vjp=(_pad_grad,), work=copy_work, unit="move", canonical=_pad_attrs,
    label=lambda attrs: "pad", doc="The tensor padded with a constant: (before, after) widths per axis.",
    samples=lambda rng: [
        Sample((rng.normal(size=(2, 3)),), {"widths": ((1, 0), (0, 2))}),
        Sample((rng.normal(size=2),), {"widths": ((1, 1),), "value": -np.inf}, smooth=False),
    ],
))  # fmt: skip
