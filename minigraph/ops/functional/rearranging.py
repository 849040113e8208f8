"""Rearranging elements: repeating, flipping, rolling, and moving blocks between axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import IntOrTuple
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import int64
from minigraph.operators import indexing, views
from minigraph.operators.families import normalize_axes, normalize_axis
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import gather_elements, where
from minigraph.ops.functional.joining import FULL_SLICE, concat, index_axis
from minigraph.ops.functional.shapes import ravel, reshape, transpose

FORMS = """
method mint: roll
method: fliplr flipud repeat_interleave reverse reverse_sequence rot90
mint: flip
function: batch_to_space_nd channel_shuffle pixel_shuffle pixel_unshuffle repeat_elements space_to_batch_nd
"""
export(globals())


# ---- repeating -------------------------------------------------------------------------------------


def repeat_interleave(input: Tensor, repeats: IntOrTuple, axis: int | None = None) -> Tensor:
    """Repeats every slice along an axis, by one number for all or one for each (``None``: flattened).

    >>> print(repeat_interleave(Tensor([1, 2]), 2))
    [1 1 2 2]
    """
    if axis is None:
        return repeat_interleave(ravel(input), repeats, 0)
    axis = normalize_axis("repeat_interleave", axis, input.ndim)
    if isinstance(repeats, Tensor) and repeats.size == 1:
        repeats = repeats.item()
    if isinstance(repeats, int):
        expanded = apply(views.EXPAND_DIMS, input, axis=axis + 1)
        shape = (*input.shape[: axis + 1], repeats, *input.shape[axis + 1 :])
        merged_shape = (*input.shape[:axis], input.shape[axis] * repeats, *input.shape[axis + 1 :])
        return reshape(apply(views.BROADCAST_TO, expanded, shape=shape), merged_shape)
    counts = repeats.tolist() if isinstance(repeats, Tensor) else list(repeats)
    indices = [i for i, count in enumerate(counts) for _ in range(count)]
    if len(counts) != input.shape[axis]:
        text = f"{len(counts)} repeats for axis {axis} of {input.type}"
        raise ShapeError(f"repeat_interleave: {text}; pass one per slice")
    return apply(indexing.INDEX, input, Tensor(indices), key=(*((None, None, None),) * axis, (1,), ...))


def repeat_elements(x: Tensor, rep: int, axis: int = 0) -> Tensor:
    """Repeats every slice along an axis ``rep`` times."""
    return repeat_interleave(x, rep, axis)


# ---- flipping and rolling --------------------------------------------------------------------------


def flip(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Reverses the elements along the given axes."""
    axes = set(normalize_axes("flip", tuple(dims), input.ndim)) if dims else set()
    key = tuple((None, None, -1) if i in axes else FULL_SLICE for i in range(input.ndim))
    return apply(indexing.INDEX, input, key=key)


def flipud(input: Tensor) -> Tensor:
    """Reverses axis 0."""
    return flip(input, (0,))


def fliplr(input: Tensor) -> Tensor:
    """Reverses axis 1."""
    return flip(input, (1,))


def reverse(x: Tensor, axis: Sequence[int]) -> Tensor:
    """Reverses the elements along the given axes."""
    return flip(x, (axis,) if isinstance(axis, int) else axis)


def roll(input: Tensor, shifts: IntOrTuple, dims: IntOrTuple | None = None) -> Tensor:
    """Rolls elements along axes; those beyond the last position re-enter at the first (``None``: flattened).

    >>> print(roll(Tensor([1, 2, 3]), 1))
    [3 1 2]
    """
    if dims is None:
        return reshape(roll(ravel(input), shifts, 0), input.shape)
    steps = shifts if isinstance(shifts, tuple | list) else (shifts,)
    axes = dims if isinstance(dims, tuple | list) else (dims,)
    if len(steps) != len(axes):
        raise UsageError(f"roll: {len(steps)} shifts for {len(axes)} axes; pass one for each")
    for step, dim in zip(steps, axes, strict=True):
        axis = normalize_axis("roll", dim, input.ndim)
        cut = -step % input.shape[axis] if input.shape[axis] else 0
        if cut:
            tail, head = (index_axis(input, axis, key) for key in ((cut, None, None), (None, cut, None)))
            input = concat((tail, head), axis)
    return input


def rot90(input: Tensor, k: int, dims: Sequence[int]) -> Tensor:
    """Rotates ``k`` times by 90 degrees in the plane of two axes, from the first towards the second."""
    first, second = (normalize_axis("rot90", axis, input.ndim) for axis in dims)
    quarter_turns = k % 4
    if quarter_turns == 2:
        return flip(flip(input, (first,)), (second,))
    if not quarter_turns:
        return input
    rotated = flip(input, (second,)) if quarter_turns == 1 else input
    rotated = rotated.swapaxes(first, second)
    return rotated if quarter_turns == 1 else flip(rotated, (second,))


