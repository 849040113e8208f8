"""The base class of initializers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.types import Shape


class Initializer:
    """An initializer fills an array of a given shape.

    As in MindSpore, a subclass overrides ``_initialize``, which fills the array passed to it.

    >>> import minigraph as ms
    >>> class Rising(Initializer):
    ...     def _initialize(self, arr):
    ...         arr[:] = np.arange(arr.size).reshape(arr.shape)
    >>> print(ms.nn.initializers.initializer(Rising(), (2, 2)))
    [[0. 1.]
     [2. 3.]]
    """

    is_random: ClassVar[bool] = True  # whether ``sample`` may draw from its generator

    def __init__(self, **kwargs: object) -> None:
        vars(self)["_kwargs"] = kwargs

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Values for ``shape`` in float64, sampled from ``rng``."""
        values = np.zeros(shape)
        self(values)
        return values

    def __call__(self, arr: np.ndarray) -> None:
        """Fill ``arr``."""
        self._initialize(arr)

    def _initialize(self, arr: np.ndarray) -> None:
        name = type(self).__name__
        raise UsageError(f"{name}: an initializer must fill the array passed to it; define _initialize(self, arr)")


def check_rank(caller: str, shape: Shape, ranks: Sequence[int]) -> None:
    """Raises ``ShapeError`` if an initializer does not support the number of dimensions."""
    if len(shape) not in ranks:
        supported = f"{ranks[0]} to {ranks[-1]}" if len(ranks) > 1 else str(ranks[0])
        raise ShapeError(
            f"{caller}: supports {supported} dimensions, got {len(shape)} in {list(shape)}; choose another initializer"
        )
