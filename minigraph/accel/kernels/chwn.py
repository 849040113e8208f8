"""Images in CHWN (batch-innermost) memory: the pixels that all images have at one position are contiguous.

Arrays here either have the shape [N,C,H,W] with CHWN strides (``as_chwn_contiguous``), or the shape [C,H,W,N]
(``to_chwn`` and ``to_nchw``, the forwards of the operators of these names).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigraph.core.aliases import Function
from minigraph.core.machine import CACHE_LINE_FLOATS, CACHE_PERIOD_BYTES, L1_COPY_BYTES
from minigraph.operators.chwn import AXES_TO_CHWN, AXES_TO_NCHW, InChwn


def as_chwn_contiguous(images: np.ndarray) -> np.ndarray:
    """Images [N,C,H,W] in CHWN memory; the same array if it is in that order.

    >>> as_chwn_contiguous(np.zeros((2, 3, 4, 5))).transpose(AXES_TO_CHWN).flags.c_contiguous
    True
    """
    return np.ascontiguousarray(pad_image_stride(images).transpose(AXES_TO_CHWN)).transpose(AXES_TO_NCHW)


def as_nchw_contiguous(images: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Images [N,C,H,W] in NCHW memory, in ``out`` if given; else the same array if it is in that order.

    Images in CHWN memory are copied in tiles of so few pixels that the cache lines read for one image still hold the
    pixels of the next.

    >>> as_nchw_contiguous(as_chwn_contiguous(np.zeros((2, 3, 4, 5)))).flags.c_contiguous
    True
    """
    pixels = images.transpose(AXES_TO_CHWN)
    if not (len(images) and pixels.flags.c_contiguous and (out is None or out.flags.c_contiguous)):
        return np.ascontiguousarray(images) if out is None else _copy(out, images)
    result = np.empty(images.shape, images.dtype) if out is None else out
    source, target = pixels.reshape(-1, len(images)).T, result.reshape(len(images), -1)
    step = max(CACHE_LINE_FLOATS, L1_COPY_BYTES // (len(images) * images.itemsize))
    for first in range(0, source.shape[1], step):
        target[:, first : first + step] = source[:, first : first + step]
    return result


def _copy(out: np.ndarray, images: np.ndarray) -> np.ndarray:
    np.copyto(out, images)
    return out


def pad_image_stride(images: np.ndarray) -> np.ndarray:
    """The images, copied to a padded stride where the same pixel of all images would fall into one cache set."""
    n, size = len(images), images[0].size if len(images) else 0
    if size * images.itemsize % CACHE_PERIOD_BYTES or images.strides[0] != size * images.itemsize:
        return images
    padded = np.empty((n, size + CACHE_LINE_FLOATS), images.dtype)[:, :size].reshape(images.shape)
    return _copy(padded, images)


# ---- forwards ------------------------------------------------------------------------------------------


def to_chwn(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Images [N,C,H,W] as [C,H,W,N], a copy."""
    pixels = pad_image_stride(x).transpose(AXES_TO_CHWN)
    return np.array(pixels, order="C") if out is None else _copy(out, pixels)


def to_nchw(x: np.ndarray, *, out: np.ndarray | None = None) -> np.ndarray:
    """Images [C,H,W,N] as [N,C,H,W], a copy."""
    result = np.empty([x.shape[axis] for axis in AXES_TO_NCHW], x.dtype) if out is None else out
    return as_nchw_contiguous(x.transpose(AXES_TO_NCHW), result)


def in_chwn(kernel: Function, record: InChwn) -> Function:
    """A kernel on images [N,C,H,W] that keeps their memory order, as a kernel on images [C,H,W,N]."""

    def forward(*operands: np.ndarray, out: np.ndarray | None = None, **attrs: Any) -> np.ndarray:
        if out is not None:
            attrs["out"] = out.transpose(AXES_TO_NCHW)
        nchw = [x.transpose(AXES_TO_NCHW) if i in record.images else x for i, x in enumerate(operands)]
        result = kernel(*nchw, **attrs)
        return np.ascontiguousarray(result.transpose(AXES_TO_CHWN)) if record.has_image_result else result

    return forward
