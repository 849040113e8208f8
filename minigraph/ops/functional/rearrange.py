"""Repeating and turning: elements in new places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.operators import indexing, views
from minigraph.operators.families import axis_of, check_tensors
from minigraph.ops.functional.array import concat, flip, reshape, transpose
from minigraph.ops.functional.pieces import along

__all__ = [
    "channel_shuffle", "expand", "expand_as", "fliplr", "flipud", "moveaxis", "movedim", "pixel_shuffle",
    "pixel_unshuffle", "ravel", "repeat_elements", "repeat_interleave", "reverse", "roll", "rot90", "swapdims", "t",
    "view_as",
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


def expand(input_x: Any, size: Any) -> Any:
    """Repeated along axes of size 1 to a shape; -1 keeps a size."""
    sizes = tuple(size.tolist()) if isinstance(size, Tensor) else tuple(size)
    return apply(views.BROADCAST_TO, input_x, shape=sizes)


def expand_as(input: Any, other: Any) -> Any:
    """Repeated to the shape of another tensor."""
    check_tensors("expand_as", other)
    return apply(views.BROADCAST_TO, input, shape=other.shape)


def view_as(input: Any, other: Any) -> Any:
    """The same elements in the shape of another tensor."""
    check_tensors("view_as", other)
    return reshape(input, other.shape)


def ravel(input: Any) -> Any:
    """All axes made one."""
    return reshape(input, (-1,))


# ---- turning ---------------------------------------------------------------------------------------


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


def flipud(input: Any) -> Any:
    """Axis 0 in reverse order."""
    return flip(input, (0,))


def fliplr(input: Any) -> Any:
    """Axis 1 in reverse order."""
    return flip(input, (1,))


def reverse(x: Any, axis: Any) -> Any:
    """The given axes in reverse order of their elements."""
    return flip(x, (axis,) if isinstance(axis, int) else axis)


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Axes moved to other places, the rest in order.

    >>> moveaxis(Tensor([[[1.0, 2.0]]]), 2, 0).shape
    (2, 1, 1)
    """
    old, new = ([n] if isinstance(n, int) else list(n) for n in (source, destination))
    if len(old) != len(new):
        raise UsageError(f"moveaxis: {len(old)} axes to {len(new)} places; give one place for each")
    start = [axis_of("moveaxis", axis, x.ndim) for axis in old]
    order = [axis for axis in range(x.ndim) if axis not in start]
    for place, axis in sorted(zip((axis_of("moveaxis", axis, x.ndim) for axis in new), start, strict=True)):
        order.insert(place, axis)
    return transpose(x, order)


movedim = moveaxis


def swapdims(input: Any, dim0: int, dim1: int) -> Any:
    """Two axes swapped."""
    return input.swapaxes(dim0, dim1)


def t(input: Any) -> Any:
    """The transpose of a matrix; a vector or a scalar as it is."""
    if input.ndim > 2:
        raise ShapeError(f"t: needs at most two axes, got {input.type}; use swapaxes")
    return input if input.ndim < 2 else input.swapaxes(0, 1)


# ---- pixels ----------------------------------------------------------------------------------------


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
