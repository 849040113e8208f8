"""Independent samples: uniform, normal, truncated normal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.types import Shape
from minigraph.nn.initializers.initializer import Initializer


@dataclass(frozen=True)
class Uniform(Initializer):
    """Uniform distribution between ``-scale`` and ``scale``."""

    scale: float = 0.07

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples."""
        return rng.uniform(-self.scale, self.scale, shape)


@dataclass(frozen=True)
class Normal(Initializer):
    """Normal distribution with standard deviation ``sigma`` and mean ``mean``."""

    sigma: float = 0.01
    mean: float = 0.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples."""
        return rng.normal(self.mean, self.sigma, shape)


@dataclass(frozen=True)
class TruncatedNormal(Initializer):
    """``Normal``, resampled where a value is outside of ``a`` to ``b`` standard deviations."""

    sigma: float = 0.01
    mean: float = 0.0
    a: float = -2.0
    b: float = 2.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples; raises ``UsageError`` unless ``a`` is below ``b``."""
        if not self.a < self.b:
            raise UsageError(f"TruncatedNormal: a must be below b, got a={self.a}, b={self.b}")
        values = rng.normal(size=shape)
        while (outside := (values < self.a) | (values > self.b)).any():
            values[outside] = rng.normal(size=int(outside.sum()))
        return values * self.sigma + self.mean
