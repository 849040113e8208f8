"""Maximum pooling and its gradient, a whole image at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigraph.accel.kernels.select import WORDS
from minigraph.core.machine import MIN_BLOCKED_POOL_BYTES, POOL_BLOCK_BYTES
from minigraph.core.types import BY_NUMPY, type_of
from minigraph.operators.img2col import Padding, Pair, bordered, inside
from minigraph.operators.pool import lowest, window_of, windows_types


def max_pool2d(x: np.ndarray, **attrs: Any) -> np.ndarray:
    """The largest element of each window, images one after the other."""
    return pooled_as_it_lies(np.ascontiguousarray(x), **attrs)


def pooled_as_it_lies(x: np.ndarray, *, kernel: Pair, stride: Pair, padding: Padding) -> np.ndarray:
    """A maximum of whole images for each row of the kernel, then for each column of it: windows are too short."""
    edged = bordered(x, padding, lowest(BY_NUMPY[x.dtype]))
    height, width = window_of(stride).sizes(edged.shape[2:], kernel)
    if min(height, width) < 1:
        windows_types(type_of(edged), kernel=kernel, stride=stride)  # which says what is wrong
    rows = [edged[:, :, i : i + (height - 1) * stride[0] + 1 : stride[0]] for i in range(kernel[0])]
    tall = _largest(rows)
    return _largest([tall[..., j : j + (width - 1) * stride[1] + 1 : stride[1]] for j in range(kernel[1])])


def _largest(views: Sequence[np.ndarray]) -> np.ndarray:
    """The element by element largest of arrays, in memory of its own, lying as they do."""
    found = np.maximum(*views[:2]) if len(views) > 1 else views[0].copy(order="K")
    for view in views[2:]:
        np.maximum(found, view, out=found)
    return found


def max_pool2d_grad(g: np.ndarray, x: np.ndarray, out: np.ndarray, **attrs: Any) -> np.ndarray:
    """Each window's gradient at the first place that holds its largest element, images one after the other."""
    return np.ascontiguousarray(to_first_as_it_lies(g, np.ascontiguousarray(x), out, **attrs))


def to_first_as_it_lies(
    g: np.ndarray, x: np.ndarray, out: np.ndarray, *, kernel: Pair, stride: Pair, padding: Padding
) -> np.ndarray:
    """The same, lying as the images do, again a whole image at a time."""
    edged = bordered(x, padding, lowest(BY_NUMPY[x.dtype]))
    overlap = kernel[0] > stride[0] or kernel[1] > stride[1]
    covered = not overlap and out.size * kernel[0] * kernel[1] == edged.size
    total: np.ndarray = (np.empty_like if covered else np.zeros_like)(edged, g.dtype)
    for part in _parts(edged):
        _add_to_first(total[part], g[part], edged[part], out[part], kernel, stride)
    return inside(total, padding)


def _parts(images: np.ndarray) -> Iterator[tuple[slice, ...]]:
    """Images, or channels where images lie beside each other, of many so many at a time that they stay in the cache."""
    axis = int(np.argmax(images.strides[:2]))
    count = images.shape[axis]
    step = max(1, POOL_BLOCK_BYTES * count // images.nbytes if images.nbytes > MIN_BLOCKED_POOL_BYTES else count)
    for first in range(0, count, step):
        yield (slice(None),) * axis + (slice(first, first + step),)


def _add_to_first(
    total: np.ndarray, g: np.ndarray, edged: np.ndarray, out: np.ndarray, kernel: Pair, stride: Pair
) -> None:
    left = g + g.dtype.type(0)  # of -0 made 0, as adding would have
    overlap = kernel[0] > stride[0] or kernel[1] > stride[1]
    for pixels, part in _shares(left, edged, out, kernel, stride):
        if overlap:
            total[:, :, *pixels] += part
        else:
            total[:, :, *pixels] = part


def _shares(
    left: np.ndarray, edged: np.ndarray, out: np.ndarray, kernel: Pair, stride: Pair
) -> Iterator[tuple[Any, np.ndarray]]:
    """For each place of the kernel the pixels it meets, and what these get: what is left where they are the largest."""
    nan = bool(np.isnan(out).any())
    *places, last = [pixels for _, _, pixels in window_of(stride).taps(kernel, out.shape[2:4])]
    for pixels in places:
        tap = edged[:, :, *pixels]
        yield pixels, _taken(left, (tap == out) | (tap != tap) if nan else tap == out)
    yield last, left


def _taken(left: np.ndarray, hit: np.ndarray) -> np.ndarray:
    """Take from what is left where something holds, else 0, without asking each: their bits times 0 or 1."""
    word = WORDS.get(left.dtype)
    if word is None:
        part = np.where(hit, left, left.dtype.type(0))
        np.copyto(left, 0, where=hit)
        return part
    bits = left.view(word)
    taken = bits * hit.view(np.int8).astype(word)
    np.subtract(bits, taken, out=bits)
    return taken.view(left.dtype)
