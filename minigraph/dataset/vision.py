"""Operations for ``map`` on images [H, W, C] or [H, W]: scales, crops, flips and borders.

Random ones draw from the seed of the room, so that a program's runs repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.dataset.checks import as_array
from minigraph.dataset.config import get_seed
from minigraph.dataset.transforms import Chance
from minigraph.errors import RuntimeArgument, TypeArgument, ValueArgument

Size = int | Sequence[int]
BRIGHTEST = 255.0  # of an image of bytes


class Rescale:
    """image rescale + shift, in float32.

    >>> Rescale(1 / 255.0, 0.0)(np.array([[0, 255]], np.uint8))
    array([[0., 1.]], dtype=float32)
    """

    def __init__(self, rescale: float, shift: float) -> None:
        for name, value in (("rescale", rescale), ("shift", shift)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeArgument(f"Argument {name} with value {value!r} is not of type [<class 'numbers.Number'>].")
        self.rescale, self.shift = rescale, shift

    def __call__(self, image: Any) -> np.ndarray:
        """The image, of any shape, in float32."""
        return as_array(image).astype(np.float32) * np.float32(self.rescale) + np.float32(self.shift)


class Normalize:
    """(image - mean) / std, channel by channel, in float32; channels last, or first unless ``is_hwc``.

    Raises ``ValueError`` for lists of unequal length or a std that is not positive.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = True) -> None:
        if len(mean) != len(std) or not all(value > 0 for value in std):
            raise ValueArgument(f"Normalize: a mean and a std above 0 per channel are wanted, got {mean} and {std}")
        self.mean, self.std, self.is_hwc = np.asarray(mean, np.float32), np.asarray(std, np.float32), is_hwc

    def __call__(self, image: Any) -> np.ndarray:
        """The image in float32."""
        shape = (-1,) if self.is_hwc else (-1, 1, 1)
        pixels = as_array(image).astype(np.float32)
        axis = -1 if self.is_hwc else 0
        if pixels.ndim == 3 and pixels.shape[axis] not in (len(self.mean), 1) and len(self.mean) != 1:
            raise RuntimeArgument(f"Normalize: {len(self.mean)} channels are wanted, got {list(pixels.shape)}")
        return (pixels - self.mean.reshape(shape)) / self.std.reshape(shape)


class HWC2CHW:
    """Channels first.

    >>> HWC2CHW()(np.zeros((4, 2, 3))).shape
    (3, 4, 2)
    """

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] to [C, H, W]; raises ``RuntimeError`` for another rank."""
        return _image("HWC2CHW", image, ranks=(3,)).transpose(2, 0, 1)


class ToTensor:
    """An image of bytes as float32 from 0 to 1, channels first.

    >>> ToTensor()(np.full((4, 2, 3), 255, np.uint8)).max()
    np.float32(1.0)
    """

    def __init__(self, output_type: Any = np.float32) -> None:
        self.output_type = np.dtype(getattr(output_type, "numpy", output_type))

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W] to [C, H, W]."""
        pixels = _image("ToTensor", image)
        pixels = pixels[:, :, None] if pixels.ndim == 2 else pixels
        return (pixels.transpose(2, 0, 1) / np.float32(BRIGHTEST)).astype(self.output_type)


class CenterCrop:
    """The middle of an image, ``size`` pixels (height, width); zeros around where the image is smaller."""

    def __init__(self, size: Size) -> None:
        self.size = _size_of("CenterCrop", size)

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W] in the size."""
        pixels = _image("CenterCrop", image)
        missing = [max(0, want - have) for want, have in zip(self.size, pixels.shape, strict=False)]
        pixels = _bordered(pixels, [(n // 2, n - n // 2) for n in missing], 0)
        top, left = ((have - want) // 2 for want, have in zip(self.size, pixels.shape, strict=False))
        return pixels[top : top + self.size[0], left : left + self.size[1]]


class Pad:
    """A border of ``fill_value``: one number, (left and right, top and bottom), or (left, top, right, bottom)."""

    def __init__(self, padding: Size, fill_value: int = 0) -> None:
        self.border, self.fill_value = _border_of("Pad", padding), fill_value

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W], larger."""
        return _bordered(_image("Pad", image), self.border, self.fill_value)


