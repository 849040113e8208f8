"""Parts of sequences and images turned round, padded and regrouped; who is among the first; windows of signals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, bool_, complex64, complex128, float32, float64, int32, int64, uint8
from minigraph.ops.functional.array import arange, concat, gather, reshape, split, stack, transpose
from minigraph.ops.functional.math import cast, cos, mul, sin, where
from minigraph.ops.functional.math import sum as total
from minigraph.ops.functional.nn import silu
from minigraph.ops.functional.ordering import argsort, cummax, cumsum
from minigraph.ops.functional.positions import gather_elements

__all__ = [
    "bartlett_window", "batch_to_space_nd", "blackman_window", "hamming_window", "hann_window", "intopk",
    "kaiser_window", "mirror_pad", "nanmedian", "padding", "polar", "population_count", "reverse_sequence",
    "space_to_batch_nd", "swiglu", "unique_with_pad", "view_as_real",
]  # fmt: skip

# ---- sequences -------------------------------------------------------------------------------------


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


def padding(x: Any, pad_dim_size: int = 8) -> Any:
    """The last axis, of size 1, filled with zeros to ``pad_dim_size``."""
    if x.ndim < 2 or x.shape[-1] != 1:
        raise ShapeError(f"padding: the last axis of two or more has size 1, got shape {list(x.shape)}")
    return apply("pad", x, widths=((0, 0),) * (x.ndim - 1) + ((0, pad_dim_size - 1),))


def mirror_pad(input_x: Any, paddings: Any, mode: str = "REFLECT") -> Any:
    """Borders of the inside mirrored: ``paddings`` has (before, after) for each axis.

    "REFLECT" leaves the element at the edge out, "SYMMETRIC" has it twice.
    """
    kinds: dict[str, Any] = {"REFLECT": "reflect", "SYMMETRIC": "symmetric"}
    if mode not in kinds:
        raise UsageError(f"mirror_pad: mode is 'REFLECT' or 'SYMMETRIC', got {mode!r}")
    widths = np.array(paddings.asnumpy() if isinstance(paddings, Tensor) else paddings).tolist()
    if len(widths) != input_x.ndim:
        raise ShapeError(f"mirror_pad: a pair for each of {input_x.ndim} axes is wanted, got {widths}")
    for axis, (size, width) in enumerate(zip(input_x.shape, widths, strict=True)):
        places = np.pad(np.arange(size), width, mode=kinds[mode])
        input_x = gather(input_x, Tensor(places), axis) if any(width) else input_x
    return input_x


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


# ---- elements --------------------------------------------------------------------------------------


def intopk(x1: Any, x2: Any, k: int) -> Any:
    """Whether the score [N,C] of each class of ``x2`` is among the ``k`` largest of its case."""
    own = gather_elements(x1, 1, cast(x2, int64).expand_dims(1))
    return total(cast(x1 > own, int64), 1) < k


def population_count(input_x: Any) -> Any:
    """How many bits of each whole number are 1, UInt8."""
    bits = input_x.dtype.numpy.itemsize * 8
    shifts = Tensor(np.arange(bits), input_x.dtype)
    ones = apply("bitwise_and", apply("bitwise_right_shift", input_x.expand_dims(-1), shifts), 1)
    return cast(total(cast(ones != 0, int64), -1), uint8)


def nanmedian(input: Any, axis: int = -1, keepdims: bool = False) -> tuple[Any, Any]:
    """(the middle one of what is not NaN along an axis, the lower of two; where it stands)."""
    if input.ndim == 0:
        return input, Tensor(0)
    missing = input != input
    order = argsort(where(missing, float("inf"), input), axis)
    count = total(cast(~missing, int64), axis, True)
    middle = apply("maximum", count - 1, 0) // 2
    places = gather_elements(order, axis, cast(middle, int64))
    found = gather_elements(input, axis, places)
    return (found, cast(places, int64)) if keepdims else (found.squeeze(axis), cast(places, int64).squeeze(axis))


def unique_with_pad(x: Any, pad_num: Any) -> tuple[Any, Any]:
    """(the different elements as they first come, then ``pad_num`` up to the size of x; where each one is among them).

    >>> print(*unique_with_pad(Tensor([5, 2, 5]), 0))
    [5 2 0] [0 1 0]
    """
    if x.ndim != 1:
        raise ShapeError(f"unique_with_pad: needs a vector, got shape {list(x.shape)}")
    order, here = argsort(x), arange(x.size)
    rows = gather(x, order, 0)
    starts = concat([Tensor([True] * min(x.size, 1), bool_), rows[1:] != rows[:-1]])
    first = gather(order, cummax(where(starts, here, 0), 0)[0], 0)  # of equal ones, in sorted order
    first = gather(first, argsort(order), 0)
    new = first == here
    ranks = cumsum(cast(new, int64), 0) - 1
    found = where(here < total(cast(new, int64)), gather(x, argsort(~new), 0), pad_num)
    return cast(found, x.dtype), cast(gather(ranks, first, 0), int64 if x.dtype is int64 else int32)


def swiglu(input: Any, dim: int = -1) -> Any:
    """silu of the first half along an axis, times the second half."""
    first, second = split(input, input.shape[dim] // 2, dim)
    return silu(first) * second


def polar(abs: Any, angle: Any) -> Any:
    """Complex numbers by their sizes and angles."""
    wide = complex128 if abs.dtype is float64 else complex64
    return cast(mul(abs, cos(angle)), wide) + cast(mul(abs, sin(angle)), wide) * 1j


def view_as_real(input: Any) -> Any:
    """(real part, imaginary part) along a new last axis."""
    return stack([apply("real", input), apply("imag", input)], -1)


# ---- windows of signals ----------------------------------------------------------------------------


def _window(length: Any, periodic: bool, make: Callable[[int], np.ndarray], dtype: DType) -> Tensor:
    """A window of numbers; ``periodic`` leaves the last one, which is the first again, out."""
    count: int = int(length.asnumpy() if isinstance(length, Tensor) else length)
    if count < 0:
        raise UsageError(f"a window has 0 numbers or more, got {count}")
    return Tensor(make(count + periodic)[:count] if count > 1 else np.ones(count), dtype)


def bartlett_window(window_length: Any, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """A triangle, Float32; ``periodic`` leaves the last number, which is the first again, out.

    >>> print(bartlett_window(4))
    [0.  0.5 1.  0.5]
    """
    return _window(window_length, periodic, np.bartlett, dtype or float32)


def blackman_window(window_length: Any, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """Blackman's three cosines, Float32; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, np.blackman, dtype or float32)


def hamming_window(
    window_length: Any, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: DType | None = None
) -> Tensor:
    """alpha - beta times a cosine, Float32; ``periodic`` as in ``bartlett_window``."""

    def waves(count: int) -> np.ndarray:
        return alpha - beta * np.cos(2 * np.pi * np.arange(count) / max(count - 1, 1))

    return _window(window_length, periodic, waves, dtype or float32)


def hann_window(window_length: Any, periodic: bool = True, *, dtype: DType | None = None) -> Tensor:
    """A raised cosine, Float64; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, np.hanning, dtype or float64)


def kaiser_window(
    window_length: Any, periodic: bool = True, beta: float = 12.0, *, dtype: DType | None = None
) -> Tensor:
    """Kaiser's window of Bessel functions, Float64; ``periodic`` as in ``bartlett_window``."""
    return _window(window_length, periodic, lambda count: np.kaiser(count, beta), dtype or float64)
