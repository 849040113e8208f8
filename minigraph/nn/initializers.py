"""First values of Parameters: constants and distributions, by name, number, record or Tensor."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from minigraph.errors import ShapeError, TypeArgument, UnknownName, UsageError, did_you_mean
from minigraph.op import interpreting
from minigraph.ops.records.random import generator, next_key
from minigraph.tensor import Tensor
from minigraph.types import DType, Shape, float32


class Initializer(Protocol):
    """A way to fill a shape."""

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Values for ``shape`` in float64."""


@dataclass(frozen=True)
class Constant:
    """The same ``value`` everywhere."""

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
class Uniform:
    """Evenly distributed between ``-scale`` and ``scale``."""

    scale: float = 0.07

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent draws."""
        return rng.uniform(-self.scale, self.scale, shape)


@dataclass(frozen=True)
class Normal:
    """Normally distributed with standard deviation ``sigma`` around ``mean``."""

    sigma: float = 0.01
    mean: float = 0.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent draws."""
        return rng.normal(self.mean, self.sigma, shape)


@dataclass(frozen=True)
class TruncatedNormal:
    """Like ``Normal``, drawn again where a value is outside of ``a`` to ``b`` standard deviations."""

    sigma: float = 0.01
    mean: float = 0.0
    a: float = -2.0
    b: float = 2.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent draws; raises ``UsageError`` when ``a`` is not below ``b``."""
        if not self.a < self.b:
            raise UsageError(f"TruncatedNormal: a must be below b, got a={self.a}, b={self.b}")
        values = rng.normal(size=shape)
        while (outside := (values < self.a) | (values > self.b)).any():
            values[outside] = rng.normal(size=int(outside.sum()))
        return values * self.sigma + self.mean


@dataclass(frozen=True)
class XavierUniform:
    """U(-b, b), b = gain sqrt(6 / (fan_in + fan_out)) (Glorot & Bengio 2010, eq. 16)."""

    gain: float = 1.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent draws."""
        fan_in, fan_out = fans(shape)
        bound = self.gain * math.sqrt(6.0 / (fan_in + fan_out))
        return rng.uniform(-bound, bound, shape)


@dataclass(frozen=True)
class HeUniform:
    """U(-b, b), b = gain sqrt(3 / fan_in), for leaky ReLU of ``negative_slope`` (He et al. 2015, eq. 10 and 15)."""

    negative_slope: float = 0.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent draws."""
        bound = math.sqrt(3.0) * _he_deviation(self.negative_slope, shape)
        return rng.uniform(-bound, bound, shape)


@dataclass(frozen=True)
class HeNormal:
    """N(0, s), s = gain / sqrt(fan_in), for leaky ReLU of ``negative_slope`` (He et al. 2015, eq. 10 and 15)."""

    negative_slope: float = 0.0

    def sample(self, rng: np.random.Generator, shape: Shape) -> np.ndarray:
        """Independent draws."""
        return rng.normal(0.0, _he_deviation(self.negative_slope, shape), shape)


NAMED: dict[str, Initializer] = {
    "zeros": Zero(),
    "ones": One(),
    "uniform": Uniform(),
    "normal": Normal(),
    "truncated_normal": TruncatedNormal(),
    "xavier_uniform": XavierUniform(),
    "he_uniform": HeUniform(),
    "he_normal": HeNormal(),
}

Init = Tensor | str | bool | int | float | Initializer


def initializer(init: Init, shape: Shape | int, dtype: DType = float32) -> Tensor:
    """A Tensor of this shape and dtype, filled as ``init`` says.

    ``init``: a name (``"ones"``, ``"normal"``, ...), a number, an initializer, or a Tensor of that very shape.
    Raises ``UnknownName`` with the nearest name, ``ShapeError`` for a Tensor of another shape.

    >>> print(initializer("ones", (2, 3)))
    [[1. 1. 1.]
     [1. 1. 1.]]
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if isinstance(init, Tensor):
        if init.shape != shape:
            raise ShapeError(f"initializer: shape {list(shape)} is wanted, the Tensor is {init.type}; reshape it")
        return Tensor(init, dtype)
    with interpreting(None):  # a layer made inside of a traced function gets real values too
        rng = generator(next_key().asnumpy())
    return Tensor(np.asarray(_rule(init).sample(rng, shape)), dtype)


def fans(shape: Shape) -> tuple[int, int]:
    """Connections into and out of one element's neuron, for weights (out, in, *kernel).

    >>> fans((8, 3, 5, 5)), fans((7,))
    ((75, 200), (7, 7))
    """
    if len(shape) < 2:
        return math.prod(shape), math.prod(shape)
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def within_fan_in(fan_in: int) -> Uniform:
    """U(-b, b), b = 1 / sqrt(fan_in): how MindSpore fills the weights and biases of Dense and Conv2d."""
    return Uniform(1.0 / math.sqrt(fan_in))


def _he_deviation(negative_slope: float, shape: Shape) -> float:
    return math.sqrt(2.0 / (1.0 + negative_slope**2) / fans(shape)[0])


def _rule(init: Any) -> Initializer:
    if isinstance(init, bool | int | float):
        return Constant(float(init))
    if isinstance(init, str):
        if init not in NAMED:
            raise UnknownName(f"no initializer '{init}'{did_you_mean(init, NAMED)}")
        return NAMED[init]
    if hasattr(init, "sample"):
        return init
    raise TypeArgument(
        f"initializer: a name, a number, an initializer or a Tensor is wanted, got {type(init).__name__}; "
        f"names: {', '.join(NAMED)}"
    )
