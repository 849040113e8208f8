"""Independent samples: uniform, normal, truncated normal."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from minigraph.core.errors import UsageError
from minigraph.core.types import Shape
from minigraph.nn.initializers.initializer import Initializer

MIN_PROBABILITY = 1e-3  # of a value between the bounds: below, resampling takes too long


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
    """``Normal``, resampled where a value is outside of ``a`` to ``b``."""

    sigma: float = 0.01
    mean: float = 0.0
    a: float = -2.0
    b: float = 2.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples; raises ``UsageError`` if hardly any value is between the bounds."""
        if not self.a < self.b:
            raise UsageError(f"TruncatedNormal: a must be below b, got a={self.a}, b={self.b}")
        if self._probability() < MIN_PROBABILITY:
            where = f"{self.a} to {self.b} of mean {self.mean} and sigma {self.sigma}"
            raise UsageError(f"TruncatedNormal: hardly any value is in {where}; choose other bounds")
        values = rng.normal(self.mean, self.sigma, shape)
        while (outside := (values < self.a) | (values > self.b)).any():
            values[outside] = rng.normal(self.mean, self.sigma, int(outside.sum()))
        return values

    def _probability(self) -> float:
        """The share of values between the bounds."""
        if self.sigma == 0:
            return float(self.a <= self.mean <= self.b)
        normal = NormalDist(self.mean, self.sigma)
        return normal.cdf(self.b) - normal.cdf(self.a)
