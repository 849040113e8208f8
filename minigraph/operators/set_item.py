"""Index assignment: the operator behind ``x[key] = value``."""

from __future__ import annotations

import math

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.errors import DTypeError, ShapeError
from minigraph.core.op import EachOperand, Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import TensorType, int64
from minigraph.operators.indexing import Key, canonical_key, key_text, numpy_index, out_of_bounds, selected_type
from minigraph.operators.work import traffic


def _set_item(x: Array, value: Array, *indices: Array, key: Key) -> Array:
    out = np.array(x, order="C")
    _check_kinds(x, value)
    try:
        out[numpy_index(key, indices)] = value
    except IndexError as error:
        raise out_of_bounds("set_item", error, x.shape, indices) from None
    return out


def _check_kinds(x: Array | Tensor | TensorType, value: Array | Tensor | TensorType) -> None:
    if value.dtype.kind == "c" and x.dtype.kind != "c":
        raise DTypeError(f"set_item: {value.dtype} does not fit into {x.dtype}; cast one of them")


def _set_item_types(x: TensorType, value: TensorType, *indices: TensorType, key: Key) -> TensorType:
    _check_kinds(x, value)
    if any(index.dtype.kind == "b" for index in indices):  # the number of selected elements depends on values
        return x
    selected = selected_type(x, *indices, key=key)
    trailing = value.shape[max(len(value.shape) - len(selected.shape), 0) :]
    sizes = zip(reversed(trailing), reversed(selected.shape), strict=False)
    if math.prod(trailing) != value.size or not all(size in (1, target) for size, target in sizes):
        raise ShapeError(f"set_item: {value} does not fill the selected elements, {selected}; broadcast or slice it")
    return x


def _set_item_grad(
    position: int, g: Tensor, out: Tensor, x: Tensor, value: Tensor, *indices: Tensor, key: Key
) -> Tensor | None:
    if position == 0:
        return apply("set_item", g, 0, *indices, key=key)
    if position > 1:
        return None
    cotangent = apply("index", g, *indices, key=key)
    if indices:  # of several writes to one element only the last has a gradient
        numbers = Tensor.from_numpy(np.arange(cotangent.size).reshape(cotangent.shape))
        last = apply("index", apply("set_item", apply("cast", x, dtype=int64), numbers, *indices, key=key), *indices,
                     key=key)  # fmt: skip
        cotangent = apply("where", apply("equal", last, numbers), cotangent, 0)
    axes = (1,) * (len(value.shape) - len(cotangent.shape))
    return apply("cast", cotangent.reshape(axes + cotangent.shape) if axes else cotangent, dtype=value.dtype)


def _set_item_work(out: TensorType, x: TensorType, value: TensorType, *indices: TensorType, key: Key) -> Work:
    """A copy of the tensor, because the old value may still be used, and the new elements."""
    return traffic(out, (x, value, *indices))


def _set_item_samples(rng: np.random.Generator) -> list[Sample]:
    x = rng.normal(size=(3, 4))
    return [
        Sample((x, rng.normal(size=4)), {"key": (-1,)}),
        Sample((x, rng.normal(size=(2, 1))), {"key": ((0, 3, 2), (1, None, None))}),
        Sample((x, rng.normal(size=(1, 3, 4))), {"key": (...,)}),
        Sample((x, np.array(2.0)), {"key": (None, (None, None, -1), 0)}),
        Sample((x, rng.normal(size=(4, 4)), np.array([0, 2, 2, -3])), {"key": ((1,),)}),
        Sample((x, rng.normal(size=2), np.array([0, 2]), np.array([1, 3])), {"key": ((1,), (2,))}),
    ]


SET_ITEM = define(Op(
    "set_item",
    _set_item,
    _set_item_types,
    vjp=EachOperand(_set_item_grad),
    work=_set_item_work,
    unit="move",
    canonical=lambda x, value, *indices, key: canonical_key(x, *indices, key=key),
    label=lambda attrs: f"[{key_text(attrs['key'])}] :=",
    samples=_set_item_samples,
    doc="The first operand with the selected elements replaced by the second, cast and broadcast.",
))  # fmt: skip
