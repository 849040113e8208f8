"""Arguments with one integer per axis, concrete values of tensors, rank checks, and slices of sliding windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ArgTypeError, ArgValueError, ShapeError
from minigraph.core.tensor import Tensor
from minigraph.operators.families import check_tensors


def as_tuple(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Integers passed one by one, or as one tuple or list, as a tuple.

    >>> as_tuple((2, 3)), as_tuple(([2, 3],))
    ((2, 3), (2, 3))
    """
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], tuple | list) else args


def per_axis(
    name: str, argument: str, value: int | Sequence[int] | Tensor, rank: int, minimum: int = 0
) -> tuple[int, ...]:
    """One integer >= ``minimum`` per axis, from one for all axes, one for each, or a tensor of them.

    Raises ``ValueError`` that names the operator and the argument.

    >>> per_axis("pool", "stride", 2, 3)
    (2, 2, 2)
    """
    sizes = value.asnumpy().tolist() if isinstance(value, Tensor) else value
    values: tuple[int, ...] = tuple(sizes) if isinstance(sizes, Sequence) else (sizes,)
    values = values * rank if len(values) == 1 else values
    if len(values) != rank or not all(isinstance(value, int) and value >= minimum for value in values):
        raise ArgValueError(
            f"{name}: {argument} must be an integer >= {minimum}, or one for each of {rank} axes, got {sizes!r}"
        )
    return values


def concrete_values(name: str, x: Tensor) -> np.ndarray:
    """The values of a tensor as an array; raises ``TypeError`` unless ``x`` is a tensor."""
    if not isinstance(x, Tensor):
        raise ArgTypeError(f"{name}: expected a tensor, got {type(x).__name__}; wrap it in Tensor(...)")
    return x.asnumpy()


def check_ranks(name: str, *expected: tuple[Tensor, int]) -> None:
    """Raises ``ShapeError`` unless each tensor has the rank that is expected of it."""
    check_tensors(name, *(x for x, _ in expected))
    for x, rank in expected:
        if x.ndim != rank:
            raise ShapeError(f"{name}: expected a tensor of rank {rank}, got {x.type}; reshape it")


def window_slices(
    kernel: Sequence[int], counts: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[tuple[slice, ...]]:
    """For each position in a kernel, the slices (one per axis) of the elements below it in all windows.

    >>> window_slices((2,), (3,), (1,), (1,))
    [(slice(0, 3, 1),), (slice(1, 4, 1),)]
    """
    slices = []
    for position in np.ndindex(*kernel):
        axes = zip(position, counts, strides, dilations, strict=True)
        slices.append(
            tuple(
                slice(offset * dilation, offset * dilation + (count - 1) * stride + 1, stride)
                for offset, count, stride, dilation in axes
            )
        )
    return slices
