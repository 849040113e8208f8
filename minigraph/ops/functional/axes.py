"""Sizes: one whole number for every axis, given one by one, together, or as one for all; windows of such sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ValueArgument
from minigraph.core.tensor import Tensor


def listed(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Numbers given one by one or as one tuple or list.

    >>> listed((2, 3)), listed(([2, 3],))
    ((2, 3), (2, 3))
    """
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], tuple | list) else args


def per_axis(name: str, what: str, value: Any, rank: int, least: int = 0) -> tuple[int, ...]:
    """One whole number from ``least`` per axis, given as one for all, one each, or a tensor of them.

    Raises ``ValueError`` that names the operator and what the numbers are.

    >>> per_axis("pool", "stride", 2, 3)
    (2, 2, 2)
    """
    if isinstance(value, Tensor):
        value = value.asnumpy().tolist()
    found = tuple(value) if isinstance(value, Sequence) else (value,)
    found = found * rank if len(found) == 1 else found
    if len(found) != rank or not all(isinstance(one, int) and one >= least for one in found):
        raise ValueArgument(f"{name}: {what} is a number from {least}, or one for each of {rank} axes, got {value!r}")
    return found


def cuts(
    kernel: Sequence[int], counts: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[tuple[slice, ...]]:
    """For each place of a kernel where it lies in all windows: a slice per axis.

    >>> cuts((2,), (3,), (1,), (1,))
    [(slice(0, 3, 1),), (slice(1, 4, 1),)]
    """
    found = []
    for place in np.ndindex(*kernel):
        axes = zip(place, counts, strides, dilations, strict=True)
        found.append(tuple(slice(at * gap, at * gap + (n - 1) * step + 1, step) for at, n, step, gap in axes))
    return found
