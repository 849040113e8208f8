"""Reductions over axes. Forwards read C order, so that the bits do not depend on the layout of the operand."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from minigraph.core.aliases import Array, Attrs, Function
from minigraph.core.errors import ShapeError
from minigraph.core.op import VJP, Op, Sample, apply, define
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, Shape, TensorType, bool_, int32, int64
from minigraph.operators.families import (
    broadcast_types,
    check_kinds,
    check_operand,
    normalize_axis,
    reduced_shape,
    reduction,
    shape_label,
    sizes_of,
)
from minigraph.operators.views import inverse_permutation
from minigraph.operators.work import reduction_work

Axes = tuple[int, ...]


def keep_dims(x: Tensor, like: Tensor, axis: Axes) -> Tensor:
    """A reduced tensor with the reduced axes as axes of size 1, so that it broadcasts against ``like``."""
    shape = reduced_shape(like.shape, axis, keepdims=True)
    return x if x.shape == shape else apply("reshape", x, shape=shape)


def broadcast_like(x: Tensor, like: Tensor, axis: Axes) -> Tensor:
    """A reduced tensor broadcast to the shape of ``like``."""
    return apply("broadcast_to", keep_dims(x, like, axis), shape=like.shape)


def c_order(x: Array) -> Array:
    """The array itself if it is in C order, else a copy that is."""
    return np.asarray(x, order="C")


def count_of(shape: Shape, axis: Axes) -> int:
    """How many elements are reduced to one result."""
    count = 1
    for i in axis:
        count *= shape[i]
    return count


# ---- sums ------------------------------------------------------------------------------------------


def _sum(x: Array, *, axis: Axes, keepdims: bool, out: Array | None = None) -> Array:
    dtype: Any = None if x.dtype.kind in "fc" else np.int64
    add: Any = np.add
    return add.reduce(c_order(x), axis, dtype, out, keepdims)


def _sum_dtype(dtype: DType) -> DType:
    return dtype if dtype.is_float else int64


SUM = reduction(
    "sum", _sum, kinds="bifc", dtype=_sum_dtype, into=True,
    vjp=lambda g, out, x, axis, keepdims: broadcast_like(g, x, axis),
    doc="The sum over axes; of integers and bools as Int64.",
)  # fmt: skip


def _sum_rows(x: Array, *, out: Array | None = None) -> Array:
    add: Any = np.add
    if x.size == len(x) > 0:  # rows of one number, which numpy would sum pairwise
        x = add.accumulate(x, 0)[-1:]
    return add.reduce(c_order(x), 0, x.dtype, out, False, x.dtype.type(-0.0))  # -0 is the neutral element, also of -0


def _sum_rows_types(x: TensorType) -> TensorType:
    check_kinds("sum_rows", "f", x)
    if not x.shape:
        raise ShapeError(f"sum_rows: {x} has no rows; give it an axis")
    return TensorType(x.shape[1:], x.dtype)


SUM_ROWS = define(Op(
    "sum_rows", _sum_rows, _sum_rows_types, vjp=(lambda g, out, x: broadcast_like(g, x, (0,)),), into=True,
    work=lambda out, x: reduction_work(out, x, axis=(0,)), doc="The sum over the first axis of floats, row by row.",
    family="reduction",
    samples=lambda rng: [Sample((rng.normal(size=size),)) for size in ((3, 4), (2, 3, 2), (5,))],
))  # fmt: skip


def _mean(x: Array, *, axis: Axes, keepdims: bool) -> Array:
    count = count_of(x.shape, axis)
    if x.dtype == np.float16:  # the sum or the count may exceed float16
        return (_sum(x.astype(np.float32), axis=axis, keepdims=keepdims) / np.float32(count)).astype(np.float16)
    total = _sum(x, axis=axis, keepdims=keepdims)
    if x.dtype.kind in "fc":
        return np.true_divide(total, np.asarray(count, x.dtype))
    return (np.sign(total) * (np.abs(total) // max(count, 1))).astype(x.dtype)


MEAN = reduction(
    "mean", _mean, kinds="ifc",
    vjp=lambda g, out, x, axis, keepdims: broadcast_like(g / count_of(x.shape, axis), x, axis),
    doc="The mean over axes; of integers in their dtype, truncated towards zero.",
)  # fmt: skip


# ---- minimum and maximum ---------------------------------------------------------------------------


def _grad_shared_by_ties(g: Tensor, out: Tensor, x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """The gradient in equal shares for all elements that are the extremum."""
    extrema = apply("cast", apply("equal", x, keep_dims(out, x, axis)), dtype=x.dtype)
    return extrema * keep_dims(g / apply("sum", extrema, axis=axis, keepdims=keepdims), x, axis)


def _extreme(ufunc: Any) -> Function:
    def forward(x: Array, *, axis: Axes, keepdims: bool, out: Array | None = None) -> Array:
        return ufunc.reduce(c_order(x), axis, None, out, keepdims)

    return forward


MAX = reduction(
    "max", _extreme(np.maximum), into=True, doc="The largest element over axes, NaN if one is NaN.",
    vjp=lambda g, out, x, axis, keepdims: _grad_shared_by_ties(g, out, x, axis, keepdims),
)  # fmt: skip
MIN = reduction(
    "min", _extreme(np.minimum), into=True, doc="The smallest element over axes, NaN if one is NaN.",
    vjp=lambda g, out, x, axis, keepdims: _grad_shared_by_ties(g, out, x, axis, keepdims),
)  # fmt: skip


def _grad_to_first(position: str) -> VJP:
    """The gradient at the first of the elements that are the extremum."""

    def grad(g: Tensor, out: Tensor, x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
        rest = tuple(i for i in range(len(x.shape)) if i not in axis)
        transposed = apply("transpose", x, axes=rest + axis)
        kept_shape, count = transposed.shape[: len(rest)], count_of(x.shape, axis)
        where = apply(position, apply("reshape", transposed, shape=(*kept_shape, count)), axis=-1)
        first = apply("one_hot", where, depth=count, axis=-1, dtype=x.dtype)
        product = first * apply("reshape", g, shape=(*kept_shape, 1))
        return apply(
            "transpose", apply("reshape", product, shape=transposed.shape), axes=inverse_permutation(rest + axis)
        )

    return grad


FIRST_MAX = reduction(
    "first_max", _extreme(np.maximum), into=True, vjp=_grad_to_first("argmax"),
    doc="The largest element over axes, NaN if one is NaN; of equal elements the first gets the gradient.",
)  # fmt: skip
FIRST_MIN = reduction(
    "first_min", _extreme(np.minimum), into=True, vjp=_grad_to_first("argmin"),
    doc="The smallest element over axes, NaN if one is NaN; of equal elements the first gets the gradient.",
)  # fmt: skip
ALL = reduction(
    "all", _extreme(np.logical_and), into=True, dtype=lambda dtype: bool_, vjp=None,
    doc="Whether no element over axes is zero.",
    samples=lambda rng: [Sample((rng.integers(0, 2, (2, 3)).astype(bool),), {"axis": 1}, smooth=False)],
)  # fmt: skip
ANY = reduction(
    "any", _extreme(np.logical_or), into=True, dtype=lambda dtype: bool_, vjp=None,
    doc="Whether an element over axes is not zero.",
    samples=lambda rng: [Sample((rng.integers(0, 2, (2, 3)).astype(bool),), {"axis": 1}, smooth=False)],
)  # fmt: skip


def _prod(x: Array, *, axis: Axes, keepdims: bool, out: Array | None = None) -> Array:
    dtype: Any = None if x.dtype.kind in "fc" else np.int64
    multiply: Any = np.multiply
    return multiply.reduce(c_order(x), axis, dtype, out, keepdims)


def _prod_grad(g: Tensor, out: Tensor, x: Tensor, axis: Axes, keepdims: bool) -> Tensor:
    """The gradient times the product of all other elements, computed without division, so that elements may be 0."""
    order = (*(i for i in range(x.ndim) if i not in axis), *axis)
    size = count_of(x.shape, axis)
    rest_size = math.prod(n for i, n in enumerate(x.shape) if i not in axis)
    rows = apply("reshape", apply("transpose", x, axes=order), shape=(rest_size, size))
    pairs = apply("broadcast_to", apply("expand_dims", rows, axis=1), shape=(rows.shape[0], size, size))
    other_elements = apply("where", type(x).from_numpy(np.eye(size, dtype=bool)), 1, pairs)
    products = apply("reshape", apply("prod", other_elements, axis=2), shape=tuple(x.shape[i] for i in order))
    return apply("transpose", products, axes=tuple(order.index(i) for i in range(x.ndim))) * keep_dims(g, x, axis)


PROD = reduction(
    "prod", _prod, kinds="bifc", dtype=_sum_dtype, into=True, vjp=_prod_grad,
    doc="The product over axes; of integers and bools as Int64.",
)  # fmt: skip


# ---- positions -------------------------------------------------------------------------------------


def _position(name: str, function: Function, adjective: str, dtype: DType) -> Op:
    def infer(x: TensorType, *, axis: int | None) -> TensorType:
        check_kinds(name, "bif", x)
        return TensorType(() if axis is None else reduced_shape(x.shape, (axis,), keepdims=False), dtype)

    def canonical(x: Tensor, *, axis: object = None) -> Attrs:
        check_operand(name, "bif", x)
        return {"axis": None if axis is None else normalize_axis(name, axis, len(x.shape))}

    return define(Op(
        name,
        lambda x, *, axis: function(x, axis=axis).astype(dtype.numpy, copy=False),
        infer,
        vjp=(None,),
        work=reduction_work,
        family="reduction",
        canonical=canonical,
        label=lambda attrs: f"{name} axis {attrs['axis']}",
        doc=f"The index of the first {adjective} element over one axis (None: in the flattened tensor), as {dtype}.",
        samples=lambda rng: [
            Sample((rng.normal(size=(2, 3)),), {"axis": -1}, smooth=False),
            Sample((np.array([[3, 1, 3], [2, 2, 2]]),), smooth=False),
        ],
    ))  # fmt: skip


ARGMAX = _position("argmax", np.argmax, "largest", int64)
ARGMIN = _position("argmin", np.argmin, "smallest", int32)  # in MindSpore, too, their dtypes differ


# ---- the adjoint of a broadcast --------------------------------------------------------------------


@lru_cache(maxsize=4096)
def broadcast_axes(wide: Shape, shape: Shape) -> Axes:
    """The axes of ``wide`` along which a tensor of ``shape`` is repeated when it is broadcast to ``wide``.

    >>> broadcast_axes((4, 2, 3), (2, 1))
    (0, 2)
    """
    lead = len(wide) - len(shape)
    return (*range(lead), *(i + lead for i, n in enumerate(shape) if n == 1 and wide[i + lead] != 1))


def _sum_to(x: Array, *, shape: Shape, out: Array | None = None) -> Array:
    axis = broadcast_axes(x.shape, shape)
    flat_out = None if out is None else out.reshape(reduced_shape(x.shape, axis, keepdims=False))
    return _sum(x, axis=axis, keepdims=False, out=flat_out).reshape(shape)


def _sum_to_types(x: TensorType, *, shape: Shape) -> TensorType:
    check_kinds("sum_to", "ifc", x)
    if broadcast_types("sum_to", x, TensorType(shape, x.dtype)) != x.shape:
        raise ShapeError(f"sum_to: {x} cannot be summed to shape {list(shape)}; give a shape that broadcasts to it")
    return TensorType(shape, _sum_dtype(x.dtype))


def _sum_to_attrs(x: Tensor, *, shape: tuple[int, ...]) -> Attrs:
    check_operand("sum_to", "ifc", x)
    return {"shape": sizes_of("sum_to", shape)}


SUM_TO = define(Op(
    "sum_to",
    _sum_to,
    _sum_to_types,
    vjp=(lambda g, out, x, shape: apply("broadcast_to", g, shape=x.shape),),
    work=lambda out, x, shape: reduction_work(out, x, axis=broadcast_axes(x.shape, shape)),
    family="reduction",
    into=True,
    label=shape_label("sum_to"),
    canonical=_sum_to_attrs,
    doc="The sum over the axes along which a tensor of `shape` would be broadcast: the gradient of broadcasting.",
    samples=lambda rng: [
        Sample((rng.normal(size=(4, 2, 3)),), {"shape": (2, 1)}),
        Sample((rng.normal(size=(2, 3)),), {"shape": ()}),
        Sample((rng.normal(size=(2, 3)),), {"shape": (2, 3)}),
    ],
))  # fmt: skip
