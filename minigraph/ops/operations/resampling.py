"""Primitives that resize images by weights of an algorithm of TensorFlow: means of areas, and scaled kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from minigraph.core.aliases import Array
from minigraph.core.errors import ShapeError, UsageError, did_you_mean
from minigraph.core.tensor import Tensor
from minigraph.core.types import float32
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["ResizeArea", "ScaleAndTranslate"]


def _weigh(images: Tensor, rows: Array, columns: Array) -> Tensor:
    """Images [N, H, W, C], Float32, times weights [height, H] and [width, W]."""
    if images.ndim != 4:
        raise ShapeError(f"resize: needs images [N,H,W,C], got {images.type}")
    channels_first = F.cast(images, float32).transpose((0, 3, 1, 2))
    resized = F.matmul(F.matmul(Tensor(rows, float32), channels_first), Tensor(columns.T, float32))
    return resized.transpose((0, 2, 3, 1))


# ---- areas -----------------------------------------------------------------------------------------


def _area_weights(old: int, new: int, align: bool) -> Array:
    """[new, old]: the share of each old pixel in the area of a new one; beyond the edge is the last pixel.

    >>> _area_weights(3, 2, False).round(3).tolist()
    [[0.667, 0.333, 0.0], [0.0, 0.333, 0.667]]
    """
    scale = (old - 1) / (new - 1) if align and new > 1 else old / new
    weights = np.zeros((new, old))
    for i in range(new):
        begin, end = i * scale, (i + 1) * scale
        for k in range(math.floor(begin), math.ceil(end)):
            weights[i, min(k, old - 1)] += min(k + 1, end) - max(k, begin)
    return weights / scale


def _resize_area(images: Tensor, size: Tensor, *, align_corners: bool) -> Tensor:
    """Images [N, H, W, C] resized to means of areas, Float32."""
    rows, columns = (
        _area_weights(old, new, align_corners) for old, new in zip(images.shape[1:3], size.tolist(), strict=True)
    )
    return _weigh(images, rows, columns)


# ---- scaled kernels --------------------------------------------------------------------------------


def _lanczos(radius: int) -> Callable[[Array], Array]:
    return lambda x: np.sinc(x) * np.sinc(x / radius) * (x <= radius)


def _cubic(x: Array, near: Sequence[float], far: Sequence[float]) -> Array:
    """A polynomial up to 1 and another one up to 2, from the highest power on."""
    return np.where(x < 1, np.polyval(near, x), np.where(x < 2, np.polyval(far, x), 0.0))


# name -> (radius, the kernel of absolute distances)
KERNELS: dict[str, tuple[float, Callable[[Array], Array]]] = {
    **{f"lanczos{radius}": (radius, _lanczos(radius)) for radius in (1, 3, 5)},
    "gaussian": (1.5, lambda x: np.exp(-2 * x * x) * (x < 1.5)),
    "box": (1, lambda x: np.where(x < 0.5, 1.0, 0.5 * (x == 0.5))),
    "triangle": (1, lambda x: np.maximum(1 - x, 0)),
    "keyscubic": (2, lambda x: _cubic(x, (1.5, -2.5, 0, 1), (-0.5, 2.5, -4, 2))),
    "mitchellcubic": (2, lambda x: _cubic(x, (7 / 6, -2, 0, 8 / 9), (-7 / 18, 2, -10 / 3, 16 / 9))),
}


def _kernel_weights(name: str, old: int, new: int, scale: float, shift: float, antialias: bool) -> Array:
    """[new, old]: the weights of old pixels in new ones; a new pixel whose centre is outside of the image has none."""
    radius, kernel = KERNELS[name]
    width = max(1 / scale, 1.0) if antialias else 1.0
    centers = (np.arange(new) + 0.5 - shift) / scale
    distance = np.arange(old) + 0.5 - centers[:, None]
    weights = np.where(np.abs(distance) <= radius * width, kernel(np.abs(distance) / width), 0.0)
    sums = weights.sum(1, keepdims=True)
    inside = ((centers >= 0) & (centers <= old))[:, None]
    return np.where(inside, weights / np.where(np.abs(sums) > 1e-30, sums, 1.0), 0.0)


def _scale_and_translate(
    images: Tensor, size: Tensor, scale: Tensor, translation: Tensor, *, kernel_type: str, antialias: bool
) -> Tensor:
    """Images [N, H, W, C] scaled, then moved, into a frame of ``size`` (height, width), Float32.

    ``antialias`` widens the kernel where an image shrinks.
    """
    if kernel_type not in KERNELS:
        raise UsageError(f"ScaleAndTranslate: no kernel_type {kernel_type!r}{did_you_mean(kernel_type, KERNELS)}")
    axes = zip(images.shape[1:3], size.tolist(), scale.tolist(), translation.tolist(), strict=True)
    return _weigh(images, *(_kernel_weights(kernel_type, *axis, antialias) for axis in axes))


ResizeArea = primitive("ResizeArea", _resize_area, align_corners=False)
ScaleAndTranslate = primitive("ScaleAndTranslate", _scale_and_translate, kernel_type="lanczos3", antialias=True)
