"""Operations on the values of images [H, W, C] or [H, W], and on the order of their axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.dataset.arguments import as_array
from minigraph.dataset.vision.images import as_image

MAX_INTENSITY = 255.0  # of an image of bytes


class Rescale:
    """image rescale + shift, in float32.

    >>> Rescale(1 / 255.0, 0.0)(np.array([[0, 255]], np.uint8))
    array([[0., 1.]], dtype=float32)
    """

    def __init__(self, rescale: float, shift: float) -> None:
        for name, value in (("rescale", rescale), ("shift", shift)):
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ArgTypeError(f"Argument {name} with value {value!r} is not of type [<class 'numbers.Number'>].")
        self.rescale, self.shift = rescale, shift

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """The image, of any shape, in float32."""
        return as_array(image).astype(np.float32) * np.float32(self.rescale) + np.float32(self.shift)


class Normalize:
    """(image - mean) / std, channel by channel, in float32; channels last, or first unless ``is_hwc``.

    Raises ``ValueError`` for lists of unequal length or a std that is not positive.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], is_hwc: bool = True) -> None:
        if len(mean) != len(std) or not all(value > 0 for value in std):
            raise ArgValueError(f"Normalize: expected a mean and a positive std per channel, got {mean} and {std}")
        self.mean, self.std, self.is_hwc = np.asarray(mean, np.float32), np.asarray(std, np.float32), is_hwc

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """The image in float32."""
        shape = (-1,) if self.is_hwc else (-1, 1, 1)
        pixels = as_array(image).astype(np.float32)
        axis = -1 if self.is_hwc else 0
        if pixels.ndim == 3 and pixels.shape[axis] not in (len(self.mean), 1) and len(self.mean) != 1:
            raise ArgRuntimeError(f"Normalize: expected {len(self.mean)} channels, got shape {list(pixels.shape)}")
        return (pixels - self.mean.reshape(shape)) / self.std.reshape(shape)


class HWC2CHW:
    """Moves the channels to the front.

    >>> HWC2CHW()(np.zeros((4, 2, 3))).shape
    (3, 4, 2)
    """

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] to [C, H, W]; raises ``RuntimeError`` for another rank."""
        return as_image("HWC2CHW", image, ranks=(3,)).transpose(2, 0, 1)


class ToTensor:
    """An image of bytes as float32 from 0 to 1, channels first.

    >>> ToTensor()(np.full((4, 2, 3), 255, np.uint8)).max()
    np.float32(1.0)
    """

    def __init__(self, output_type: Any = np.float32) -> None:
        self.output_type = np.dtype(getattr(output_type, "numpy", output_type))

    def __call__(self, image: np.ndarray) -> np.ndarray:
        """[H, W, C] or [H, W] to [C, H, W]."""
        pixels = as_image("ToTensor", image)
        pixels = pixels[:, :, None] if pixels.ndim == 2 else pixels
        return (pixels.transpose(2, 0, 1) / np.float32(MAX_INTENSITY)).astype(self.output_type)
