"""Images in another size."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from minigraph.core.errors import RuntimeArgument, TypeArgument, UsageError
from minigraph.dataset.vision.images import Size, image_of, member, size_of

ONE = 1 << 11  # 1 as a fixed-point weight, which has 11 bits behind the point; OpenCV interpolates bytes so
ROW_BITS, PRODUCT_BITS = 4, 16  # shifted out after weights across and after weights down; 2 bits remain to round


class Inter(IntEnum):
    """Interpolation: ``NEAREST`` takes the nearest pixel, ``LINEAR`` (``BILINEAR``) a weighted mean of four."""

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Resize:
    """An image in ``size`` (height, width); of one number, the shorter side gets it and the form is kept.

    Pixel (i, j) of the result is the one at ((i + 1/2) H / h - 1/2, (j + 1/2) W / w - 1/2) of the image. Bytes are
    weighted in whole numbers as OpenCV does, so that results are MindSpore's to the bit. Raises ``TypeError`` for
    other sizes and ``ValueError`` for a way to interpolate that is not supported.

    >>> Resize((2, 8))(np.array([[0, 1, 2, 3], [10, 20, 30, 40]], np.uint8))
    array([[ 0,  0,  1,  1,  2,  2,  3,  3],
           [10, 13, 18, 23, 28, 33, 38, 40]], dtype=uint8)
    """

    def __init__(self, size: Size, interpolation: Inter = Inter.LINEAR) -> None:
        if not isinstance(size, int | list | tuple) or (not isinstance(size, int) and len(size) != 2):
            raise TypeArgument("Size should be a single integer or a list/tuple (h, w) of length 2.")
        size_of("Resize", size)
        self.size, self.interpolation = size, member(Inter, "interpolation", interpolation)
        if interpolation not in (Inter.NEAREST, Inter.LINEAR):
            raise UsageError(f"Resize: Inter.{interpolation.name} is not supported; use Inter.LINEAR or Inter.NEAREST")

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W] in the size, of the same dtype; raises ``RuntimeError`` for other things."""
        pixels = image_of("Resize", image)
        if pixels.dtype not in (np.uint8, np.int16, np.uint16, np.float32, np.float64):
            raise RuntimeArgument(
                f"Resize: uint8, int16, uint16, float32 or float64 is wanted, got {pixels.dtype}; cast before"
            )
        height, width = _height_and_width(self.size, pixels.shape)
        if self.interpolation is Inter.NEAREST:
            return pixels[_nearest_pixels(height, pixels.shape[0])][:, _nearest_pixels(width, pixels.shape[1])]
        return (_interpolate_bytes if pixels.dtype == np.uint8 else _interpolate)(pixels, height, width)


def _height_and_width(size: Size, shape: tuple[int, ...]) -> tuple[int, int]:
    if not isinstance(size, int):
        return size[0], size[1]
    shorter = min(shape[:2])
    return shape[0] * size // shorter, shape[1] * size // shorter


def _nearest_pixels(wanted: int, have: int) -> np.ndarray:
    return np.minimum(np.arange(wanted) * (1 / (wanted / have)), have - 1).astype(np.intp)


def _pixels_around(wanted: int, have: int, axes_after: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each of ``wanted`` positions the pixels before and behind it, and its distance from the first (0 to 1)."""
    position = ((np.arange(wanted) + 0.5) * (have / wanted) - 0.5).astype(np.float32)
    before = np.floor(position)
    first, second = (np.clip(before + step, 0, have - 1).astype(np.intp) for step in (0, 1))
    return first, second, (position - before).reshape(-1, *[1] * axes_after)


def _interpolate(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bilinear interpolation in floating point."""
    above, below, down = _pixels_around(height, pixels.shape[0], pixels.ndim - 1)
    left, right, across = _pixels_around(width, pixels.shape[1], pixels.ndim - 2)
    values = pixels.astype(np.result_type(pixels, np.float32))
    rows = values[:, left] * (1 - across) + values[:, right] * across
    found = rows[above] * (1 - down) + rows[below] * down
    return (found if pixels.dtype.kind == "f" else np.rint(found)).astype(pixels.dtype)


def _interpolate_bytes(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bilinear interpolation in fixed point, with OpenCV's rounding."""
    above, below, down = _pixels_around(height, pixels.shape[0], pixels.ndim - 1)
    left, right, across = _pixels_around(width, pixels.shape[1], pixels.ndim - 2)
    down, across = (np.rint(part * ONE).astype(np.int64) for part in (down, across))
    values = pixels.astype(np.int64)
    rows = (values[:, left] * (ONE - across) + values[:, right] * across) >> ROW_BITS
    found = ((rows[above] * (ONE - down)) >> PRODUCT_BITS) + ((rows[below] * down) >> PRODUCT_BITS)
    return ((found + 2) >> 2).astype(np.uint8)
