"""Random changes of images: colours, crops, erased parts, and policies of several operations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgRuntimeError, ArgValueError
from minigraph.dataset.arguments import Operation, check_callables
from minigraph.dataset.operation_table import OperationTable, RandomArrayOperation, operation_classes
from minigraph.dataset.vision import color
from minigraph.dataset.vision.crops import resized_crop
from minigraph.dataset.vision.images import Size, as_image
from minigraph.dataset.vision.resize import Inter

Rng = np.random.Generator
Range = tuple[float, float]
# The principal components of the colours of ImageNet, scaled (Krizhevsky et al. 2012, section 4.1)
COMPONENTS = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.814], [-0.5836, -0.6948, 0.4203]])
DEVIATIONS = np.array([55.46, 4.794, 1.148])


def _with_probability(rng: Rng, image: np.ndarray, prob: float, change: Operation) -> np.ndarray:
    if not 0 <= prob <= 1:
        raise ArgValueError(f"Input prob is not within the required interval of [0.0, 1.0]; got {prob!r}")
    return change(image) if rng.random() < prob else image


def _pair(value: Any, low: float = 0.0) -> Range:
    """A range, from one number or two: x is from max(low, 1 - x) to 1 + x."""
    first, second = (max(low, 1 - value), 1 + value) if isinstance(value, int | float) else value
    if first > second:
        raise ArgValueError(f"a range must have its smaller value first, got {value}")
    return float(first), float(second)


# ---- one change, with a probability ----------------------------------------------------------------


def random_invert(rng: Rng, image: np.ndarray, prob: float) -> np.ndarray:
    """``Invert`` with probability ``prob``."""
    return _with_probability(rng, image, prob, color.invert)


def random_equalize(rng: Rng, image: np.ndarray, prob: float) -> np.ndarray:
    """``Equalize`` with probability ``prob``."""
    return _with_probability(rng, image, prob, color.equalize)


def random_auto_contrast(rng: Rng, image: np.ndarray, cutoff: float, ignore: object, prob: float) -> np.ndarray:
    """``AutoContrast`` with probability ``prob``."""
    return _with_probability(rng, image, prob, lambda pixels: color.auto_contrast(pixels, cutoff, ignore))


def random_adjust_sharpness(rng: Rng, image: np.ndarray, degree: float, prob: float) -> np.ndarray:
    """``AdjustSharpness`` with probability ``prob``."""
    return _with_probability(rng, image, prob, lambda pixels: color.adjust_sharpness(pixels, degree))


# ---- a change by a random amount -------------------------------------------------------------------


def random_color(rng: Rng, image: np.ndarray, degrees: Range) -> np.ndarray:
    """``AdjustSaturation`` by a factor from the range ``degrees``."""
    return color.adjust_saturation(image, rng.uniform(*_pair(degrees)))


def random_sharpness(rng: Rng, image: np.ndarray, degrees: Range) -> np.ndarray:
    """``AdjustSharpness`` by a factor from the range ``degrees``."""
    return color.adjust_sharpness(image, rng.uniform(*_pair(degrees)))


def random_posterize(rng: Rng, image: np.ndarray, bits: Any) -> np.ndarray:
    """``Posterize`` to a number of bits from a range, or to one number."""
    low, high = (bits, bits) if isinstance(bits, int) else bits
    return color.posterize(image, int(rng.integers(low, high + 1)))


def random_solarize(rng: Rng, image: np.ndarray, threshold: Sequence[int]) -> np.ndarray:
    """``Solarize`` between two random thresholds from a range."""
    low, high = sorted(int(value) for value in rng.integers(threshold[0], threshold[1] + 1, 2))
    return color.solarize(image, low if low == high else (low, high))


def random_color_adjust(
    rng: Rng, image: np.ndarray, brightness: Any, contrast: Any, saturation: Any, hue: Any
) -> np.ndarray:
    """Brightness, contrast, saturation and hue changed in random order by factors from ranges.

    One number x is the range from max(0, 1 - x) to 1 + x, for the hue from -x to x.
    """
    shifts = (-hue, hue) if isinstance(hue, int | float) else hue
    changes: list[tuple[Any, Range, float]] = [
        (color.adjust_brightness, _pair(brightness), 1.0), (color.adjust_contrast, _pair(contrast), 1.0),
        (color.adjust_saturation, _pair(saturation), 1.0), (color.adjust_hue, (shifts[0], shifts[1]), 0.0),
    ]  # fmt: skip
    for index in rng.permutation(len(changes)):
        change, limits, neutral = changes[index]
        if limits != (neutral, neutral):
            image = change(image, float(rng.uniform(*limits)))
    return image


def random_lighting(rng: Rng, image: np.ndarray, alpha: float) -> np.ndarray:
    """Multiples of the principal components of ImageNet's colours added: N(0, ``alpha``) times their deviations."""
    pixels = as_image("RandomLighting", image, (3,))
    shift = COMPONENTS @ (rng.normal(0, alpha, 3) * DEVIATIONS) if alpha else np.zeros(3)
    return np.clip(pixels + shift, 0, 255).astype(pixels.dtype)


