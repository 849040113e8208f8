"""Primitives of random samples and dropout."""

from __future__ import annotations

from minigraph.core.tensor import Tensor
from minigraph.core.types import float32, int32, int64
from minigraph.operators import random
from minigraph.operators.random import draw
from minigraph.ops import functional as F
from minigraph.ops.primitive import primitive

__all__ = ["Dropout", "StandardNormal", "UniformInt", "UniformReal"]

SEED_STRIDE = 65537  # a prime above 2**16: pairs of 16-bit seeds have streams of their own


def _stream_seed(seed: int, seed2: int) -> int | None:
    """The seed of a random stream of its own; ``None`` if both seeds are 0."""
    return seed * SEED_STRIDE + seed2 if seed or seed2 else None


def _standard_normal(shape: tuple[int, ...], *, seed: int, seed2: int) -> Tensor:
    """Samples of the standard normal distribution."""
    return draw(random.RANDOM_NORMAL, shape, float32, _stream_seed(seed, seed2))


def _uniform_real(shape: tuple[int, ...], *, seed: int, seed2: int) -> Tensor:
    """Samples of the uniform distribution over [0, 1)."""
    return draw(random.RANDOM_UNIFORM, shape, float32, _stream_seed(seed, seed2))


def _uniform_int(
    shape: tuple[int, ...], minval: int | Tensor, maxval: int | Tensor, *, seed: int, seed2: int
) -> Tensor:
    """Integers, Int32, from ``minval`` up to, not including, ``maxval``."""
    low, high = (int(one.asnumpy()) if isinstance(one, Tensor) else one for one in (minval, maxval))
    samples = draw(random.RANDOM_INTEGER, shape, int64, _stream_seed(seed, seed2), low=low, high=high)
    return F.cast(samples, int32)


StandardNormal = primitive("StandardNormal", _standard_normal, seed=0, seed2=0)
UniformReal = primitive("UniformReal", _uniform_real, seed=0, seed2=0)
UniformInt = primitive("UniformInt", _uniform_int, seed=0, seed2=0)


def _dropout(x: Tensor, *, keep_prob: float, Seed0: int, Seed1: int) -> tuple[Tensor, Tensor]:
    """(elements kept with probability ``keep_prob`` and divided by it, else 0; the mask of 1 and 0)."""
    mask = F.cast(draw(random.RANDOM_UNIFORM, x.shape, float32, _stream_seed(Seed0, Seed1)) < keep_prob, x.dtype)
    return x * mask / keep_prob, mask


Dropout = primitive("Dropout", _dropout, keep_prob=0.5, Seed0=0, Seed1=0)
