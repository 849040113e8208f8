"""Primitives of random samples and dropout."""

from __future__ import annotations

from typing import Any

from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, int32, int64
from minigraph.operators import random
from minigraph.operators.random import draw
from minigraph.ops import functional as F
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "Bernoulli", "Dropout", "Dropout2D", "Dropout3D", "Multinomial", "RandomCategorical", "RandomShuffle",
    "RandpermV2", "StandardLaplace", "StandardNormal", "UniformCandidateSampler", "UniformInt", "UniformReal",
]  # fmt: skip

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
    low, high = (int(bound.asnumpy()) if isinstance(bound, Tensor) else bound for bound in (minval, maxval))
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


def _bernoulli(x: Tensor, p: Any, *, seed: int, offset: int) -> Tensor:
    """1 with probability ``p``, else 0."""
    return F.bernoulli(x, p, None if seed < 0 else seed)


def _channel_dropout(x: Tensor, *, keep_prob: float) -> tuple[Tensor, Tensor]:
    """(channels kept with probability ``keep_prob`` and divided by it, else 0; the mask)."""
    draws = draw(random.RANDOM_UNIFORM, (*x.shape[:2], *(1,) * (x.ndim - 2)), float32, None)
    mask = F.broadcast_to(draws < keep_prob, x.shape)
    return F.where(mask, x / keep_prob, 0.0), mask


def _multinomial(x: Tensor, num_samples: int, *, seed: int, seed2: int, dtype: DType) -> Tensor:
    """Classes of rows of weights, drawn with replacement."""
    return F.cast(F.multinomial(x, num_samples, True, _stream_seed(seed, seed2)), dtype)


def _standard_laplace(shape: tuple[int, ...], *, seed: int, seed2: int) -> Tensor:
    """Samples of the Laplace distribution."""
    return F.standard_laplace(shape, _stream_seed(seed, seed2))


def _random_categorical(logits: Tensor, num_sample: int, seed: int, *, dtype: DType) -> Tensor:
    """Classes of rows of log-probabilities, drawn with replacement."""
    return F.random_categorical(logits, num_sample, seed, dtype)


def _random_shuffle(x: Tensor, *, seed: int, seed2: int) -> Tensor:
    """The rows in random order."""
    return F.shuffle(x, _stream_seed(seed, seed2))


def _randperm(n: int, *, seed: int, offset: int, dtype: DType) -> Tensor:
    """The numbers below n in random order."""
    return F.cast(F.shuffle(F.arange(n), seed or None), dtype)


Bernoulli = primitive("Bernoulli", _bernoulli, seed=-1, offset=0)
Dropout2D, Dropout3D = (primitive(f"Dropout{axes}D", _channel_dropout, keep_prob=0.5) for axes in (2, 3))
Multinomial = primitive("Multinomial", _multinomial, seed=0, seed2=0, dtype=int32)
StandardLaplace = primitive("StandardLaplace", _standard_laplace, seed=0, seed2=0)
RandomCategorical = primitive("RandomCategorical", _random_categorical, dtype=int64)
RandomShuffle = primitive("RandomShuffle", _random_shuffle, seed=0, seed2=0)
RandpermV2 = primitive("RandpermV2", _randperm, seed=0, offset=0, dtype=int64)
UniformCandidateSampler = primitive(
    "UniformCandidateSampler", F.uniform_candidate_sampler,
    num_true=REQUIRED, num_sampled=REQUIRED, unique=REQUIRED, range_max=REQUIRED, seed=0, remove_accidental_hits=False,
)  # fmt: skip
