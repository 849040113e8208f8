"""Random sequences of image operations: policies learned for data sets, and policies without a search."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import numpy as np

from minigraph.core.errors import ArgValueError
from minigraph.dataset.operation_table import OperationTable, RandomArrayOperation, operation_classes
from minigraph.dataset.vision import color, warps
from minigraph.dataset.vision.images import as_image
from minigraph.dataset.vision.random_operations import Rng
from minigraph.dataset.vision.resize import Inter


class AutoAugmentPolicy(StrEnum):
    """The data set that a policy of ``AutoAugment`` was learned for."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


# An operation's strength by its level, a fraction from 0 to 1; signed ones are negated at random.
SIGNED = {
    "ShearX": 0.3, "ShearY": 0.3, "TranslateX": 150 / 331, "TranslateY": 150 / 331, "Rotate": 30.0,
    "Brightness": 0.9, "Color": 0.9, "Contrast": 0.9, "Sharpness": 0.9,
}  # fmt: skip
OPERATION_NAMES = ("Identity", *SIGNED, "Posterize", "Solarize", "AutoContrast", "Equalize", "Invert")
# (operation, probability in tenths, level in ninths) twice per line: Cubuk et al. 2019, tables 7 to 9
POLICIES = {
    AutoAugmentPolicy.CIFAR10: """
        Invert 1 7 Contrast 2 6|Rotate 7 2 TranslateX 3 9|Sharpness 8 1 Sharpness 9 3|ShearY 5 8 TranslateY 7 9
        AutoContrast 5 8 Equalize 9 2|ShearY 2 7 Posterize 3 7|Color 4 3 Brightness 6 7|Sharpness 3 9 Brightness 7 9
        Equalize 6 5 Equalize 5 1|Contrast 6 7 Sharpness 6 5|Color 7 7 TranslateX 5 8|Equalize 3 7 AutoContrast 4 8
        TranslateY 4 3 Sharpness 2 6|Brightness 9 6 Color 2 8|Solarize 5 2 Invert 0 3|Equalize 2 0 AutoContrast 6 0
        Equalize 2 8 Equalize 6 4|Color 9 9 Equalize 6 6|AutoContrast 8 4 Solarize 2 8|Brightness 1 3 Color 7 0
        Solarize 4 5 AutoContrast 9 3|TranslateY 9 9 TranslateY 7 9|AutoContrast 9 2 Solarize 8 3
        Equalize 8 8 Invert 1 3|TranslateY 7 9 AutoContrast 9 1""",
    AutoAugmentPolicy.IMAGENET: """
        Posterize 4 8 Rotate 6 9|Solarize 6 5 AutoContrast 6 5|Equalize 8 8 Equalize 6 3|Posterize 6 7 Posterize 6 6
        Equalize 4 7 Solarize 2 4|Equalize 4 4 Rotate 8 8|Solarize 6 3 Equalize 6 7|Posterize 8 5 Equalize 10 2
        Rotate 2 3 Solarize 6 8|Equalize 6 8 Posterize 4 6|Rotate 8 8 Color 4 0|Rotate 4 9 Equalize 6 2
        Equalize 0 7 Equalize 8 8|Invert 6 4 Equalize 10 8|Color 6 4 Contrast 10 8|Rotate 8 8 Color 10 2
        Color 8 8 Solarize 8 7|Sharpness 4 7 Invert 6 8|ShearX 6 5 Equalize 10 9|Color 4 0 Equalize 6 3
        Equalize 4 7 Solarize 2 4|Solarize 6 5 AutoContrast 6 5|Invert 6 4 Equalize 10 8|Color 6 4 Contrast 10 8
        Equalize 8 8 Equalize 6 3""",
    AutoAugmentPolicy.SVHN: """
        ShearX 9 4 Invert 2 3|ShearY 9 8 Invert 7 5|Equalize 6 5 Solarize 6 6|Invert 9 3 Equalize 6 3
        Equalize 6 1 Rotate 9 3|ShearX 9 4 AutoContrast 8 3|ShearY 9 8 Invert 4 5|ShearY 9 5 Solarize 2 6
        Invert 9 6 AutoContrast 8 1|Equalize 6 3 Rotate 9 3|ShearX 9 4 Solarize 3 3|ShearY 8 8 Invert 7 4
        Equalize 9 5 TranslateY 6 6|Invert 9 4 Equalize 6 7|Contrast 3 3 Rotate 8 4|Invert 8 5 TranslateY 0 2
        ShearY 7 6 Solarize 4 8|Invert 6 4 Rotate 8 4|ShearY 3 7 TranslateX 9 3|ShearX 1 6 Invert 6 5
        Solarize 7 2 TranslateY 6 7|ShearY 8 4 Invert 8 8|ShearX 7 9 TranslateY 8 3|ShearY 8 5 AutoContrast 7 3
        ShearX 7 2 Invert 1 5""",
}


