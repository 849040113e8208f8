"""Stacking tensors and cutting them up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from minigraph.core.errors import UsageError
from minigraph.core.op import apply
from minigraph.operators import indexing
from minigraph.operators.families import axis_of
from minigraph.ops.functional.array import EVERY, concat, reshape, split
from minigraph.ops.functional.calls import spelled

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "column_stack", "dsplit", "dstack", "hsplit", "hstack", "narrow",
    "row_stack", "slice", "strided_slice", "take", "tensor_split", "vsplit", "vstack",
]  # fmt: skip


def along(x: Any, axis: int, item: Any) -> Any:
    """One step of an index at one axis."""
    return apply(indexing.INDEX, x, key=(*(EVERY,) * axis, item, ...))


# ---- stacking --------------------------------------------------------------------------------------


def _each(fn: Any, inputs: Any) -> Any:
    return tuple(map(fn, inputs)) if isinstance(inputs, tuple | list) else fn(inputs)


def atleast_1d(inputs: Any) -> Any:
    """A tensor, or each of several, with at least one axis."""
    return _each(lambda x: x if x.ndim else reshape(x, (1,)), inputs)


def atleast_2d(inputs: Any) -> Any:
    """A tensor, or each of several, with at least two axes, new ones in front."""
    return _each(lambda x: x if x.ndim > 1 else reshape(x, (1, -1)), inputs)


def atleast_3d(inputs: Any) -> Any:
    """A tensor, or each of several, with at least three axes: a vector is [1, n, 1], a matrix [m, n, 1]."""
    return _each(lambda x: x if x.ndim > 2 else reshape(x, (*x.shape, 1) if x.ndim == 2 else (1, -1, 1)), inputs)


def hstack(tensors: Any) -> Any:
    """Tensors side by side: along axis 1, vectors along axis 0."""
    parts = [atleast_1d(one) for one in tensors]
    return concat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(inputs: Any) -> Any:
    """Tensors on top of each other along axis 0; vectors are rows."""
    return concat([atleast_2d(one) for one in inputs], 0)


row_stack = spelled(vstack, tensors="inputs")


def dstack(tensors: Any) -> Any:
    """Tensors behind each other along axis 2."""
    return concat([atleast_3d(one) for one in tensors], 2)


def column_stack(tensors: Any) -> Any:
    """Tensors side by side along axis 1; vectors are columns."""
    return concat([reshape(one, (-1, 1)) if one.ndim < 2 else one for one in tensors], 1)


# ---- cutting ---------------------------------------------------------------------------------------


def tensor_split(input: Any, indices_or_sections: Any, axis: int = 0) -> tuple[Any, ...]:
    """So many pieces of nearly one size, the first ones larger, or pieces that begin at the given places."""
    at = axis_of("tensor_split", axis, input.ndim)
    size = input.shape[at]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count < 1:
            raise UsageError(f"tensor_split: {count} pieces; give at least 1")
        return split(input, [size // count + (i < size % count) for i in range(count)], at)
    cuts = [0, *indices_or_sections, size]
    return tuple(along(input, at, (start, stop, None)) for start, stop in pairwise(cuts))


def hsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Pieces along axis 1; of a vector along axis 0."""
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Pieces along axis 0."""
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Pieces along axis 2."""
    return tensor_split(input, indices_or_sections, 2)


def narrow(input: Any, axis: int, start: int, length: int) -> Any:
    """``length`` slices along an axis from ``start``; raises ``UsageError`` when there are not as many."""
    at = axis_of("narrow", axis, input.ndim)
    if not 0 <= start <= start + length <= input.shape[at]:
        raise UsageError(f"narrow: {length} slices from {start} are not in axis {at} of {input.type}")
    return along(input, at, (start, start + length, None))


def slice(input_x: Any, begin: Sequence[int], size: Sequence[int]) -> Any:
    """The block that begins at ``begin``; a size of -1 reaches to the end."""
    pairs = zip(begin, size, strict=True)
    return apply(indexing.INDEX, input_x, key=tuple((at, None if n == -1 else at + n, None) for at, n in pairs))


def strided_slice(
    input_x: Any,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """The elements from ``begin`` to ``end`` by ``strides``; bit i of a mask changes what entry i means.

    ``begin_mask`` and ``end_mask`` leave that end open, ``ellipsis_mask`` stands for all axes in between,
    ``new_axis_mask`` for a new axis, ``shrink_axis_mask`` for the one element at ``begin``.
    """
    steps = strides or (1,) * len(begin)
    masks = (ellipsis_mask, new_axis_mask, shrink_axis_mask, begin_mask, end_mask)
    key = tuple(
        _step(*entry, *(bool(mask >> i & 1) for mask in masks))
        for i, entry in enumerate(zip(begin, end, steps, strict=True))
    )
    return apply(indexing.INDEX, input_x, key=key)


def _step(start: int, stop: int, step: int, rest: bool, new: bool, one: bool, open_: bool, endless: bool) -> Any:
    if rest or new or one:
        return ... if rest else None if new else start
    return (None if open_ else start, None if endless else stop, step)


def take(input: Any, index: Any) -> Any:
    """The elements of the flattened tensor at the given positions."""
    return apply(indexing.INDEX, reshape(input, (-1,)), index, key=((1,),))
