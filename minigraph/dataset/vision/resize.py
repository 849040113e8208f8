"""Resizing images.

Bytes are interpolated in fixed point as OpenCV does: weights have 11 fractional bits, products are shifted right by 4
bits after the horizontal and by 16 bits after the vertical interpolation, and 2 bits remain for rounding.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from minigraph.core.errors import RuntimeArgument, TypeArgument, UsageError
from minigraph.dataset.vision.images import Size, as_image, check_member, height_and_width

FIXED_POINT_ONE = 1 << 11
ROW_SHIFT, PRODUCT_SHIFT, ROUNDING_SHIFT = 4, 16, 2


class Inter(IntEnum):
    """Interpolation: ``NEAREST`` takes the nearest pixel, ``LINEAR`` (``BILINEAR``) a weighted mean of four."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Resize:
    """An image resized to ``size`` (height, width); one number is the shorter side, with the aspect ratio kept.

    Pixel (i, j) of the result is at ((i + 1/2) H / h - 1/2, (j + 1/2) W / w - 1/2) of the image. Bytes are interpolated
    in fixed point as OpenCV does, so results equal MindSpore's bit for bit. Raises ``TypeError`` for other sizes and
    ``UsageError`` for an interpolation that is not supported.

    >>> Resize((2, 8))(np.array([[0, 1, 2, 3], [10, 20, 30, 40]], np.uint8))
    array([[ 0,  0,  1,  1,  2,  2,  3,  3],
           [10, 13, 18, 23, 28, 33, 38, 40]], dtype=uint8)
    """

    def __init__(self, size: Size, interpolation: Inter = Inter.LINEAR) -> None:
        if not isinstance(size, int | list | tuple) or (not isinstance(size, int) and len(size) != 2):
            raise TypeArgument("Size should be a single integer or a list/tuple (h, w) of length 2.")
        height_and_width("Resize", size)
        self.size, self.interpolation = size, check_member(Inter, "interpolation", interpolation)
        if interpolation not in (Inter.NEAREST, Inter.LINEAR):
            raise UsageError(f"Resize: Inter.{interpolation.name} is not supported; use Inter.LINEAR or Inter.NEAREST")

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W], resized, of the same dtype; raises ``RuntimeError`` for other inputs."""
        pixels = as_image("Resize", image)
        if pixels.dtype not in (np.uint8, np.int16, np.uint16, np.float32, np.float64):
            raise RuntimeArgument(
                f"Resize: expected uint8, int16, uint16, float32 or float64, got {pixels.dtype}; cast first"
            )
        height, width = _target_size(self.size, pixels.shape)
        if self.interpolation is Inter.NEAREST:
            return pixels[_nearest_pixels(height, pixels.shape[0])][:, _nearest_pixels(width, pixels.shape[1])]
        return (_interpolate_bytes if pixels.dtype == np.uint8 else _interpolate)(pixels, height, width)


def _target_size(size: Size, shape: tuple[int, ...]) -> tuple[int, int]:
    if not isinstance(size, int):
        return size[0], size[1]
    shorter = min(shape[:2])
    return shape[0] * size // shorter, shape[1] * size // shorter


def _nearest_pixels(new: int, old: int) -> np.ndarray:
    return np.minimum(np.arange(new) * (1 / (new / old)), old - 1).astype(np.intp)


def _neighbors(new: int, old: int, axes_after: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each of ``new`` positions the pixels before and after it, and its distance from the first (0 to 1)."""
    position = ((np.arange(new) + 0.5) * (old / new) - 0.5).astype(np.float32)
    before = np.floor(position)
    first, second = (np.clip(before + step, 0, old - 1).astype(np.intp) for step in (0, 1))
    return first, second, (position - before).reshape(-1, *[1] * axes_after)


def _interpolate(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bilinear interpolation in floating point."""
    above, below, dy = _neighbors(height, pixels.shape[0], pixels.ndim - 1)
    left, right, dx = _neighbors(width, pixels.shape[1], pixels.ndim - 2)
    values = pixels.astype(np.result_type(pixels, np.float32))
    rows = values[:, left] * (1 - dx) + values[:, right] * dx
    result = rows[above] * (1 - dy) + rows[below] * dy
    return (result if pixels.dtype.kind == "f" else np.rint(result)).astype(pixels.dtype)


def _interpolate_bytes(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bilinear interpolation in fixed point, with OpenCV's rounding."""
    above, below, dy = _neighbors(height, pixels.shape[0], pixels.ndim - 1)
    left, right, dx = _neighbors(width, pixels.shape[1], pixels.ndim - 2)
    dy, dx = (np.rint(weight * FIXED_POINT_ONE).astype(np.int64) for weight in (dy, dx))
    values = pixels.astype(np.int64)
    rows = (values[:, left] * (FIXED_POINT_ONE - dx) + values[:, right] * dx) >> ROW_SHIFT
    result = ((rows[above] * (FIXED_POINT_ONE - dy)) >> PRODUCT_SHIFT) + ((rows[below] * dy) >> PRODUCT_SHIFT)
    return ((result + 2) >> ROUNDING_SHIFT).astype(np.uint8)
