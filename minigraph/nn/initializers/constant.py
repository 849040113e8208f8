"""Constant values: numbers, the identity, the Dirac kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from minigraph.core.errors import ShapeError
from minigraph.core.types import Shape
from minigraph.nn.initializers.initializer import Initializer, check_rank


@dataclass(frozen=True)
class Constant(Initializer):
    """The same ``value`` everywhere."""

    is_random: ClassVar[bool] = False
    value: float

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """The value, repeated."""
        return np.full(shape, self.value)


@dataclass(frozen=True)
class Zero(Constant):
    """0 everywhere."""

    value: float = 0.0


@dataclass(frozen=True)
class One(Constant):
    """1 everywhere."""

    value: float = 1.0


@dataclass(frozen=True)
class Identity(Initializer):
    """The identity matrix.

    >>> Identity().sample(np.random.default_rng(0), (2, 3))
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """

    is_random: ClassVar[bool] = False

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """The matrix; raises ``ShapeError`` unless there are two dimensions."""
        check_rank("Identity", shape, (2,))
        return np.eye(shape[0], shape[1])


@dataclass(frozen=True)
class Dirac(Initializer):
    """The kernel (out, in, *window) of a convolution that preserves its input, for as many channels per group as fit.

    >>> Dirac().sample(np.random.default_rng(0), (1, 1, 3))
    array([[[0., 1., 0.]]])
    """

    is_random: ClassVar[bool] = False
    groups: int = 1

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """The kernel; raises ``ShapeError`` unless there are 3 to 5 dimensions, or if the groups do not fit."""
        check_rank("Dirac", shape, (3, 4, 5))
        channels, remainder = divmod(shape[0], self.groups)
        if remainder:
            raise ShapeError(f"Dirac: {shape[0]} channels in {list(shape)} are not {self.groups} equal groups")
        values = np.zeros(shape)
        center = tuple(size // 2 for size in shape[2:])
        for out in range(shape[0]):
            if out % channels < shape[1]:
                values[(out, out % channels, *center)] = 1.0
        return values
