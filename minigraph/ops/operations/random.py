"""Primitives of random samples and dropout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, float64, int32, int64
from minigraph.operators import random
from minigraph.operators.random import draw
from minigraph.ops import functional as F
from minigraph.ops.functional.random_distributions import sizes_in
from minigraph.ops.primitive import REQUIRED, primitive

__all__ = [
    "Bernoulli", "Cauchy", "Dropout", "Dropout2D", "Dropout3D", "LogNormalReverse", "LogUniformCandidateSampler",
    "Multinomial", "MultinomialWithReplacement", "NonDeterministicInts", "ParameterizedTruncatedNormal",
    "RandomCategorical", "RandomChoiceWithMask", "RandomGamma", "RandomPoisson", "RandomShuffle", "RandpermV2",
    "StandardLaplace", "StandardNormal", "TruncatedNormal", "UniformCandidateSampler", "UniformInt", "UniformReal",
]  # fmt: skip

SEED_STRIDE = 65537  # a prime above 2**16: pairs of 16-bit seeds have streams of their own


def stream_seed(seed: int, seed2: int) -> int | None:
    """The seed of a random stream of its own; ``None`` if both seeds are 0."""
    return seed * SEED_STRIDE + seed2 if seed or seed2 else None


def _standard_normal(shape: tuple[int, ...], *, seed: int, seed2: int) -> Tensor:
    """Samples of the standard normal distribution."""
    return draw(random.RANDOM_NORMAL, shape, float32, stream_seed(seed, seed2))


def _uniform_real(shape: tuple[int, ...], *, seed: int, seed2: int) -> Tensor:
    """Samples of the uniform distribution over [0, 1)."""
    return draw(random.RANDOM_UNIFORM, shape, float32, stream_seed(seed, seed2))


def _uniform_int(
    shape: tuple[int, ...], minval: int | Tensor, maxval: int | Tensor, *, seed: int, seed2: int
) -> Tensor:
    """Integers, Int32, from ``minval`` up to, not including, ``maxval``."""
    low, high = (int(bound.asnumpy()) if isinstance(bound, Tensor) else bound for bound in (minval, maxval))
    samples = draw(random.RANDOM_INTEGER, shape, int64, stream_seed(seed, seed2), low=low, high=high)
    return F.cast(samples, int32)


StandardNormal = primitive("StandardNormal", _standard_normal, seed=0, seed2=0)
UniformReal = primitive("UniformReal", _uniform_real, seed=0, seed2=0)
UniformInt = primitive("UniformInt", _uniform_int, seed=0, seed2=0)


def _dropout(x: Tensor, *, keep_prob: float, Seed0: int, Seed1: int) -> tuple[Tensor, Tensor]:
    """(elements kept with probability ``keep_prob`` and divided by it, else 0; the mask of 1 and 0)."""
    mask = F.cast(draw(random.RANDOM_UNIFORM, x.shape, float32, stream_seed(Seed0, Seed1)) < keep_prob, x.dtype)
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
    return F.cast(F.multinomial(x, num_samples, True, stream_seed(seed, seed2)), dtype)


def _standard_laplace(shape: tuple[int, ...], *, seed: int, seed2: int) -> Tensor:
    """Samples of the Laplace distribution."""
    return F.standard_laplace(shape, stream_seed(seed, seed2))


def _random_categorical(logits: Tensor, num_sample: int, seed: int, *, dtype: DType) -> Tensor:
    """Classes of rows of log-probabilities, drawn with replacement."""
    return F.random_categorical(logits, num_sample, seed, dtype)


def _random_shuffle(x: Tensor, *, seed: int, seed2: int) -> Tensor:
    """The rows in random order."""
    return F.shuffle(x, stream_seed(seed, seed2))


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


def _random_gamma(shape: Sequence[int] | Tensor, alpha: Tensor, *, seed: int, seed2: int) -> Tensor:
    """Samples of gamma distributions, of the shape (*shape, *alpha.shape)."""
    return F.random_gamma(shape, alpha, stream_seed(seed, seed2))


def _random_poisson(shape: Sequence[int] | Tensor, rate: Tensor, *, seed: int, seed2: int, dtype: DType) -> Tensor:
    """Samples of Poisson distributions, of the shape (*shape, *rate.shape)."""
    return F.random_poisson(shape, rate, stream_seed(seed, seed2), dtype)


def _truncated_normal(shape: Sequence[int] | Tensor, *, dtype: DType, seed: int, seed2: int) -> Tensor:
    """Samples of the standard normal distribution between -2 and 2."""
    return F.cast(_between(sizes_in(shape), 0.0, 1.0, -2.0, 2.0, stream_seed(seed, seed2)), dtype)


def _parameterized(
    shape: Sequence[int] | Tensor, mean: Tensor, stdevs: Tensor, min: Tensor, max: Tensor, *, seed: int, seed2: int
) -> Tensor:
    """Samples of normal distributions between two bounds each; parameters are numbers, or one for each row."""
    sizes = sizes_in(shape)
    center, width, low, high = (
        F.reshape(x, (-1, *(1,) * (len(sizes) - 1))) if x.ndim else x for x in (mean, stdevs, min, max)
    )
    return F.cast(_between(sizes, center, width, low, high, stream_seed(seed, seed2)), mean.dtype)


def _between(sizes: tuple[int, ...], mean: Any, std: Any, low: Any, high: Any, seed: int | None) -> Tensor:
    """Samples of a normal distribution between two bounds, by the inverse of the distribution function."""
    first, last = (F.erf(F.cast((bound - mean) / std * 0.5**0.5, float64)) for bound in (low, high))
    share = draw(random.RANDOM_UNIFORM, sizes, float64, seed)
    samples = F.erfinv(first + share * (last - first)) * 2**0.5 * std + mean
    return F.minimum(F.maximum(samples, low), high)


def _any_integers(shape: Sequence[int] | Tensor, *, dtype: DType) -> Tensor:
    """Integers from the whole range of the dtype, Int32 or Int64."""
    limits = np.iinfo(dtype.numpy)
    return draw(random.RANDOM_INTEGER, sizes_in(shape), dtype, None, low=int(limits.min), high=int(limits.max))


def _log_normal(input: Tensor, *, mean: float, std: float) -> Tensor:
    """Samples of the log-normal distribution, in the shape and dtype of a tensor."""
    return F.exp(F.randn_like(input) * std + mean)


def _cauchy(*, size: Sequence[int], median: float, sigma: float) -> Tensor:
    """Samples of the Cauchy distribution."""
    return F.tan((F.rand(*size) - 0.5) * np.pi) * sigma + median


def _choice_with_mask(input_x: Tensor, *, count: int, seed: int, seed2: int) -> tuple[Tensor, Tensor]:
    """(the positions of ``count`` elements that are true, in random order, which of them exist)."""
    return F.choice_with_mask(input_x, count, stream_seed(seed, seed2))


def _with_replacement(
    x: Tensor, seed: int | Tensor, offset: int | Tensor, *, numsamples: int, replacement: bool
) -> Tensor:
    """Classes of rows of weights, drawn with replacement."""
    seed, offset = (int(number.asnumpy()) if isinstance(number, Tensor) else number for number in (seed, offset))
    return F.multinomial_with_replacement(x, seed, offset, numsamples, replacement)


STREAM: dict[str, Any] = {"seed": 0, "seed2": 0}
RandomGamma = primitive("RandomGamma", _random_gamma, **STREAM)
RandomPoisson = primitive("RandomPoisson", _random_poisson, **STREAM, dtype=int64)
TruncatedNormal = primitive("TruncatedNormal", _truncated_normal, dtype=float32, **STREAM)
ParameterizedTruncatedNormal = primitive("ParameterizedTruncatedNormal", _parameterized, **STREAM)
NonDeterministicInts = primitive("NonDeterministicInts", _any_integers, dtype=int64)
LogNormalReverse = primitive("LogNormalReverse", _log_normal, mean=1.0, std=2.0)
Cauchy = primitive("Cauchy", _cauchy, size=REQUIRED, median=0.0, sigma=1.0)
RandomChoiceWithMask = primitive("RandomChoiceWithMask", _choice_with_mask, count=256, **STREAM)
MultinomialWithReplacement = primitive(
    "MultinomialWithReplacement", _with_replacement, numsamples=REQUIRED, replacement=False
)  # fmt: skip
LogUniformCandidateSampler = primitive(
    "LogUniformCandidateSampler", F.log_uniform_candidate_sampler,
    num_true=1, num_sampled=5, unique=True, range_max=5, seed=0,
)  # fmt: skip
