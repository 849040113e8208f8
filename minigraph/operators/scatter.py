"""Scatter-add of many terms into one tensor: a sum of ``index_add`` as one operator."""

from __future__ import annotations

import numpy as np

from minigraph.core.aliases import Array, Attrs, AttrValue
from minigraph.core.errors import ShapeError
from minigraph.core.op import EachOperand, Op, Sample, apply, define
from minigraph.core.op_fields import Work
from minigraph.core.tensor import Tensor
from minigraph.core.types import Shape, TensorType
from minigraph.operators.indexing import Key, canonical_key, key_text, numpy_key, selected_type
from minigraph.operators.work import traffic

Keys = tuple[Key, ...]


def _scatter_sum(*terms: Array, keys: Keys, shape: Shape, out: Array | None = None) -> Array:
    total = np.empty(shape, terms[0].dtype) if out is None else out
    total.fill(0)
    for term, key in zip(terms, keys, strict=True):
        selected = total[(*numpy_key(key), ...)]
        np.add(selected, term, selected)
    return total


def _scatter_sum_types(*terms: TensorType, keys: Keys, shape: Shape) -> TensorType:
    total = TensorType(shape, terms[0].dtype)
    for term, key in zip(terms, keys, strict=True):
        if selected_type(total, key=key) != term:
            raise ShapeError(f"scatter_sum: {term} does not fill [{key_text(key)}] of {total}")
    return total


def _scatter_sum_attrs(*terms: Tensor, keys: Keys, shape: Shape) -> Attrs:
    if len(terms) != len(keys) or not terms:
        raise ShapeError(f"scatter_sum: {len(keys)} keys for {len(terms)} parts; give one key for each")
    total = TensorType(shape, terms[0].dtype)
    return {"keys": tuple(canonical_key(total, key=key)["key"] for key in keys), "shape": shape}


def _scatter_sum_grad(position: int, g: Tensor, out: Tensor, *terms: Tensor, keys: Keys, shape: Shape) -> Tensor:
    return apply("index", g, key=keys[position])


def _scatter_sum_work(out: TensorType, *terms: TensorType, **attrs: AttrValue) -> Work:
    """Initial zeros, and the addition of every term."""
    return Work(lanes=(("gather", sum(term.size for term in terms)),)) + traffic(out, terms)


SCATTER_SUM = define(Op(
    "scatter_sum",
    _scatter_sum,
    _scatter_sum_types,
    vjp=EachOperand(_scatter_sum_grad),
    work=_scatter_sum_work,
    unit="move",
    into=True,
    canonical=_scatter_sum_attrs,
    label=lambda attrs: f"add at {len(attrs['keys'])} places",
    doc="Zeros of `shape` to which the terms are added in order, each to the elements selected by its key of `keys`.",
    samples=lambda rng: [
        Sample((rng.normal(size=3), rng.normal(size=(2, 3))), {"keys": ((1,), ((0, 3, 2),)), "shape": (3, 3)}),
        Sample((rng.normal(size=()), rng.normal(size=(1, 2))), {"keys": ((-1,), (None, (1, None, 1))), "shape": (3,)}),
    ],
))  # fmt: skip