def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = 0) -> Tensor:
    """Reverses the first ``seq_lengths[i]`` elements along ``seq_dim`` of batch element i.

    >>> print(reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1))
    [[2 1 3]
     [6 5 4]]
    """
    seq_axis, batch_axis = (normalize_axis("reverse_sequence", axis, x.ndim) for axis in (seq_dim, batch_dim))
    if seq_axis == batch_axis:
        raise UsageError(f"reverse_sequence: seq_dim and batch_dim must differ, got {seq_dim} and {batch_dim}")
    sizes = [1] * x.ndim
    sizes[seq_axis] = -1
    positions = Tensor(np.arange(x.shape[seq_axis]).reshape(sizes))
    sizes[seq_axis], sizes[batch_axis] = 1, -1
    lengths = reshape(cast(seq_lengths, int64), sizes)
    sources = where(positions < lengths, lengths - 1 - positions, positions)
    return gather_elements(x, seq_axis, apply("broadcast_to", sources, shape=x.shape))


# ---- blocks ----------------------------------------------------------------------------------------


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """[..., C r^2, H, W] to [..., C, H r, W r]: r by r channels become neighbouring pixels."""
    *lead, channels, height, width = input.shape
    r, rank = upscale_factor, len(lead)
    blocks = reshape(input, (*lead, channels // r**2, r, r, height, width))
    order = (*range(rank), rank, rank + 3, rank + 1, rank + 4, rank + 2)
    return reshape(transpose(blocks, order), (*lead, channels // r**2, height * r, width * r))


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The inverse of ``pixel_shuffle``."""
    *lead, channels, height, width = input.shape
    r, rank = downscale_factor, len(lead)
    blocks = reshape(input, (*lead, channels, height // r, r, width // r, r))
    order = (*range(rank), rank, rank + 2, rank + 4, rank + 1, rank + 3)
    return reshape(transpose(blocks, order), (*lead, channels * r**2, height // r, width // r))


def channel_shuffle(x: Tensor, groups: int) -> Tensor:
    """[N, C, ...] with the channels of ``groups`` groups interleaved."""
    batch, channels, *spatial = x.shape
    grouped = reshape(x, (batch, groups, channels // groups, *spatial))
    return reshape(grouped.swapaxes(1, 2), x.shape)


def space_to_batch_nd(input_x: Tensor, block_size: int | Sequence[int], paddings: Sequence[Sequence[int]]) -> Tensor:
    """Splits padded spatial axes into blocks and moves the positions in a block to the batch axis."""
    blocks = [block_size] * 2 if isinstance(block_size, int) else list(block_size)
    first = input_x.ndim - len(blocks)
    x = apply("pad", input_x, widths=((0, 0),) * first + tuple(map(tuple, paddings)))
    for axis, (size, block) in enumerate(zip(x.shape[first:], blocks, strict=True), first):
        if size % block:
            raise ShapeError(f"space_to_batch_nd: padded axis {axis} of size {size} is not a multiple of {block}")
    sizes = [part for size, block in zip(x.shape[first:], blocks, strict=True) for part in (size // block, block)]
    x = reshape(x, (*x.shape[:first], *sizes))
    split_axes = range(first, x.ndim)  # number of blocks, position in the block, for each axis
    x = transpose(x, (*split_axes[1::2], *range(first), *split_axes[::2]))
    return reshape(x, (-1, *input_x.shape[1:first], *sizes[::2]))


def batch_to_space_nd(input_x: Tensor, block_shape: int | Sequence[int], crops: Sequence[Sequence[int]]) -> Tensor:
    """Moves positions in blocks from the batch axis to the spatial axes, then crops: undoes ``space_to_batch_nd``."""
    blocks = [block_shape] * 2 if isinstance(block_shape, int) else list(block_shape)
    first, block_size = input_x.ndim - len(blocks), math.prod(blocks)
    if input_x.shape[0] % block_size:
        raise ShapeError(f"batch_to_space_nd: batch size {input_x.shape[0]} is not a multiple of {block_size}")
    x = reshape(input_x, (*blocks, input_x.shape[0] // block_size, *input_x.shape[1:]))
    count = len(blocks)
    pairs = [axis for i in range(count) for axis in (count + first + i, i)]
    x = transpose(x, (*range(count, count + first), *pairs))
    sizes = [size * block for size, block in zip(input_x.shape[first:], blocks, strict=True)]
    x = reshape(x, (*x.shape[:first], *sizes))
    slices = [slice(before, size - after) for (before, after), size in zip(crops, sizes, strict=True)]
    return x[(..., *slices)]
