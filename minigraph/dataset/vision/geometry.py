"""Geometric operations on images [H, W, C] or [H, W]: crops, padding and flips.

Random operations use the dataset seed, so that runs are reproducible.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, cast

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.arguments import as_array
from minigraph.dataset.config import get_seed
from minigraph.dataset.transforms import Bernoulli
from minigraph.dataset.vision.images import Size, as_image, check_member, height_and_width


class Border(StrEnum):
    """The padding mode: a constant, the edge pixels, or reflection (without or with repeating the edge)."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class CenterCrop:
    """The centre of an image, ``size`` pixels (height, width); padded with zeros if the image is smaller."""

    def __init__(self, size: Size) -> None:
        self.size = height_and_width("CenterCrop", size)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W], cropped to the size."""
        pixels = as_image("CenterCrop", image)
        missing = [max(0, target - current) for target, current in zip(self.size, pixels.shape, strict=False)]
        pixels = _pad(pixels, [(n // 2, n - n // 2) for n in missing], 0, Border.CONSTANT)
        top, left = ((current - target) // 2 for target, current in zip(self.size, pixels.shape, strict=False))
        return pixels[top : top + self.size[0], left : left + self.size[1]]


class Pad:
    """Padding: one number, (left and right, top and bottom), or (left, top, right, bottom).

    It pads with ``fill_value``, or with pixels of the image by ``padding_mode``.
    """

    def __init__(self, padding: Size, fill_value: int = 0, padding_mode: Border = Border.CONSTANT) -> None:
        self.widths, self.fill_value = _pad_widths("Pad", padding), fill_value
        self.mode = check_member(Border, "padding_mode", padding_mode)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W], padded."""
        return _pad(as_image("Pad", image), self.widths, self.fill_value, self.mode)


class RandomCrop:
    """A crop of ``size`` pixels (height, width) at a random position, after ``padding``.

    ``pad_if_needed`` pads images that are too small; otherwise they raise ``RuntimeError``.
    """

    def __init__(
        self,
        size: Size,
        padding: Size | None = None,
        pad_if_needed: bool = False,
        fill_value: int = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.size = height_and_width("RandomCrop", size)
        self.widths = _pad_widths("RandomCrop", 0 if padding is None else padding)
        self.pad_if_needed, self.fill_value = pad_if_needed, fill_value
        self.mode = check_member(Border, "padding_mode", padding_mode)
        self.rng = np.random.default_rng(get_seed())

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W], cropped to the size."""
        return self.with_position(image)[0]

    def with_position(self, image: np.ndarray) -> tuple[np.ndarray, tuple[int, int], tuple[int, int]]:
        """The part, (left, top) of the image within the padded one, and (top, left) of the part within it."""
        pixels = _pad(as_image("RandomCrop", image), self.widths, self.fill_value, self.mode)
        missing = [max(0, target - current) for target, current in zip(self.size, pixels.shape, strict=False)]
        if any(missing) and not self.pad_if_needed:
            raise ArgRuntimeError(f"RandomCrop: {list(pixels.shape)} is smaller than {list(self.size)}; pad it")
        pixels = _pad(pixels, [(n, n) for n in missing], self.fill_value, self.mode)
        free = [current - target for target, current in zip(self.size, pixels.shape, strict=False)]
        top, left = (int(self.rng.integers(n + 1)) for n in free)
        before = (self.widths[1][0] + missing[1], self.widths[0][0] + missing[0])
        return pixels[top : top + self.size[0], left : left + self.size[1]], before, (top, left)


class HorizontalFlip:
    """Flips left and right."""

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W]."""
        return np.ascontiguousarray(as_image("HorizontalFlip", image)[:, ::-1])


class VerticalFlip:
    """Flips top and bottom."""

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W]."""
        return np.ascontiguousarray(as_image("VerticalFlip", image)[::-1])


class RandomFlip:
    """Applies the operation of the other base class with probability ``prob``."""

    def __init__(self, prob: float = 0.5) -> None:
        self.bernoulli = Bernoulli(prob)

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W], flipped or not."""
        return super().__call__(image) if self.bernoulli() else as_array(image)  # type: ignore[misc]  # of the other base


class RandomHorizontalFlip(RandomFlip, HorizontalFlip):
    """``HorizontalFlip`` with probability ``prob``."""


class RandomVerticalFlip(RandomFlip, VerticalFlip):
    """``VerticalFlip`` with probability ``prob``."""


def _pad(pixels: np.ndarray, widths: Sequence[tuple[int, int]], value: int, mode: Border) -> np.ndarray:
    widths = [*widths, *[(0, 0)] * (pixels.ndim - 2)]
    options: dict[str, Any] = {"constant_values": value} if mode is Border.CONSTANT else {}
    return np.pad(pixels, widths, cast(Any, mode.value), **options)


def _pad_widths(caller: str, padding: Size) -> list[tuple[int, int]]:
    """((top, bottom), (left, right)) from one number, two or four; raises ``ValueError`` for others."""
    sides = (padding,) * 4 if isinstance(padding, int) else tuple(padding)
    sides = sides * 2 if len(sides) == 2 else sides
    if len(sides) != 4 or not all(isinstance(n, int) and n >= 0 for n in sides):
        raise ArgValueError(f"{caller}: padding must be one, two or four non-negative ints, got {padding!r}")
    left, top, right, bottom = sides
    return [(top, bottom), (left, right)]
