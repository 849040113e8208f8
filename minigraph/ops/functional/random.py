"""Random samples, permutations and dropout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from minigraph.core.aliases import TensorLike
from minigraph.core.errors import ShapeError, UsageError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, int32, int64
from minigraph.operators import comparison, ordering, random
from minigraph.operators.random import draw
from minigraph.operators.random import set_seed as set_seed
from minigraph.ops.functional.arguments import as_tuple
from minigraph.ops.functional.cumulative import cumsum
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import log
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.indexing import where
from minigraph.ops.functional.shapes import reshape
from minigraph.ops.functional.sorting import searchsorted, topk

FORMS = """
method: bernoulli multinomial
mint: rand rand_like randn randn_like randperm
function: dropout dropout1d dropout2d dropout3d normal randint randint_like set_seed standard_normal uniform
"""
export(globals())


# ---- distributions ---------------------------------------------------------------------------------


def standard_normal(shape: int | Sequence[int], seed: int | None = None, *, dtype: DType = float32) -> Tensor:
    """Samples of the standard normal distribution."""
    return draw(random.RANDOM_NORMAL, shape, dtype, seed)


def normal(
    shape: int | Sequence[int], mean: TensorLike = 0.0, stddev: TensorLike = 1.0, seed: int | None = None, *,
    dtype: DType = float32,
) -> Tensor:  # fmt: skip
    """Samples of a normal distribution."""
    return draw(random.RANDOM_NORMAL, shape, dtype, seed) * stddev + mean


def uniform(
    shape: int | Sequence[int], minval: TensorLike = 0.0, maxval: TensorLike = 1.0, seed: int | None = None,
    dtype: DType = float32,
) -> Tensor:  # fmt: skip
    """Samples of the uniform distribution over [``minval``, ``maxval``)."""
    unit = draw(random.RANDOM_UNIFORM, shape, dtype, seed)
    bounds = (minval, maxval)
    is_unit_interval = not any(isinstance(bound, Tensor) for bound in bounds) and bounds == (0.0, 1.0)
    return unit if is_unit_interval else unit * (maxval - minval) + minval


def bernoulli(input: Tensor, p: TensorLike = 0.5, seed: int | None = None) -> Tensor:
    """1 with probability ``p`` (a number, or a tensor of one for each element), else 0, in the shape of ``input``."""
    return cast(draw(random.RANDOM_UNIFORM, input.shape, float32, seed) < p, input.dtype)


def multinomial(input: Tensor, num_samples: int, replacement: bool = True, seed: int | None = None) -> Tensor:
    """Indices sampled with the probabilities in the last axis, Int32; each at most once without ``replacement``."""
    if input.ndim not in (1, 2):
        raise ShapeError(f"multinomial: expected probabilities of one or two axes, got {input.type}")
    classes = input.shape[-1]
    if not replacement:
        if num_samples > classes:
            raise UsageError(f"multinomial: {num_samples} samples of {classes} classes need replacement=True")
        # k smallest of exponential variates with rates p: the Gumbel-top-k method in another scale
        variates = -log(draw(random.RANDOM_UNIFORM, input.shape, float32, seed) + 1e-20) / where(
            input > 0, input, 1e-30
        )
        return cast(topk(variates, num_samples, largest=False)[1], int32)
    cumulative = cumsum(input, input.ndim - 1)
    threshold = draw(random.RANDOM_UNIFORM, (*input.shape[:-1], num_samples), float32, seed) * cumulative[..., -1:]
    return cast(searchsorted(cumulative, threshold, right=True), int32)


# ---- sizes as arguments ----------------------------------------------------------------------------


def rand(*size: int | Sequence[int], dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Samples from [0, 1); sizes as arguments or as a tuple, Float32 by default."""
    return draw(random.RANDOM_UNIFORM, as_tuple(size), dtype or float32, seed)


def randn(*size: int | Sequence[int], dtype: DType | None = None, seed: int | None = None) -> Tensor:
    """Samples of the standard normal distribution; sizes as arguments or as a tuple, Float32 by default."""
    return draw(random.RANDOM_NORMAL, as_tuple(size), dtype or float32, seed)


def randint(
    low: int, high: int, size: int | Sequence[int], seed: int | None = None, *, dtype: DType | None = None
) -> Tensor:
    """Integers from ``low`` up to, not including, ``high``; Int64 by default."""
    return draw(random.RANDOM_INTEGER, size, dtype or int64, seed, low=low, high=high)


def randperm(n: int, seed: int = 0, offset: int = 0, dtype: DType = int64) -> Tensor:
    """A random permutation of the integers from 0 up to, not including, ``n``.

    A ``seed`` or an ``offset`` other than 0 fixes the permutation.
    """
    key = Tensor(np.array([seed, offset])) if seed or offset else random.next_key()
    return cast(apply(ordering.ARGSORT, apply(random.RANDOM_UNIFORM, key, shape=(n,), dtype=float32)), dtype)


# ---- like another tensor ---------------------------------------------------------------------------


def rand_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """Samples from [0, 1) in the shape and dtype of another tensor."""
    return draw(random.RANDOM_UNIFORM, input.shape, dtype or input.dtype, seed)


def randn_like(input: Tensor, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """Samples of the standard normal distribution in the shape and dtype of another tensor."""
    return draw(random.RANDOM_NORMAL, input.shape, dtype or input.dtype, seed)


def randint_like(input: Tensor, low: int, high: int, seed: int | None = None, *, dtype: DType | None = None) -> Tensor:
    """Integers from ``low`` up to, not including, ``high`` in the shape and dtype of another tensor."""
    return cast(draw(random.RANDOM_INTEGER, input.shape, int64, seed, low=low, high=high), dtype or input.dtype)


# ---- dropout ---------------------------------------------------------------------------------------


def dropout(input: Tensor, p: float = 0.5, training: bool = True, seed: int | None = None) -> Tensor:
    """Sets each element to 0 with probability p and divides the others by (1 - p); the input itself when not training.

    ``seed`` names a random stream of its own.
    """
    if not training or p == 0:
        return input
    keep = draw(random.RANDOM_UNIFORM, input.shape, float32, seed) >= p
    return apply(comparison.WHERE, keep, input / (1 - p) if p < 1 else input, 0)


def _channel_dropout(name: str, input: Tensor, p: float, training: bool, axes: int) -> Tensor:
    """Drops whole channels: the last ``axes`` axes share one sample."""
    if not 0 <= p <= 1:
        raise UsageError(f"{name}: the probability is {p}; pass one from 0 to 1")
    if not training or p == 0:
        return input
    leading = input.ndim - axes
    keep = draw(random.RANDOM_UNIFORM, input.shape[:leading], float32) >= p
    mask = reshape(cast(keep, input.dtype), (*input.shape[:leading], *(1,) * axes))
    return input * mask / (1 - p) if p < 1 else input * 0


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Sets each channel of sequences [N, C, L] to 0 with probability ``p``, divides the others by (1 - p)."""
    return _channel_dropout("dropout1d", input, p, training, 1)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Sets each channel of images [N, C, H, W] to 0 with probability ``p``, divides the others by (1 - p)."""
    return _channel_dropout("dropout2d", input, p, training, 2)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    """Sets each channel of volumes [N, C, D, H, W] to 0 with probability ``p``, divides the others by (1 - p)."""
    return _channel_dropout("dropout3d", input, p, training, 3)
