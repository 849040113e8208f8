"""What all initializers share, and what one of a user's own has to say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.types import Shape


class Initializer:
    """A way to fill a shape.

    As in MindSpore, one of your own overrides ``_initialize``, which fills the array it is given.

    >>> import minigraph as ms
    >>> class Rising(Initializer):
    ...     def _initialize(self, arr):
    ...         arr[:] = np.arange(arr.size).reshape(arr.shape)
    >>> print(ms.nn.initializers.initializer(Rising(), (2, 2)))
    [[0. 1.]
     [2. 3.]]
    """

    def __init__(self, **kwargs: Any) -> None:
        vars(self)["_kwargs"] = kwargs

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Values for ``shape`` in float64, drawn from ``rng``."""
        values = np.zeros(shape)
        self(values)
        return values

    def __call__(self, arr: np.ndarray) -> None:
        """Fill ``arr``."""
        self._initialize(arr)

    def _initialize(self, arr: np.ndarray) -> None:
        name = type(self).__name__
        raise UsageError(f"{name}: an initializer has to fill the array it is given; define _initialize(self, arr)")


def refuse_rank(who: str, shape: Shape, ranks: Sequence[int]) -> None:
    """Raise ``ShapeError`` where an initializer cannot fill so many dimensions."""
    if len(shape) not in ranks:
        wanted = f"{ranks[0]} to {ranks[-1]}" if len(ranks) > 1 else str(ranks[0])
        raise ShapeError(f"{who}: it fills {wanted} dimensions, got {len(shape)} in {list(shape)}; choose another one")
