"""Rearranging elements: repeating, flipping, rolling, and moving blocks between axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.operators import indexing, views
from minigraph.operators.families import axes_of, axis_of
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.indexing import gather_elements, where
from minigraph.ops.functional.joining import EVERY, along, concat
from minigraph.ops.functional.shapes import ravel, reshape, transpose

__all__ = [
    "batch_to_space_nd", "channel_shuffle", "flip", "fliplr", "flipud", "pixel_shuffle", "pixel_unshuffle",
    "repeat_elements", "repeat_interleave", "reverse", "reverse_sequence", "roll", "rot90", "space_to_batch_nd",
]  # fmt: skip


# ---- repeating -------------------------------------------------------------------------------------


def repeat_interleave(input: Any, repeats: Any, axis: int | None = None) -> Any:
    """Every slice along an axis several times in a row: one number for all, or one for each (``None``: flattened).

    >>> print(repeat_interleave(Tensor([1, 2]), 2))
    [1 1 2 2]
    """
    if axis is None:
        return repeat_interleave(ravel(input), repeats, 0)
    at = axis_of("repeat_interleave", axis, input.ndim)
    if isinstance(repeats, Tensor) and repeats.size == 1:
        repeats = repeats.item()
    if isinstance(repeats, int):
        wide = apply(views.EXPAND_DIMS, input, axis=at + 1)
        shape = (*input.shape[: at + 1], repeats, *input.shape[at + 1 :])
        merged = (*input.shape[:at], input.shape[at] * repeats, *input.shape[at + 1 :])
        return reshape(apply(views.BROADCAST_TO, wide, shape=shape), merged)
    counts = repeats.tolist() if isinstance(repeats, Tensor) else list(repeats)
    places = [i for i, count in enumerate(counts) for _ in range(count)]
    if len(counts) != input.shape[at]:
        raise ShapeError(f"repeat_interleave: {len(counts)} repeats for axis {at} of {input.type}; give one per slice")
    return apply(indexing.INDEX, input, Tensor(places), key=(*((None, None, None),) * at, (1,), ...))


def repeat_elements(x: Any, rep: int, axis: int = 0) -> Any:
    """Every slice along an axis ``rep`` times in a row."""
    return repeat_interleave(x, rep, axis)


# ---- flipping and rolling --------------------------------------------------------------------------


def flip(input: Any, dims: Sequence[int]) -> Any:
    """The given axes in reverse order of their elements."""
    turned = set(axes_of("flip", tuple(dims), input.ndim)) if dims else set()
    key = tuple((None, None, -1) if i in turned else EVERY for i in range(input.ndim))
    return apply(indexing.INDEX, input, key=key)


def flipud(input: Any) -> Any:
    """Axis 0 in reverse order."""
    return flip(input, (0,))


def fliplr(input: Any) -> Any:
    """Axis 1 in reverse order."""
    return flip(input, (1,))


def reverse(x: Any, axis: Any) -> Any:
    """The given axes in reverse order of their elements."""
    return flip(x, (axis,) if isinstance(axis, int) else axis)


def roll(input: Any, shifts: Any, dims: Any = None) -> Any:
    """Elements moved along axes, what leaves at one end coming in at the other (``None``: flattened).

    >>> print(roll(Tensor([1, 2, 3]), 1))
    [3 1 2]
    """
    if dims is None:
        return reshape(roll(ravel(input), shifts, 0), input.shape)
    steps = shifts if isinstance(shifts, tuple | list) else (shifts,)
    axes = dims if isinstance(dims, tuple | list) else (dims,)
    if len(steps) != len(axes):
        raise UsageError(f"roll: {len(steps)} shifts for {len(axes)} axes; give one for each")
    for step, axis in zip(steps, axes, strict=True):
        at = axis_of("roll", axis, input.ndim)
        cut = -step % input.shape[at] if input.shape[at] else 0
        if cut:
            input = concat((along(input, at, (cut, None, None)), along(input, at, (None, cut, None))), at)
    return input


def rot90(input: Any, k: int, dims: Sequence[int]) -> Any:
    """Turned by ``k`` quarters in the plane of two axes, from the first towards the second."""
    first, second = (axis_of("rot90", axis, input.ndim) for axis in dims)
    turns = k % 4
    if turns == 2:
        return flip(flip(input, (first,)), (second,))
    if not turns:
        return input
    turned = flip(input, (second,)) if turns == 1 else input
    turned = turned.swapaxes(first, second)
    return turned if turns == 1 else flip(turned, (second,))


def reverse_sequence(x: Any, seq_lengths: Any, seq_dim: int, batch_dim: int = 0) -> Any:
    """The first ``seq_lengths[i]`` elements along ``seq_dim`` of case i in reverse order, the others as they are.

    >>> print(reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1))
    [[2 1 3]
     [6 5 4]]
    """
    order, cases = seq_dim % x.ndim, batch_dim % x.ndim
    if order == cases:
        raise UsageError(f"reverse_sequence: seq_dim and batch_dim are two axes, got {seq_dim} and {batch_dim}")
    sizes = [1] * x.ndim
    sizes[order] = -1
    places = Tensor(np.arange(x.shape[order]).reshape(sizes))
    sizes[order], sizes[cases] = 1, -1
    lengths = reshape(cast(seq_lengths, int64), sizes)
    turned = where(places < lengths, lengths - 1 - places, places)
    return gather_elements(x, order, apply("broadcast_to", turned, shape=x.shape))


# ---- blocks ----------------------------------------------------------------------------------------


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """[..., C r^2, H, W] as [..., C, H r, W r]: r by r channels become neighbouring pixels."""
    *lead, channels, height, width = input.shape
    r, rank = upscale_factor, len(lead)
    apart = reshape(input, (*lead, channels // r**2, r, r, height, width))
    order = (*range(rank), rank, rank + 3, rank + 1, rank + 4, rank + 2)
    return reshape(transpose(apart, order), (*lead, channels // r**2, height * r, width * r))


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """The inverse of ``pixel_shuffle``."""
    *lead, channels, height, width = input.shape
    r, rank = downscale_factor, len(lead)
    apart = reshape(input, (*lead, channels, height // r, r, width // r, r))
    order = (*range(rank), rank, rank + 2, rank + 4, rank + 1, rank + 3)
    return reshape(transpose(apart, order), (*lead, channels * r**2, height // r, width // r))


def channel_shuffle(x: Any, groups: int) -> Any:
    """[N, C, ...] with the channels of ``groups`` groups taken in turn."""
    batch, channels, *rest = x.shape
    apart = reshape(x, (batch, groups, channels // groups, *rest))
    return reshape(apart.swapaxes(1, 2), x.shape)


def space_to_batch_nd(input_x: Any, block_size: Any, paddings: Any) -> Any:
    """Axes from the first, padded, taken apart into blocks, whose places become cases: [N,C,H,W] -> [N b b, ...]."""
    blocks = [block_size] * 2 if isinstance(block_size, int) else list(block_size)
    first = input_x.ndim - len(blocks)
    x = apply("pad", input_x, widths=((0, 0),) * first + tuple(map(tuple, paddings)))
    for axis, (size, block) in enumerate(zip(x.shape[first:], blocks, strict=True), first):
        if size % block:
            raise ShapeError(f"space_to_batch_nd: axis {axis} of {size} with its border is no multiple of {block}")
    sizes = [part for size, block in zip(x.shape[first:], blocks, strict=True) for part in (size // block, block)]
    x = reshape(x, (*x.shape[:first], *sizes))
    places, inside = [first + 2 * at + 1 for at in range(len(blocks))], [first + 2 * at for at in range(len(blocks))]
    x = transpose(x, (*places, *range(first), *inside))
    return reshape(x, (-1, *input_x.shape[1:first], *sizes[::2]))


def batch_to_space_nd(input_x: Any, block_shape: Any, crops: Any) -> Any:
    """Cases put back as places of blocks along the last axes, then cut: the inverse of ``space_to_batch_nd``."""
    blocks = [block_shape] * 2 if isinstance(block_shape, int) else list(block_shape)
    first, many = input_x.ndim - len(blocks), math.prod(blocks)
    if input_x.shape[0] % many:
        raise ShapeError(f"batch_to_space_nd: {input_x.shape[0]} cases are no multiple of {many} places")
    x = reshape(input_x, (*blocks, input_x.shape[0] // many, *input_x.shape[1:]))
    count = len(blocks)
    pairs = [axis for at in range(count) for axis in (count + first + at, at)]
    x = transpose(x, (*range(count, count + first), *pairs))
    sizes = [size * block for size, block in zip(input_x.shape[first:], blocks, strict=True)]
    x = reshape(x, (*x.shape[:first], *sizes))
    cuts = [slice(before, size - after) for (before, after), size in zip(crops, sizes, strict=True)]
    return x[(..., *cuts)]