class RandomCrop:
    """A part of ``size`` pixels (height, width) from anywhere in the image, ``padding`` around it first.

    ``pad_if_needed`` adds what is missing; else a ``RuntimeError`` says that the image is smaller.
    """

    def __init__(
        self, size: Size, padding: Size | None = None, pad_if_needed: bool = False, fill_value: int = 0
    ) -> None:
        self.size = _size_of("RandomCrop", size)
        self.border = _border_of("RandomCrop", 0 if padding is None else padding)
        self.pad_if_needed, self.fill_value = pad_if_needed, fill_value
        self.rng = np.random.default_rng(get_seed())

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W] in the size."""
        pixels = _bordered(_image("RandomCrop", image), self.border, self.fill_value)
        missing = [max(0, want - have) for want, have in zip(self.size, pixels.shape, strict=False)]
        if any(missing) and not self.pad_if_needed:
            raise RuntimeArgument(f"RandomCrop: {list(pixels.shape)} is smaller than {list(self.size)}; pad it")
        pixels = _bordered(pixels, [(n, n) for n in missing], self.fill_value)
        free = [have - want for want, have in zip(self.size, pixels.shape, strict=False)]
        top, left = (int(self.rng.integers(n + 1)) for n in free)
        return pixels[top : top + self.size[0], left : left + self.size[1]]


class HorizontalFlip:
    """Left and right exchanged."""

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W]."""
        return np.ascontiguousarray(_image("HorizontalFlip", image)[:, ::-1])


class VerticalFlip:
    """Top and bottom exchanged."""

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W]."""
        return np.ascontiguousarray(_image("VerticalFlip", image)[::-1])


class RandomHorizontalFlip(HorizontalFlip):
    """``HorizontalFlip`` with probability ``prob``."""

    def __init__(self, prob: float = 0.5) -> None:
        self.chance = Chance(prob)

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W], flipped or not."""
        return super().__call__(image) if self.chance() else as_array(image)


class RandomVerticalFlip(VerticalFlip):
    """``VerticalFlip`` with probability ``prob``."""

    def __init__(self, prob: float = 0.5) -> None:
        self.chance = Chance(prob)

    def __call__(self, image: Any) -> np.ndarray:
        """[H, W, C] or [H, W], flipped or not."""
        return super().__call__(image) if self.chance() else as_array(image)


def _image(who: str, image: Any, ranks: tuple[int, ...] = (2, 3)) -> np.ndarray:
    pixels = as_array(image)
    if pixels.ndim not in ranks:
        forms = " or ".join({2: "[H, W]", 3: "[H, W, C]"}[rank] for rank in ranks)
        raise RuntimeArgument(f"{who}: an image {forms} is wanted, got shape {list(pixels.shape)}")
    return pixels


def _bordered(pixels: np.ndarray, border: Sequence[tuple[int, int]], value: int) -> np.ndarray:
    rest = [(0, 0)] * (pixels.ndim - 2)
    return np.pad(pixels, [*border, *rest], constant_values=value)


def _size_of(who: str, size: Size) -> tuple[int, int]:
    """(height, width) of one number or two; raises ``ValueError`` for others."""
    both = (size, size) if isinstance(size, int) else tuple(size)
    if len(both) != 2 or not all(isinstance(n, int) and n > 0 for n in both):
        raise ValueArgument(f"{who}: a size is one int above 0 or two, got {size!r}")
    return both[0], both[1]


def _border_of(who: str, padding: Size) -> list[tuple[int, int]]:
    """((top, bottom), (left, right)) of one number, two or four; raises ``ValueError`` for others."""
    sides = (padding,) * 4 if isinstance(padding, int) else tuple(padding)
    sides = sides * 2 if len(sides) == 2 else sides
    if len(sides) != 4 or not all(isinstance(n, int) and n >= 0 for n in sides):
        raise ValueArgument(f"{who}: a padding is one, two or four ints from 0, got {padding!r}")
    left, top, right, bottom = sides
    return [(top, bottom), (left, right)]