# ---- parts -----------------------------------------------------------------------------------------


def _random_box(
    rng: Rng, shape: tuple[int, ...], scale: Range, ratio: Range, attempts: int
) -> tuple[int, int, int, int] | None:
    """(top, left, height, width) of a share of the area from ``scale``, with an aspect ratio from ``ratio``."""
    height, width = shape
    for _ in range(attempts):
        area = rng.uniform(*scale) * height * width
        aspect = math.exp(rng.uniform(*np.log(ratio)))
        rows, columns = round(math.sqrt(area / aspect)), round(math.sqrt(area * aspect))
        if 0 < rows <= height and 0 < columns <= width:
            return int(rng.integers(height - rows + 1)), int(rng.integers(width - columns + 1)), rows, columns
    return None


def random_box_or_middle(
    rng: Rng, shape: tuple[int, ...], scale: Range, ratio: Range, attempts: int
) -> tuple[int, int, int, int]:
    """(top, left, height, width) of a random part; else the largest in the middle whose aspect ratio is in the range.

    >>> random_box_or_middle(np.random.default_rng(0), (4, 8), (2.0, 2.0), (1.0, 1.0), 3)
    (0, 2, 4, 4)
    """
    box, (height, width) = _random_box(rng, shape, scale, ratio, attempts), shape
    if box is not None:
        return box
    aspect = min(max(width / height, ratio[0]), ratio[1])
    rows, columns = min(height, round(width / aspect)), min(width, round(height * aspect))
    return (height - rows) // 2, (width - columns) // 2, rows, columns


def random_resized_crop(
    rng: Rng, image: np.ndarray, size: Size, scale: Range, ratio: Range, interpolation: Inter, max_attempts: int
) -> np.ndarray:
    """A random part, of a share of the area from ``scale`` and an aspect ratio from ``ratio``, resized to ``size``."""
    shape = as_image("RandomResizedCrop", image).shape[:2]
    box = random_box_or_middle(rng, shape, _pair(scale), _pair(ratio), max_attempts)
    return resized_crop(image, *box, size, interpolation)


def random_erasing(
    rng: Rng, image: np.ndarray, prob: float, scale: Range, ratio: Range, value: Any, inplace: bool, max_attempts: int
) -> np.ndarray:
    """With probability ``prob`` a random part of an image [C, H, W] filled with ``value``, or with "random" normals."""
    if image.ndim != 3:
        raise ArgRuntimeError(f"RandomErasing: expected an image [C, H, W], got shape {list(image.shape)}")
    box = _random_box(rng, image.shape[1:], _pair(scale), _pair(ratio), max_attempts) if rng.random() < prob else None
    result = image if inplace else image.copy()
    if box is not None:
        top, left, height, width = box
        content = rng.normal(size=(len(image), height, width)) if value == "random" else np.reshape(value, (-1, 1, 1))
        result[:, top : top + height, left : left + width] = content
    return result


