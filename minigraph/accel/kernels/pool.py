"""Maximum pooling and its gradient, vectorised over whole images instead of over windows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.accel.kernels.select import BITS_DTYPE
from minigraph.core.machine import MIN_BLOCKED_POOL_BYTES, POOL_TILE_BYTES
from minigraph.core.types import DTYPE_BY_NUMPY, type_of
from minigraph.operators.im2col import Padding, Pair, crop, pad_images
from minigraph.operators.pooling import lowest_value, window_of, window_types


def max_pool2d(x: np.ndarray, **attrs: Any) -> np.ndarray:
    """The maximum of each window, in NCHW memory."""
    return max_pool_in_layout(np.ascontiguousarray(x), **attrs)


def max_pool_in_layout(x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Padding) -> np.ndarray:
    """The same in the memory order of ``x``: a maximum over strided views, first for rows, then for columns."""
    padded = pad_images(x, padding, lowest_value(DTYPE_BY_NUMPY[x.dtype]))
    height, width = window_of(stride).sizes(padded.shape[2:], kernel)
    if min(height, width) < 1:
        window_types(type_of(padded), kernel=kernel, stride=stride)  # raises the error
    rows = [padded[:, :, i : i + (height - 1) * stride[0] + 1 : stride[0]] for i in range(kernel[0])]
    tall = _maximum(rows)
    return _maximum([tall[..., j : j + (width - 1) * stride[1] + 1 : stride[1]] for j in range(kernel[1])])


def _maximum(views: Sequence[np.ndarray]) -> np.ndarray:
    """The elementwise maximum of arrays, a new array in their memory order."""
    result = np.maximum(*views[:2]) if len(views) > 1 else views[0].copy(order="K")
    for view in views[2:]:
        np.maximum(result, view, out=result)
    return result


def max_pool2d_grad(g: np.ndarray, x: np.ndarray, out: np.ndarray, **attrs: Any) -> np.ndarray:
    """The gradient of each window at the first of its maximum elements, in NCHW memory."""
    return np.ascontiguousarray(max_pool_grad_in_layout(g, np.ascontiguousarray(x), out, **attrs))


def max_pool_grad_in_layout(
    g: np.ndarray, x: np.ndarray, out: np.ndarray, *, kernel: Pair, stride: Pair, padding: Padding
) -> np.ndarray:
    """The same in the memory order of ``x``."""
    padded = pad_images(x, padding, lowest_value(DTYPE_BY_NUMPY[x.dtype]))
    overlap = kernel[0] > stride[0] or kernel[1] > stride[1]
    covered = not overlap and out.size * kernel[0] * kernel[1] == padded.size
    total: np.ndarray = (np.empty_like if covered else np.zeros_like)(padded, g.dtype)
    for tile in _tiles(padded):
        _scatter_to_first(total[tile], g[tile], padded[tile], out[tile], kernel, stride)
    return crop(total, padding)


def _tiles(images: np.ndarray) -> Iterator[tuple[slice, ...]]:
    """Slices that fit into the cache, of many images, or of channels where images are in CHWN memory."""
    axis = int(np.argmax(images.strides[:2]))
    count = images.shape[axis]
    step = max(1, POOL_TILE_BYTES * count // images.nbytes if images.nbytes > MIN_BLOCKED_POOL_BYTES else count)
    for first in range(0, count, step):
        yield (slice(None),) * axis + (slice(first, first + step),)


def _scatter_to_first(
    total: np.ndarray, g: np.ndarray, padded: np.ndarray, out: np.ndarray, kernel: Pair, stride: Pair
) -> None:
    remaining = g + g.dtype.type(0)  # -0 becomes 0, as in a sum
    overlap = kernel[0] > stride[0] or kernel[1] > stride[1]
    for pixels, share in _shares(remaining, padded, out, kernel, stride):
        if overlap:
            total[:, :, *pixels] += share
        else:
            total[:, :, *pixels] = share


def _shares(
    remaining: np.ndarray, padded: np.ndarray, out: np.ndarray, kernel: Pair, stride: Pair
) -> Iterator[tuple[Any, np.ndarray]]:
    """For each tap of the kernel, its pixels and their gradient: the remaining gradient where they are the maximum."""
    nan = bool(np.isnan(out).any())
    *taps, last = [pixels for _, _, pixels in window_of(stride).taps(kernel, out.shape[2:4])]
    for pixels in taps:
        tap = padded[:, :, *pixels]
        yield pixels, _take(remaining, (tap == out) | (tap != tap) if nan else tap == out)
    yield last, remaining


def _take(remaining: np.ndarray, hit: np.ndarray) -> np.ndarray:
    """Move elements out of ``remaining`` where ``hit`` holds, else 0; branch-free, by a product of bits with 0 or 1."""
    integer = BITS_DTYPE.get(remaining.dtype)
    if integer is None:
        share = np.where(hit, remaining, remaining.dtype.type(0))
        np.copyto(remaining, 0, where=hit)
        return share
    bits = remaining.view(integer)
    selected = bits * hit.view(np.int8).astype(integer)
    np.subtract(bits, selected, out=bits)
    return selected.view(remaining.dtype)
