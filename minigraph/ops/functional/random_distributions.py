"""Samples of the Laplace and the categorical distribution, and shuffled rows."""

from __future__ import annotations

from collections.abc import Sequence

from minigraph.core.aliases import TensorLike
from minigraph.core.errors import ShapeError, ValueArgument
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, float32, int64
from minigraph.operators import random
from minigraph.operators.random import draw
from minigraph.ops.functional.activation import softmax
from minigraph.ops.functional.arithmetic import abs
from minigraph.ops.functional.cumulative import cumsum
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import log1p
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.reduction import sum as total
from minigraph.ops.functional.sorting import argsort

FORMS = """
method: random_categorical
function: laplace multinomial_with_replacement shuffle standard_laplace
"""
export(globals())


def standard_laplace(shape: int | Sequence[int], seed: int | None = None) -> Tensor:
    """Samples of the Laplace distribution of location 0 and scale 1.

    >>> standard_laplace((2, 3)).shape
    (2, 3)
    """
    centered = draw(random.RANDOM_UNIFORM, shape, float32, seed) - 0.5
    return apply("sign", centered) * -log1p(-abs(centered) * 2)


def laplace(shape: int | Sequence[int], mean: TensorLike, lambda_param: TensorLike, seed: int | None = None) -> Tensor:
    """Samples of the Laplace distribution of location ``mean`` and scale ``lambda_param``."""
    return standard_laplace(shape, seed) * lambda_param + mean


def random_categorical(logits: Tensor, num_sample: int, seed: int = 0, dtype: DType = int64) -> Tensor:
    """``num_sample`` classes per row of unnormalised log-probabilities [N, C], drawn independently.

    Raises ``ShapeError`` unless logits have rank 2.

    >>> random_categorical(Tensor([[0.0, 100.0]]), 3).tolist()
    [[1, 1, 1]]
    """
    if logits.ndim != 2:
        raise ShapeError(f"random_categorical: needs logits [N, C], got {logits.type}")
    return cast(_classes(softmax(cast(logits, float32), 1), num_sample, seed or None), dtype)


def _classes(probabilities: Tensor, count: int, seed: int | None) -> Tensor:
    """Classes drawn from rows of probabilities: how many cumulative sums are below a uniform sample."""
    ends = cumsum(probabilities, -1)[..., :-1]
    samples = draw(random.RANDOM_UNIFORM, (*probabilities.shape[:-1], count), probabilities.dtype, seed)
    above = apply("expand_dims", samples, axis=-1) >= apply("expand_dims", ends, axis=-2)
    return total(cast(above, int64), -1)


def multinomial_with_replacement(
    x: Tensor, seed: int, offset: int, numsamples: int, replacement: bool = False
) -> Tensor:
    """``numsamples`` classes per row of weights [C] or [N, C], Int64; ``offset`` is for compatibility.

    Raises ``ValueError`` for less than one sample.
    """
    if numsamples < 1:
        raise ValueArgument(f"multinomial_with_replacement: numsamples must be positive, got {numsamples}")
    return _classes(x / total(x, -1, keepdim=True), numsamples, seed or None)


def shuffle(x: Tensor, seed: int | None = None) -> Tensor:
    """The rows in random order.

    >>> sorted(shuffle(Tensor([3, 1, 2])).tolist())
    [1, 2, 3]
    """
    return x[argsort(draw(random.RANDOM_UNIFORM, x.shape[:1], float32, seed))]
