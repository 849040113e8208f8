"""The pixels of a resized image, bit for bit those of OpenCV, and for ``pillow_cubic`` those of Pillow.

OpenCV interpolates bytes in fixed point: weights have 11 fractional bits; for a linear interpolation, products are
shifted right by 4 bits after the horizontal and by 16 bits after the vertical one, and 2 bits remain for rounding.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

FRACTION_BITS = 11
FIXED_POINT_ONE = 1 << FRACTION_BITS
OPENCV_VECTOR_ELEMENTS = 8  # that OpenCV interpolates at once; it rounds halves in them to even, and others up
ROW_SHIFT, PRODUCT_SHIFT, ROUNDING_SHIFT = 4, 16, 2
CUBIC, PILLOW_CUBIC = -0.75, -0.5  # the parameter of the cubic kernel (Keys 1981)
PILLOW_BITS = 22  # fractional bits of Pillow's weights
LEAST_SHARE = 1e-3  # of a pixel, for OpenCV to count it as part of an area

Neighbors = tuple[np.ndarray, np.ndarray, np.ndarray]  # pixels before and after a position, and its distance (0 to 1)
Taps = tuple[np.ndarray, np.ndarray]  # the pixels of each new one, and their weights: [new, taps]


def nearest(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """The nearest pixels."""
    return pixels[_nearest_pixels(height, pixels.shape[0])][:, _nearest_pixels(width, pixels.shape[1])]


def _nearest_pixels(new: int, old: int) -> np.ndarray:
    return np.minimum(np.arange(new) * (1 / (new / old)), old - 1).astype(np.intp)


# ---- two pixels per axis ---------------------------------------------------------------------------


def linear(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """The weighted mean of the four nearest pixels."""
    return _blend(pixels, _linear_neighbors(height, pixels.shape[0]), _linear_neighbors(width, pixels.shape[1]))


def _linear_neighbors(new: int, old: int) -> Neighbors:
    position = ((np.arange(new) + 0.5) * (old / new) - 0.5).astype(np.float32)
    return _neighbors(np.floor(position), position - np.floor(position), old)


def _neighbors(before: np.ndarray, distance: np.ndarray, old: int) -> Neighbors:
    first, second = (np.clip(before + step, 0, old - 1).astype(np.intp) for step in (0, 1))
    return first, second, distance.astype(np.float32)


def _blend(pixels: np.ndarray, vertical: Neighbors, horizontal: Neighbors) -> np.ndarray:
    (above, below, dy), (left, right, dx) = vertical, horizontal
    dy, dx = dy.reshape(-1, *[1] * (pixels.ndim - 1)), dx.reshape(-1, *[1] * (pixels.ndim - 2))
    if pixels.dtype != np.uint8:
        values = pixels.astype(np.result_type(pixels, np.float32))
        rows = values[:, left] * (1 - dx) + values[:, right] * dx
        return _rounded(rows[above] * (1 - dy) + rows[below] * dy, pixels.dtype)
    dy, dx = (np.rint(weight * FIXED_POINT_ONE).astype(np.int64) for weight in (dy, dx))
    values = pixels.astype(np.int64)
    rows = (values[:, left] * (FIXED_POINT_ONE - dx) + values[:, right] * dx) >> ROW_SHIFT
    result = ((rows[above] * (FIXED_POINT_ONE - dy)) >> PRODUCT_SHIFT) + ((rows[below] * dy) >> PRODUCT_SHIFT)
    return ((result + 2) >> ROUNDING_SHIFT).astype(np.uint8)


def _rounded(values: np.ndarray, dtype: np.dtype[Any]) -> np.ndarray:
    """The values, for an integer dtype rounded and within its range."""
    if dtype.kind == "f":
        return values.astype(dtype)
    limits = np.iinfo(dtype)
    return np.clip(np.rint(values), limits.min, limits.max).astype(dtype)


# ---- several pixels per axis -----------------------------------------------------------------------


def cubic(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """The 16 nearest pixels, weighted by the cubic kernel."""
    vertical, horizontal = (_cubic_taps(new, old) for new, old in zip((height, width), pixels.shape, strict=False))
    if pixels.dtype != np.uint8:
        values = pixels.astype(np.result_type(pixels, np.float32))
        return _rounded(_weighted_sums(values, vertical, horizontal), pixels.dtype)
    fixed = ((index, np.rint(weight * FIXED_POINT_ONE).astype(np.int64)) for index, weight in (vertical, horizontal))
    above, left = fixed
    rows = _weighted_sum(pixels.astype(np.int64), left, 1)
    rows, shape = rows.reshape(len(rows), -1), (height, width, *pixels.shape[2:])
    count = rows.shape[1] // OPENCV_VECTOR_ELEMENTS * OPENCV_VECTOR_ELEMENTS
    others = _shifted(_weighted_sum(rows[:, count:], above, 0), 2 * FRACTION_BITS)
    result = np.concatenate([_cubic_columns(rows[:, :count], above), others], axis=1)
    return result.astype(np.uint8).reshape(shape)


def _cubic_columns(rows: np.ndarray, taps: Taps) -> np.ndarray:
    """The vertical sums as OpenCV's vector instructions compute them: in float32, from the last pixel to the first."""
    index, weights = taps
    scaled = weights[:, ::-1].astype(np.float32) * np.float32(2.0 ** (-2 * FRACTION_BITS))
    return np.clip(np.rint(_weighted_sum(rows.astype(np.float32), (index[:, ::-1], scaled), 0)), 0, 255)


