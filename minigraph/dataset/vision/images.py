"""Argument checks of image operations: images, sizes and enum members."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TypeVar

import numpy as np

from minigraph.core.aliases import ArrayLike
from minigraph.core.errors import ArgRuntimeError, ArgTypeError, ArgValueError
from minigraph.dataset.arguments import as_array

Size = int | Sequence[int]
EnumT = TypeVar("EnumT", bound=Enum)


def as_image(caller: str, image: ArrayLike, ranks: tuple[int, ...] = (2, 3)) -> np.ndarray:
    """An image [H, W] or [H, W, C] as an array; raises ``RuntimeError`` for another rank.

    >>> as_image("Pad", [[1, 2], [3, 4]]).shape
    (2, 2)
    """
    pixels = as_array(image)
    if pixels.ndim not in ranks:
        forms = " or ".join({2: "[H, W]", 3: "[H, W, C]"}[rank] for rank in ranks)
        raise ArgRuntimeError(f"{caller}: expected an image {forms}, got shape {list(pixels.shape)}")
    return pixels


def height_and_width(caller: str, size: Size) -> tuple[int, int]:
    """(height, width) from one number or two; raises ``ValueError`` for others.

    >>> height_and_width("Resize", 4), height_and_width("Resize", (4, 6))
    ((4, 4), (4, 6))
    """
    sizes = (size, size) if isinstance(size, int) else tuple(size)
    if len(sizes) != 2 or not all(isinstance(n, int) and n > 0 for n in sizes):
        raise ArgValueError(f"{caller}: size must be one positive int or two, got {size!r}")
    return sizes[0], sizes[1]


def check_member(kind: type[EnumT], name: str, value: object) -> EnumT:
    """``value`` if it is a member of ``kind``; raises ``TypeError`` otherwise, with MindSpore's message."""
    if not isinstance(value, kind):
        raise ArgTypeError(
            f"Argument {name} with value {value} is not of type [{kind!r}], but got {type(value)}; "
            f"such as {kind.__name__}.{next(iter(kind)).name}"
        )
    return value
