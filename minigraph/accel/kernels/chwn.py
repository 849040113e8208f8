"""Images that lie beside each other: [C,H,W,N] in memory, the pixels that all have at one place next to each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigraph.core.machine import CACHE_LINE_NUMBERS, CACHE_PERIOD_BYTES, L1_COPY_BYTES
from minigraph.operators.chwn import AXES_TO_CHWN, AXES_TO_NCHW, InChwn


def turned(images: np.ndarray) -> np.ndarray:
    """Images [N,C,H,W] that lie beside each other, the same array if they do that already.

    >>> turned(np.zeros((2, 3, 4, 5))).transpose(AXES_TO_CHWN).flags.c_contiguous
    True
    """
    return np.ascontiguousarray(spaced(images).transpose(AXES_TO_CHWN)).transpose(AXES_TO_NCHW)


def apart(images: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Images [N,C,H,W] that lie one after the other, in ``out`` if given, else the same array if they do that already.

    What lies beside each other is copied so few pixels at a time that those of the next image are still near.

    >>> apart(turned(np.zeros((2, 3, 4, 5)))).flags.c_contiguous
    True
    """
    pixels = images.transpose(AXES_TO_CHWN)
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


# ---- forwards ------------------------------------------------------------------------------------------


def to_chwn(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Images [N,C,H,W] as [C,H,W,N], in memory of their own."""
    return _in_out(out, spaced(x).transpose(AXES_TO_CHWN))


def to_nchw(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Images [C,H,W,N] as [N,C,H,W], in memory of their own."""
    found = np.empty([x.shape[axis] for axis in AXES_TO_NCHW], x.dtype) if out is None else out
    return apart(x.transpose(AXES_TO_NCHW), found)


def in_chwn(kernel: Callable[..., Any], record: InChwn) -> Callable[..., Any]:
    """A kernel on images [N,C,H,W] that lie in memory as [C,H,W,N] as one on such images, as its result is then."""

    def forward(*operands: np.ndarray, out: np.ndarray | None = None, **attrs: Any) -> Any:
        if out is not None:
            attrs["out"] = out.transpose(AXES_TO_NCHW)
        laid = [x.transpose(AXES_TO_NCHW) if i in record.images else x for i, x in enumerate(operands)]
        found = kernel(*laid, **attrs)
        return np.ascontiguousarray(found.transpose(AXES_TO_CHWN)) if record.result else found

    return forward


def _in_out(out: np.ndarray | None, found: np.ndarray) -> np.ndarray:
    if out is None:
        return np.array(found, order="C")
    np.copyto(out, found)
    return out
