"""Samples of the Laplace, gamma, Poisson and categorical distributions, classes, and shuffled rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from minigraph.core.aliases import Array, TensorLike
from minigraph.core.errors import ArgValueError, ShapeError
from minigraph.core.op import apply
from minigraph.core.tensor import Tensor
from minigraph.core.types import DType, TensorType, float32, int32, int64
from minigraph.operators import random
from minigraph.operators.pyfunc import call_python
from minigraph.operators.random import draw
from minigraph.ops.functional.activation import softmax
from minigraph.ops.functional.arithmetic import abs, floor, minimum
from minigraph.ops.functional.creation import full
from minigraph.ops.functional.cumulative import cumsum
from minigraph.ops.functional.dtypes import cast
from minigraph.ops.functional.elementary import exp, log, log1p
from minigraph.ops.functional.forms import export
from minigraph.ops.functional.reduction import sum as total
from minigraph.ops.functional.scattering import scatter_nd
from minigraph.ops.functional.shapes import reshape
from minigraph.ops.functional.sorting import argsort

FORMS = """
method: random_categorical
function: choice_with_mask laplace log_uniform_candidate_sampler multinomial_with_replacement random_gamma
    random_poisson shuffle standard_laplace uniform_candidate_sampler
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


def sizes_in(shape: Sequence[int] | Tensor) -> tuple[int, ...]:
    """A shape that is given as a sequence, or a tensor, of sizes.

    >>> sizes_in(Tensor([2, 3]))
    (2, 3)
    """
    return tuple(shape.tolist() if isinstance(shape, Tensor) else shape)


def _draw_each(
    name: str, function: Callable[..., Array], shape: Sequence[int] | Tensor, parameter: Tensor, seed: int | None,
    dtype: DType,
) -> Tensor:  # fmt: skip
    """Samples [*shape, *parameter.shape] of a function of numpy's generator, a parameter for each, and the shape."""
    sizes = (*sizes_in(shape), *parameter.shape)

    def sample(key: Array, values: Array) -> Array:
        return np.asarray(function(random.generator(key), values, sizes)).astype(dtype.numpy)

    result: Tensor = call_python(
        name, sample, (random.next_key(seed), parameter), infer=lambda operands: (TensorType(sizes, dtype),)
    )
    return result


def random_gamma(shape: Sequence[int] | Tensor, alpha: Tensor, seed: int | None = None) -> Tensor:
    """Samples [*shape, *alpha.shape] of gamma distributions with the shape parameters ``alpha`` and the scale 1.

    >>> random_gamma((5,), Tensor([0.5, 1.5])).shape
    (5, 2)
    """
    return _draw_each("random_gamma", lambda g, a, size: g.standard_gamma(a, size), shape, alpha, seed, alpha.dtype)


def random_poisson(
    shape: Sequence[int] | Tensor, rate: Tensor, seed: int | None = None, dtype: DType = float32
) -> Tensor:
    """Samples [*shape, *rate.shape] of Poisson distributions with the means ``rate``.

    >>> random_poisson((5,), Tensor([0.5, 1.5])).shape
    (5, 2)
    """
    return _draw_each("random_poisson", lambda g, mean, size: g.poisson(mean, size), shape, rate, seed, dtype)


def choice_with_mask(input_x: Tensor, count: int = 256, seed: int | None = None) -> tuple[Tensor, Tensor]:
    """(the positions [count, rank] of elements that are true, Int32, in random order, which of them exist [count]).

    If fewer elements are true, the other positions are 0.

    >>> print(*choice_with_mask(Tensor([False, True]), 2))
    [[1]
     [0]] [ True False]
    """
    flat = reshape(input_x, (-1,))
    keys = draw(random.RANDOM_UNIFORM, flat.shape, float32, seed) + cast(flat, float32)
    best = argsort(-keys)[:count]
    samples = flat[best]
    missing = count - best.shape[0]
    if missing > 0:
        best, samples = (apply("pad", x, widths=((0, missing),)) for x in (best, samples))
    sizes = np.array(input_x.shape)
    strides = Tensor(np.concatenate([np.cumprod(sizes[::-1])[::-1][1:], [1]]))
    positions = apply("expand_dims", best * cast(samples, best.dtype), axis=-1) // strides % Tensor(sizes)
    return cast(positions, int32), samples


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
        raise ArgValueError(f"multinomial_with_replacement: numsamples must be positive, got {numsamples}")
    return _classes(x / total(x, -1, keepdim=True), numsamples, seed or None)


def shuffle(x: Tensor, seed: int | None = None) -> Tensor:
    """The rows in random order.

    >>> sorted(shuffle(Tensor([3, 1, 2])).tolist())
    [1, 2, 3]
    """
    return x[argsort(draw(random.RANDOM_UNIFORM, x.shape[:1], float32, seed))]


def log_uniform_candidate_sampler(
    true_classes: Tensor, num_true: int = 1, num_sampled: int = 5, unique: bool = True, range_max: int = 5,
    seed: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """``uniform_candidate_sampler`` where class k has the probability log((k + 2) / (k + 1)) / log(range_max + 1).

    >>> sampled, true_count, sampled_count = log_uniform_candidate_sampler(Tensor([[0]]), 1, 3, True, 3)
    >>> sorted(sampled.tolist()), true_count.shape, sampled_count.shape
    ([0, 1, 2], (1, 1), (3,))
    """
    _check_classes("log_uniform_candidate_sampler", true_classes, num_true, num_sampled, range_max, unique)
    logits = np.log(np.log1p(1 / np.arange(1, range_max + 1)) / np.log(range_max + 1))
    if unique:  # the largest of log-probabilities with Gumbel noise: samples without replacement
        noise = -log(-log(draw(random.RANDOM_UNIFORM, range_max, float32, seed or None) + 1e-20))
        sampled = argsort(-(Tensor(logits, float32) + noise))[:num_sampled]
        draws = _draws_for(np.exp(logits), num_sampled)
    else:
        share = draw(random.RANDOM_UNIFORM, num_sampled, float32, seed or None)
        sampled = minimum(cast(exp(share * float(np.log(range_max + 1))), int64) - 1, range_max - 1)
        draws = num_sampled

    def expected(classes: Tensor) -> Tensor:
        probability = log1p(1 / (cast(classes, float32) + 1)) / float(np.log(range_max + 1))
        return 1 - (1 - probability) ** draws if unique else probability * draws

    return cast(sampled, true_classes.dtype), expected(true_classes), expected(sampled)


def _draws_for(probabilities: Array, count: int) -> int:
    """How many draws give ``count`` different classes on average."""
    draws = count
    while (1 - (1 - probabilities) ** draws).sum() < min(count, 0.99 * len(probabilities)):
        draws += 1
    return draws


def _check_classes(name: str, classes: Tensor, num_true: int, num_sampled: int, range_max: int, unique: bool) -> None:
    if classes.ndim != 2 or classes.shape[1] != num_true:
        raise ShapeError(f"{name}: needs classes [N, {num_true}], got {classes.type}; reshape them")
    if unique and num_sampled > range_max:
        raise ArgValueError(f"{name}: {num_sampled} unique samples of {range_max} classes")


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
    _check_classes("uniform_candidate_sampler", true_classes, num_true, num_sampled, range_max, unique)
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