def augment(image: np.ndarray, name: str, level: float, interpolation: Inter, fill_value: object) -> np.ndarray:
    """One named operation at a level from -1 to 1.

    >>> int(augment(np.full((2, 2, 3), 7, np.uint8), "Invert", 1.0, Inter.NEAREST, 0)[0, 0, 0])
    248
    """
    strength = SIGNED.get(name, 1.0) * level
    shears = {"ShearX": (strength, 0.0), "ShearY": (0.0, strength)}
    moves = {"TranslateX": (strength, 0.0), "TranslateY": (0.0, strength)}
    if name in shears or name in moves or name == "Rotate":
        by_x, by_y = (math.degrees(math.atan(slope)) for slope in shears.get(name, (0.0, 0.0)))
        angle = strength if name == "Rotate" else 0.0
        return warps.affine(image, angle, moves.get(name, (0.0, 0.0)), 1.0, (by_x, by_y), interpolation, fill_value)
    functions: dict[str, Any] = {
        "Identity": lambda: image, "Brightness": lambda: color.adjust_brightness(image, 1 + strength),
        "Color": lambda: color.adjust_saturation(image, 1 + strength),
        "Contrast": lambda: color.adjust_contrast(image, 1 + strength),
        "Sharpness": lambda: color.adjust_sharpness(image, 1 + strength),
        "Posterize": lambda: color.posterize(image, 8 - round(4 * abs(level))),
        "Solarize": lambda: color.solarize(image, 255 - 255 * abs(level)),
        "AutoContrast": lambda: color.auto_contrast(image, 0.0, None), "Equalize": lambda: color.equalize(image),
        "Invert": lambda: color.invert(image),
    }  # fmt: skip
    result: np.ndarray = functions[name]()
    return result


def _with_random_sign(rng: Rng, name: str, level: float) -> float:
    return -level if name in SIGNED and rng.random() < 0.5 else level


def auto_augment(
    rng: Rng, image: np.ndarray, policy: AutoAugmentPolicy, interpolation: Inter, fill_value: object
) -> np.ndarray:
    """One of the pairs of operations of a policy, chosen at random (Cubuk et al. 2019)."""
    pixels, pairs = as_image("AutoAugment", image, (3,)), POLICIES[policy].replace("\n", "|").split("|")
    parts = [pair.split() for pair in pairs if pair.strip()][int(rng.integers(25))]
    for name, prob, level in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        if rng.random() < int(prob) / 10:
            pixels = augment(pixels, name, _with_random_sign(rng, name, int(level) / 9), interpolation, fill_value)
    return pixels


def rand_augment(
    rng: Rng, image: np.ndarray, num_ops: int, magnitude: int, num_magnitude_bins: int, interpolation: Inter,
    fill_value: object,
) -> np.ndarray:  # fmt: skip
    """``num_ops`` random operations at one level, ``magnitude`` of ``num_magnitude_bins`` (Cubuk et al. 2020)."""
    pixels = as_image("RandAugment", image, (3,))
    if not 0 <= magnitude < num_magnitude_bins:
        raise ArgValueError(f"Input magnitude is not within the required interval of [0, {num_magnitude_bins})")
    level = magnitude / (num_magnitude_bins - 1)
    for index in rng.integers(len(OPERATION_NAMES) - 1, size=num_ops):  # without Invert
        name = OPERATION_NAMES[int(index)]
        pixels = augment(pixels, name, _with_random_sign(rng, name, level), interpolation, fill_value)
    return pixels


def trivial_augment_wide(
    rng: Rng, image: np.ndarray, num_magnitude_bins: int, interpolation: Inter, fill_value: object
) -> np.ndarray:
    """One random operation at a random level (Müller & Hutter 2021)."""
    level = int(rng.integers(num_magnitude_bins))
    return rand_augment(rng, image, 1, level, num_magnitude_bins, interpolation, fill_value)


OPERATION_TABLE: OperationTable = {
    "AutoAugment": (auto_augment, lambda policy=AutoAugmentPolicy.IMAGENET, interpolation=Inter.NEAREST, fill_value=0:
                    dict(locals())),
    "RandAugment": (rand_augment, lambda num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=Inter.NEAREST,
                    fill_value=0: dict(locals())),
    "TrivialAugmentWide": (trivial_augment_wide, lambda num_magnitude_bins=31, interpolation=Inter.NEAREST,
                           fill_value=0: dict(locals())),
}  # fmt: skip
OPERATIONS = operation_classes(OPERATION_TABLE, "minigraph.dataset.vision", RandomArrayOperation)
globals().update(OPERATIONS)
__all__ = ["AutoAugmentPolicy", *OPERATIONS]  # noqa: PLE0604 - strings