def cut_out(rng: Rng, image: np.ndarray, length: int, num_patches: int, is_hwc: bool) -> np.ndarray:
    """``num_patches`` squares of zeros, whose centres are random pixels (DeVries & Taylor 2017)."""
    result = image.copy()
    plane = result if is_hwc else np.moveaxis(result, 0, -1)
    for _ in range(num_patches):
        center = [int(rng.integers(size)) for size in plane.shape[:2]]
        (top, bottom), (left, right) = ((max(c - length // 2, 0), c - length // 2 + length) for c in center)
        plane[top:bottom, left:right] = 0
    return result


# ---- policies --------------------------------------------------------------------------------------


def random_select_subpolicy(rng: Rng, image: np.ndarray, policy: Any) -> Any:
    """One of several lists of (operation, probability), chosen at random; its operations in order."""
    for change, prob in policy[int(rng.integers(len(policy)))]:
        if rng.random() < prob:
            image = change(image)
    return image


def uniform_augment(rng: Rng, image: np.ndarray, transforms: Sequence[Operation], num_ops: int) -> Any:
    """``num_ops`` operations of a list, chosen at random, each applied with probability 1/2."""
    for index in rng.choice(len(transforms), num_ops, replace=False):
        if rng.random() < 0.5:
            image = transforms[int(index)](image)
    return image


def _subpolicies(policy: Any) -> dict[str, Any]:
    """The arguments of ``RandomSelectSubpolicy``; raises ``ValueError`` and ``TypeError`` for others."""
    if not policy or not all(policy):
        raise ArgValueError("policy can not be empty.")
    for change, prob in (pair for part in policy for pair in part):
        check_callables([change])
        if isinstance(prob, bool) or not isinstance(prob, int | float) or not 0 <= prob <= 1:
            raise ArgValueError(f"Input prob is not within the required interval of [0.0, 1.0]; got {prob!r}")
    return {"policy": policy}


def _augmentations(transforms: Any, num_ops: int = 2) -> dict[str, Any]:
    check_callables(transforms)
    if not 0 < num_ops <= len(transforms):
        raise ArgValueError("num_ops is greater than transforms list size.")
    return {"transforms": list(transforms), "num_ops": num_ops}


SCALE, RATIO = (0.08, 1.0), (3 / 4, 4 / 3)
OPERATION_TABLE: OperationTable = {
    "CutOut": (cut_out, lambda length, num_patches=1, is_hwc=True: dict(locals())),
    "RandomAdjustSharpness": (random_adjust_sharpness, lambda degree, prob=0.5: dict(locals())),
    "RandomAutoContrast": (random_auto_contrast, lambda cutoff=0.0, ignore=None, prob=0.5: dict(locals())),
    "RandomColor": (random_color, lambda degrees=(0.1, 1.9): dict(locals())),
    "RandomColorAdjust": (random_color_adjust, lambda brightness=(1, 1), contrast=(1, 1), saturation=(1, 1), hue=(
        0, 0): dict(locals())),
    "RandomEqualize": (random_equalize, lambda prob=0.5: dict(locals())),
    "RandomErasing": (random_erasing, lambda prob=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False,
                      max_attempts=10: dict(locals())),
    "RandomInvert": (random_invert, lambda prob=0.5: dict(locals())),
    "RandomLighting": (random_lighting, lambda alpha=0.05: dict(locals())),
    "RandomPosterize": (random_posterize, lambda bits=(8, 8): dict(locals())),
    "RandomResizedCrop": (random_resized_crop, lambda size, scale=SCALE, ratio=RATIO, interpolation=Inter.BILINEAR,
                          max_attempts=10: dict(locals())),
    "RandomSelectSubpolicy": (random_select_subpolicy, lambda policy: _subpolicies(policy)),
    "RandomSharpness": (random_sharpness, lambda degrees=(0.1, 1.9): dict(locals())),
    "RandomSolarize": (random_solarize, lambda threshold=(0, 255): dict(locals())),
    "UniformAugment": (uniform_augment, lambda transforms, num_ops=2: _augmentations(transforms, num_ops)),
}  # fmt: skip
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.vision", RandomArrayOperation)
globals().update(OPERATIONS)
__all__ = [*OPERATIONS]  # noqa: PLE0604 - strings
