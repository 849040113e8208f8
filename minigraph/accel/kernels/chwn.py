"""Images that lie beside each other: [C,H,W,N] in memory, the pixels that all have at one place next to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from minigraph.core.machine import CACHE_LINE_NUMBERS, CACHE_PERIOD_BYTES, L1_COPY_BYTES

TURN, BACK = (1, 2, 3, 0), (3, 0, 1, 2)  # axes of [N,C,H,W] as [C,H,W,N], and the other way


class Beside(NamedTuple):
    """How an operator on images [N,C,H,W] works on such that lie beside each other.

    ``forward`` is the operator's own but for where its result lies: beside each other if ``images`` are the result,
    too. It takes operands at the positions ``of`` that lie either way. ``likes(out, *ins, **attrs)``, of types, is
    whether it is faster if these lie beside each other; ``turns``: whether it turns them itself, where they do not.
    """

    forward: Callable[..., Any]
    of: tuple[int, ...]
    images: bool
    likes: Callable[..., bool]
    turns: bool = False


def turned(images: np.ndarray) -> np.ndarray:
    """Images [N,C,H,W] that lie beside each other, the same array if they do that already.

    >>> turned(np.zeros((2, 3, 4, 5))).transpose(TURN).flags.c_contiguous
    True
    """
    return np.ascontiguousarray(spaced(images).transpose(TURN)).transpose(BACK)


def apart(images: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Images [N,C,H,W] that lie one after the other, in ``out`` if given, else the same array if they do that already.

    What lies beside each other is copied so few pixels at a time that those of the next image are still near.

    >>> apart(turned(np.zeros((2, 3, 4, 5)))).flags.c_contiguous
    True
    """
    pixels = images.transpose(TURN)
    if not (len(images) and pixels.flags.c_contiguous and (out is None or out.flags.c_contiguous)):
        return _copied(images, out)
    found = np.empty(images.shape, images.dtype) if out is None else out
    source, target = pixels.reshape(-1, len(images)).T, found.reshape(len(images), -1)
    step = max(CACHE_LINE_NUMBERS, L1_COPY_BYTES // (len(images) * images.itemsize))
    for first in range(0, source.shape[1], step):
        target[:, first : first + step] = source[:, first : first + step]
    return found


def _copied(images: np.ndarray, out: np.ndarray | None) -> np.ndarray:
    if out is None:
        return np.ascontiguousarray(images)
    np.copyto(out, images)
    return out


def spaced(images: np.ndarray) -> np.ndarray:
    """The images, copied to odd distances where theirs are such that the cache has one place for a pixel of all."""
    n, size = len(images), images[0].size if len(images) else 0
    if size * images.itemsize % CACHE_PERIOD_BYTES or images.strides[0] != size * images.itemsize:
        return images
    found = np.empty((n, size + CACHE_LINE_NUMBERS), images.dtype)[:, :size].reshape(images.shape)
    found[...] = images
    return found
