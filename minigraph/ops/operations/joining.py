"""Primitives that join and split."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.operators import joining
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Concat", "Pack", "ParallelConcat", "Split", "Stack", "Unpack", "Unstack"]


def _split(input_x: Tensor, *, axis: int, output_num: int) -> tuple[Tensor, ...]:
    """``output_num`` chunks of one size along an axis."""
    return F.tensor_split(input_x, output_num, axis)


def _unstack(input_x: Tensor, *, axis: int, num: int | None = None) -> tuple[Tensor, ...]:
    """The slices along an axis, without it."""
    return F.unstack(input_x, axis)


Concat = primitive("Concat", F.concat, joining.CONCAT, axis=0)
Stack, Pack = primitive("Stack", F.stack, joining.STACK, axis=0), primitive("Pack", F.stack, axis=0)
ParallelConcat = primitive("ParallelConcat", lambda values: F.concat(values, 0))
Split = primitive("Split", _split, axis=0, output_num=1)
Unpack, Unstack = primitive("Unpack", _unstack, axis=0), primitive("Unstack", _unstack, axis=0, num=None)
