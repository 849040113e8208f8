"""Many parts put into one tensor: what sums of ``index_add`` are made of in one go."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError
from minigraph.core.fields import Work
from minigraph.core.op import EachOperand, Op, Sample, apply, define
from minigraph.core.types import Shape, TensorType
from minigraph.operators.indexing import Key, canonical_key, key_text, numpy_key, picked_type
from minigraph.operators.pricing import traffic

Keys = tuple[Key, ...]


def _scatter_sum(*parts: np.ndarray, keys: Keys, shape: Shape) -> np.ndarray:
    total = np.zeros(shape, parts[0].dtype)
    for part, key in zip(parts, keys, strict=True):
        total[numpy_key(key)] += part
    return total


def _scatter_sum_types(*parts: TensorType, keys: Keys, shape: Shape) -> TensorType:
    total = TensorType(shape, parts[0].dtype)
    for part, key in zip(parts, keys, strict=True):
        if picked_type(total, key=key) != part:
            raise ShapeError(f"scatter_sum: {part} does not fill [{key_text(key)}] of {total}")
    return total


def _scatter_sum_attrs(*parts: Any, keys: Keys, shape: Shape) -> dict[str, Any]:
    if len(parts) != len(keys) or not parts:
        raise ShapeError(f"scatter_sum: {len(keys)} keys for {len(parts)} parts; give one key for each")
    total = TensorType(shape, parts[0].dtype)
    return {"keys": tuple(canonical_key(total, key=key)["key"] for key in keys), "shape": shape}


def _scatter_sum_grad(position: int, g: Any, out: Any, *parts: Any, keys: Keys, shape: Shape) -> Any:
    return apply("index", g, key=keys[position])


def _scatter_sum_work(out: TensorType, *parts: TensorType, **attrs: Any) -> Work:
    """Zeros everywhere, and every part added at its place."""
    return Work(lanes=(("gather", sum(part.size for part in parts)),)) + traffic(out, parts)


SCATTER_SUM = define(Op(
    "scatter_sum",
    _scatter_sum,
    _scatter_sum_types,
    vjp=EachOperand(_scatter_sum_grad),
    work=_scatter_sum_work,
    unit="move",
    canonical=_scatter_sum_attrs,
    label=lambda attrs: f"add at {len(attrs['keys'])} places",
    doc="Zeros of `shape` with every part added, one after the other, at the places that its key of `keys` picks.",
    samples=lambda rng: [
        Sample((rng.normal(size=3), rng.normal(size=(2, 3))), {"keys": ((1,), ((0, 3, 2),)), "shape": (3, 3)}),
        Sample((rng.normal(size=()), rng.normal(size=(1, 2))), {"keys": ((-1,), (None, (1, None, 1))), "shape": (3,)}),
    ],
))  # fmt: skip
