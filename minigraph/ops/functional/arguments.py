"""Arguments that give one integer per axis, values that must be known, and the slices of sliding windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, TypeArgument, ValueArgument
from minigraph.core.tensor import Tensor
from minigraph.operators.families import check_tensors


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


def concrete_values(where_: str, x: Any) -> np.ndarray:
    """The values of a tensor; raises ``TypeError`` for what is no tensor."""
    if not isinstance(x, Tensor):
        raise TypeArgument(f"{where_}: a tensor is wanted, got {type(x).__name__}; wrap it in Tensor(...)")
    return x.asnumpy()


def check_ranks(name: str, *wanted: tuple[Any, int]) -> None:
    """Raises ``ShapeError`` for a tensor of another rank than its own."""
    check_tensors(name, *(x for x, _ in wanted))
    for x, rank in wanted:
        if x.ndim != rank:
            raise ShapeError(f"{name}: a tensor of rank {rank} is wanted, got {x.type}; reshape it")


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
