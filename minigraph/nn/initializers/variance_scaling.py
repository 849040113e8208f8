"""Variance scaling: distributions scaled by the fan-in and fan-out of a layer (Xavier, He)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from minigraph.core.errors import UnknownNameError, UsageError, did_you_mean
from minigraph.core.types import Shape
from minigraph.nn.initializers.distributions import Normal, TruncatedNormal, Uniform
from minigraph.nn.initializers.initializer import Initializer

# standard deviation of a standard normal truncated at 2: sqrt(1 - 4 f(2) / (2 F(2) - 1)), density f, distribution F
TRUNCATED_DEVIATION = 0.87962566103423978
MIN_FAN = 1.0  # of VarianceScaling, for layers without connections


@dataclass(frozen=True)
class XavierUniform(Initializer):
    """U(-b, b), b = gain sqrt(6 / (fan_in + fan_out)) (Glorot & Bengio 2010, eq. 16)."""

    gain: float = 1.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples."""
        return _uniform(self.gain * math.sqrt(2.0 / sum(fans(shape)))).sample(rng, shape)


@dataclass(frozen=True)
class XavierNormal(Initializer):
    """N(0, s), s = gain sqrt(2 / (fan_in + fan_out)) (Glorot & Bengio 2010, eq. 12)."""

    gain: float = 1.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples."""
        return Normal(self.gain * math.sqrt(2.0 / sum(fans(shape)))).sample(rng, shape)


@dataclass(frozen=True)
class _He(Initializer):
    """Preserves the variance of signals through a nonlinearity (He et al. 2015, eq. 10 and 15).

    ``mode`` selects ``fan``: ``"fan_in"`` or ``"fan_out"``; ``gain`` is the gain of ``nonlinearity``, for
    ``"leaky_relu"`` with ``negative_slope``.
    """

    negative_slope: float = 0.0
    mode: str = "fan_in"
    nonlinearity: str = "leaky_relu"

    def deviation(self, shape: Shape) -> float:
        """gain / sqrt(fan); raises ``UnknownNameError`` for another mode or nonlinearity."""
        caller = type(self).__name__
        mode = _check_known(caller, "mode", self.mode.lower(), ("fan_in", "fan_out"))
        gain = GAINS[_check_known(caller, "nonlinearity", self.nonlinearity, GAINS)](self.negative_slope)
        return gain / math.sqrt(FANS[mode](*fans(shape)))


class HeUniform(_He):
    """U(-b, b), b = gain sqrt(3 / fan): ``negative_slope``, ``mode`` ("fan_in", "fan_out"), ``nonlinearity``."""

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples."""
        return _uniform(self.deviation(shape)).sample(rng, shape)


class HeNormal(_He):
    """N(0, s), s = gain / sqrt(fan): ``negative_slope``, ``mode`` ("fan_in", "fan_out"), ``nonlinearity``."""

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples."""
        return Normal(self.deviation(shape)).sample(rng, shape)


@dataclass(frozen=True)
class VarianceScaling(Initializer):
    """Samples of variance scale / fan; ``mode`` is ``"fan_in"``, ``"fan_out"`` or ``"fan_avg"``.

    ``distribution`` is ``"truncated_normal"``, ``"untruncated_normal"`` or ``"uniform"``. (MindSpore 2.10 samples
    uniformly for a truncated normal distribution.)
    """

    scale: float = 1.0
    mode: str = "fan_in"
    distribution: str = "truncated_normal"

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise UsageError(f"VarianceScaling: scale must be positive, got {self.scale}")
        _check_known("VarianceScaling", "mode", self.mode, FANS)
        _check_known("VarianceScaling", "distribution", self.distribution, DISTRIBUTIONS)

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent samples."""
        deviation = math.sqrt(self.scale / max(MIN_FAN, FANS[self.mode](*fans(shape))))
        return DISTRIBUTIONS[self.distribution](deviation).sample(rng, shape)


def fans(shape: Shape) -> tuple[int, int]:
    """(fan-in, fan-out) of weights (out, in, *kernel).

    >>> fans((8, 3, 5, 5)), fans((7,))
    ((75, 200), (7, 7))
    """
    if len(shape) < 2:
        return math.prod(shape), math.prod(shape)
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def uniform_of_fan_in(fan_in: int) -> Uniform:
    """U(-b, b), b = 1 / sqrt(fan_in): MindSpore's initial weights and biases of Dense and Conv2d."""
    return Uniform(1.0 / math.sqrt(fan_in))


def _uniform(deviation: float) -> Uniform:
    return Uniform(math.sqrt(3.0) * deviation)


def _truncated_normal(deviation: float) -> TruncatedNormal:
    """Truncated at two standard deviations of the normal distribution that is truncated."""
    sigma = deviation / TRUNCATED_DEVIATION
    return TruncatedNormal(sigma, a=-2 * sigma, b=2 * sigma)


FANS: dict[str, Callable[[int, int], float]] = {
    "fan_in": lambda fan_in, _: fan_in,
    "fan_out": lambda _, out: out,
    "fan_avg": lambda fan_in, fan_out: (fan_in + fan_out) / 2,
}
DISTRIBUTIONS: dict[str, Callable[[float], Initializer]] = {
    "truncated_normal": _truncated_normal,
    "untruncated_normal": Normal,
    "uniform": _uniform,
}
# nonlinearity -> the gain that compensates its shrinking, from the negative slope
GAINS: dict[str, Callable[[float], float]] = {
    **dict.fromkeys(("linear", "conv1d", "conv2d", "conv3d"), lambda _: 1.0),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), lambda _: 1.0),
    "sigmoid": lambda _: 1.0,
    "tanh": lambda _: 5.0 / 3.0,
    "relu": lambda _: math.sqrt(2.0),
    "leaky_relu": lambda slope: math.sqrt(2.0 / (1.0 + slope**2)),
}


def _check_known(caller: str, argument: str, name: str, names: Collection[str]) -> str:
    if name not in names:
        raise UnknownNameError(f"{caller}: no {argument} '{name}'{did_you_mean(name, names)}")
    return name
