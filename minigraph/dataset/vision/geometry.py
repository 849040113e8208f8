"""Operations on where the pixels of images [H, W, C] or [H, W] stand: crops, borders and flips.

Random ones draw from the seed of the room, so that a program's runs repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, cast

import numpy as np

from minigraph.core.errors import RuntimeArgument, ValueArgument
from minigraph.dataset.arguments import as_array
from minigraph.dataset.config import get_seed
from minigraph.dataset.transforms import Chance
from minigraph.dataset.vision.images import Size, image_of, member, size_of


class Border(StrEnum):
    """What a border is of: a number, the pixels at the edge, or the image mirrored (at its edge pixels, or edges)."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class CenterCrop:
    """The middle of an image, ``size`` pixels (height, width); zeros around where the image is smaller."""

    def __init__(self, size: Size) -> None:
        self.size = size_of("CenterCrop", size)

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W] in the size."""
        pixels = image_of("CenterCrop", image)
        missing = [max(0, want - have) for want, have in zip(self.size, pixels.shape, strict=False)]
        pixels = _bordered(pixels, [(n // 2, n - n // 2) for n in missing], 0, Border.CONSTANT)
        top, left = ((have - want) // 2 for want, have in zip(self.size, pixels.shape, strict=False))
        return pixels[top : top + self.size[0], left : left + self.size[1]]


class Pad:
    """A border: one number, (left and right, top and bottom), or (left, top, right, bottom).

    It is of ``fill_value``, or of pixels of the image as ``padding_mode`` says.
    """

    def __init__(self, padding: Size, fill_value: int = 0, padding_mode: Border = Border.CONSTANT) -> None:
        self.border, self.fill_value = _border_of("Pad", padding), fill_value
        self.mode = member(Border, "padding_mode", padding_mode)

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W], larger."""
        return _bordered(image_of("Pad", image), self.border, self.fill_value, self.mode)


class RandomCrop:
    """A part of ``size`` pixels (height, width) from anywhere in the image, ``padding`` around it first.

    ``pad_if_needed`` adds what is missing; else a ``RuntimeError`` says that the image is smaller.
    """

    def __init__(
        self,
        size: Size,
        padding: Size | None = None,
        pad_if_needed: bool = False,
        fill_value: int = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:
        self.size = size_of("RandomCrop", size)
        self.border = _border_of("RandomCrop", 0 if padding is None else padding)
        self.pad_if_needed, self.fill_value = pad_if_needed, fill_value
        self.mode = member(Border, "padding_mode", padding_mode)
        self.rng = np.random.default_rng(get_seed())

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W] in the size."""
        pixels = _bordered(image_of("RandomCrop", image), self.border, self.fill_value, self.mode)
        missing = [max(0, want - have) for want, have in zip(self.size, pixels.shape, strict=False)]
        if any(missing) and not self.pad_if_needed:
            raise RuntimeArgument(f"RandomCrop: {list(pixels.shape)} is smaller than {list(self.size)}; pad it")
        pixels = _bordered(pixels, [(n, n) for n in missing], self.fill_value, self.mode)
        free = [have - want for want, have in zip(self.size, pixels.shape, strict=False)]
        top, left = (int(self.rng.integers(n + 1)) for n in free)
        return pixels[top : top + self.size[0], left : left + self.size[1]]


class HorizontalFlip:
    """Left and right exchanged."""

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W]."""
        return np.ascontiguousarray(image_of("HorizontalFlip", image)[:, ::-1])


class VerticalFlip:
    """Top and bottom exchanged."""

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W]."""
        return np.ascontiguousarray(image_of("VerticalFlip", image)[::-1])


class RandomFlip:
    """What the base beside it does, with probability ``prob``."""

    def __init__(self, prob: float = 0.5) -> None:
        self.chance = Chance(prob)

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W], flipped or not."""
        return super().__call__(image) if self.chance() else as_array(image)  # type: ignore[misc]  # of the other base


class RandomHorizontalFlip(RandomFlip, HorizontalFlip):
    """``HorizontalFlip`` with probability ``prob``."""


class RandomVerticalFlip(RandomFlip, VerticalFlip):
    """``VerticalFlip`` with probability ``prob``."""


def _bordered(pixels: np.ndarray, border: Sequence[tuple[int, int]], value: int, mode: Border) -> np.ndarray:
    widths = [*border, *[(0, 0)] * (pixels.ndim - 2)]
    filled: dict[str, Any] = {"constant_values": value} if mode is Border.CONSTANT else {}
    return np.pad(pixels, widths, cast(Any, mode.value), **filled)


def _border_of(who: str, padding: Size) -> list[tuple[int, int]]:
    """((top, bottom), (left, right)) of one number, two or four; raises ``ValueError`` for others."""
    sides = (padding,) * 4 if isinstance(padding, int) else tuple(padding)
    sides = sides * 2 if len(sides) == 2 else sides
    if len(sides) != 4 or not all(isinstance(n, int) and n >= 0 for n in sides):
        raise ValueArgument(f"{who}: a padding is one, two or four ints from 0, got {padding!r}")
    left, top, right, bottom = sides
    return [(top, bottom), (left, right)]
