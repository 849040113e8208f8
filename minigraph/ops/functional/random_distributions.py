"""Samples of the Laplace and the categorical distribution, classes, and shuffled rows."""

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
from minigraph.ops.functional.arithmetic import abs, floor, minimum
from minigraph.ops.functional.creation import full
from minigraph.ops.functional.cumulative import cumsum
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import log1p
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.reduction import sum as total
from minigraph.ops.functional.scattering import scatter_nd
from minigraph.ops.functional.shapes import reshape
from minigraph.ops.functional.sorting import argsort

FORMS = """
method: random_categorical
function: laplace multinomial_with_replacement shuffle standard_laplace uniform_candidate_sampler
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


def uniform_candidate_sampler(
    true_classes: Tensor, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int = 0,
    remove_accidental_hits: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """``num_sampled`` of the classes below ``range_max``, and the expected counts of the true and the sampled classes.

    True classes are integers [N, num_true]; the samples [num_sampled] have their dtype, counts are Float32. ``unique``
    samples differ, and with ``remove_accidental_hits`` are true classes only if there are too few others. Counts are
    num_sampled / range_max; of unique samples MindSpore estimates them from the number of its draws. Raises
    ``ValueError`` for more unique samples than classes.

    >>> sampled, true_count, sampled_count = uniform_candidate_sampler(Tensor([[0]]), 1, 2, True, 3, 1, True)
    >>> sorted(sampled.tolist()), true_count.shape, sampled_count.shape
    ([1, 2], (1, 1), (2,))
    """
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise ShapeError(
            f"uniform_candidate_sampler: needs classes [N, {num_true}], got {true_classes.type}; reshape them"
        )
    if unique and num_sampled > range_max:
        raise ValueArgument(f"uniform_candidate_sampler: {num_sampled} unique samples of {range_max} classes")
    keys = draw(random.RANDOM_UNIFORM, range_max if unique else num_sampled, float32, seed or None)
    if unique:
        if remove_accidental_hits:
            hits = scatter_nd(reshape(true_classes, (-1, 1)), full((true_classes.size,), 1.0), (range_max,))
            keys = keys + hits
        sampled = argsort(keys)[:num_sampled]
    else:
        sampled = minimum(floor(keys * range_max), range_max - 1)
    share = num_sampled / range_max
    return cast(sampled, true_classes.dtype), full(true_classes.shape, share), full((num_sampled,), share)