def _cubic_taps(new: int, old: int) -> Taps:
    position = ((np.arange(new) + 0.5) * (old / new) - 0.5).astype(np.float32)
    before = np.floor(position)
    distance, a = position - before, np.float32(CUBIC)
    far = ((a * (distance + 1) - 5 * a) * (distance + 1) + 8 * a) * (distance + 1) - 4 * a
    near, next_one = (((a + 2) * d - (a + 3)) * d * d + 1 for d in (distance, 1 - distance))
    weights = np.stack([far, near, next_one, 1 - far - near - next_one], axis=1)
    return np.clip(before[:, None] + np.arange(-1, 3), 0, old - 1).astype(np.intp), weights.astype(np.float32)


def area(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """The mean of the area of each new pixel; along an axis that does not shrink, pixels are repeated and blended."""
    scales = pixels.shape[0] / height, pixels.shape[1] / width
    if min(scales) < 1:
        return _blend(pixels, _area_neighbors(height, pixels.shape[0]), _area_neighbors(width, pixels.shape[1]))
    is_float = pixels.dtype.kind == "f"
    if all(scale.is_integer() for scale in scales):
        rows, columns = map(int, scales)
        blocks = pixels.reshape(height, rows, width, columns, *pixels.shape[2:])
        totals = blocks.sum((1, 3), dtype=pixels.dtype if is_float else np.int64)
        if rows == columns == 2 and not is_float:
            return ((totals + 2) >> 2).astype(pixels.dtype)
        return _rounded(
            totals.astype(np.result_type(pixels, np.float32)) * np.float32(1 / (rows * columns)), pixels.dtype
        )
    values = pixels.astype(np.result_type(pixels, np.float32))
    taps = (_area_taps(new, old) for new, old in zip((height, width), pixels.shape, strict=False))
    return _rounded(_weighted_sums(values, *taps), pixels.dtype)


def _area_neighbors(new: int, old: int) -> Neighbors:
    index, growth = np.arange(new), new / old
    before = np.floor(index * (1 / growth))
    distance = ((index + 1) - (before + 1) * growth).astype(np.float32)
    return _neighbors(before, np.where(distance <= 0, 0, distance - np.floor(distance)), old)


def _area_taps(new: int, old: int) -> Taps:
    scale = 1 / (new / old)  # as OpenCV, whose rounding decides at the border of a pixel
    start = np.arange(new) * scale
    first = np.floor(start).astype(np.intp)
    index = first[:, None] + np.arange(math.ceil(scale) + 1)
    covered = np.minimum(index + 1, (start + scale)[:, None]) - np.maximum(index, start[:, None])
    size = np.minimum(scale, old - start)[:, None]
    weights = np.where((covered > LEAST_SHARE) & (index < old), covered, 0) / size
    return np.minimum(index, old - 1), weights.astype(np.float32)


def pillow_cubic(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """All pixels within two new ones, weighted by the cubic kernel, which is as wide as the image shrinks."""
    values = pixels.astype(np.int64)
    for axis, new in ((1, width), (0, height)):
        if new != pixels.shape[axis]:
            values = _shifted(_weighted_sum(values, _pillow_taps(new, pixels.shape[axis]), axis), PILLOW_BITS)
    return values.astype(np.uint8)


def _pillow_taps(new: int, old: int) -> Taps:
    scale = old / new
    width = max(scale, 1.0)
    center = (np.arange(new) + 0.5) * scale
    first, end = (np.clip(np.trunc(center + side * 2 * width + 0.5), 0, old).astype(np.intp) for side in (-1, 1))
    index = first[:, None] + np.arange((end - first).max())
    weights = np.where(index < end[:, None], _cubic_kernel((index - center[:, None] + 0.5) / width), 0)
    weights = weights / weights.sum(1, keepdims=True) * (1 << PILLOW_BITS)
    return np.minimum(index, old - 1), np.trunc(weights + np.copysign(0.5, weights)).astype(np.int64)


def _cubic_kernel(x: np.ndarray) -> np.ndarray:
    x, a = np.abs(x), PILLOW_CUBIC
    return np.where(x < 1, ((a + 2) * x - (a + 3)) * x * x + 1, np.where(x < 2, (((x - 5) * x + 8) * x - 4) * a, 0))


def _weighted_sums(values: np.ndarray, vertical: Taps, horizontal: Taps) -> np.ndarray:
    return _weighted_sum(_weighted_sum(values, horizontal, 1), vertical, 0)


def _weighted_sum(values: np.ndarray, taps: Taps, axis: int) -> np.ndarray:
    """The sums along an axis, added up in the order of the pixels."""
    shape = (-1, *[1] * (values.ndim - axis - 1))
    terms = (
        values.take(index, axis) * weight.reshape(shape) for index, weight in zip(*(t.T for t in taps), strict=True)
    )
    total = next(terms)
    for term in terms:
        total = total + term
    return total


def _shifted(values: np.ndarray, bits: int) -> np.ndarray:
    """Fixed-point numbers, rounded to bytes."""
    return np.clip((values + (1 << bits >> 1)) >> bits, 0, 255)
