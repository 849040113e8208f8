"""Resizing images."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, UsageError
from minigraph.dataset.vision import interpolation as pixels_of
from minigraph.dataset.vision.images import Size, as_image, check_member, height_and_width


class Inter(IntEnum):
    """Interpolation: ``NEAREST`` takes the nearest pixel, ``LINEAR`` (``BILINEAR``) a weighted mean of four.

    ``CUBIC`` (``BICUBIC``) weights 16 pixels, ``AREA`` takes the mean of the area of a new pixel, and ``PILCUBIC`` is
    the cubic interpolation of Pillow, for images of three channels of bytes.
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


FUNCTIONS = {
    Inter.NEAREST: pixels_of.nearest,
    Inter.LINEAR: pixels_of.linear,
    Inter.CUBIC: pixels_of.cubic,
    Inter.AREA: pixels_of.area,
    Inter.PILCUBIC: pixels_of.pillow_cubic,
}


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
            raise ArgTypeError("Size should be a single integer or a list/tuple (h, w) of length 2.")
        height_and_width("Resize", size)
        self.size, self.interpolation = size, check_member(Inter, "interpolation", interpolation)
        if interpolation not in FUNCTIONS:
            raise UsageError(f"Resize: Inter.{interpolation.name} is not supported; use Inter.AREA or Inter.PILCUBIC")

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W], resized, of the same dtype; raises ``RuntimeError`` for other inputs."""
        pixels = as_image("Resize", image)
        if pixels.dtype not in (np.uint8, np.int16, np.uint16, np.float32, np.float64):
            raise ArgRuntimeError(
                f"Resize: expected uint8, int16, uint16, float32 or float64, got {pixels.dtype}; cast first"
            )
        if self.interpolation is Inter.PILCUBIC and (pixels.dtype != np.uint8 or pixels.shape[2:] != (3,)):
            got = f"{pixels.dtype}{list(pixels.shape)}"
            raise ArgRuntimeError(f"Resize: Inter.PILCUBIC needs uint8 of three channels, got {got}; use Inter.CUBIC")
        return FUNCTIONS[self.interpolation](pixels, *_target_size(self.size, pixels.shape))


def _target_size(size: Size, shape: tuple[int, ...]) -> tuple[int, int]:
    if not isinstance(size, int):
        return size[0], size[1]
    shorter = min(shape[:2])
    return shape[0] * size // shorter, shape[1] * size // shorter
