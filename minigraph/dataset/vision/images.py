"""What operations on images ask of an image and of a size."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, TypeVar

import numpy as np

from minigraph.core.errors import RuntimeArgument, TypeArgument, ValueArgument
from minigraph.dataset.arguments import as_array

Size = int | Sequence[int]
EnumT = TypeVar("EnumT", bound=Enum)


def image_of(who: str, image: Any, ranks: tuple[int, ...] = (2, 3)) -> np.ndarray:
    """An image [H, W] or [H, W, C] as an array; raises ``RuntimeError`` for another rank.

    >>> image_of("Pad", [[1, 2], [3, 4]]).shape
    (2, 2)
    """
    pixels = as_array(image)
    if pixels.ndim not in ranks:
        forms = " or ".join({2: "[H, W]", 3: "[H, W, C]"}[rank] for rank in ranks)
        raise RuntimeArgument(f"{who}: an image {forms} is wanted, got shape {list(pixels.shape)}")
    return pixels


def size_of(who: str, size: Size) -> tuple[int, int]:
    """(height, width) of one number or two; raises ``ValueError`` for others.

    >>> size_of("Resize", 4), size_of("Resize", (4, 6))
    ((4, 4), (4, 6))
    """
    both = (size, size) if isinstance(size, int) else tuple(size)
    if len(both) != 2 or not all(isinstance(n, int) and n > 0 for n in both):
        raise ValueArgument(f"{who}: a size is one int above 0 or two, got {size!r}")
    return both[0], both[1]


def member(kind: type[EnumT], name: str, value: object) -> EnumT:
    """``value`` if it is one of ``kind``; raises ``TypeError`` for anything else, in MindSpore's words."""
    if not isinstance(value, kind):
        raise TypeArgument(
            f"Argument {name} with value {value} is not of type [{kind!r}], but got {type(value)}; "
            f"such as {kind.__name__}.{next(iter(kind)).name}"
        )
    return value
