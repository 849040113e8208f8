"""Making a counterexample small: sizes to 1, axes dropped, values to 0 and 1, as long as it stays one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from minigraph.core.types import Shape, TensorType
from passes.rewrite.driver import AnyRule
from passes.validate.difference import Difference, GraphPair
from passes.validate.input_values import FINITE_DISTRIBUTIONS, draw_values, simpler_arrays
from passes.validate.rule_context import RuleContext
from passes.validate.trial import nontermination, run_trial

MAX_TRIALS = 120  # programs tried on the way down
MAX_CROP_STARTS = 6  # places from which arrays are cut to a smaller size
MAX_DRAWS = 4  # values tried when those at hand show nothing at a smaller type


def shrink_counterexample(rule: AnyRule, place: RuleContext, difference: Difference) -> tuple[RuleContext, Difference]:
    """The smallest place and inputs found at which the rule still has a difference of this kind."""
    left = MAX_TRIALS
    smaller = True
    while smaller and left > 0:
        smaller = False
        for types in smaller_types(place.types):
            left -= 1
            candidate = place.with_types(types)
            found = _reproduce(rule, candidate, difference)
            if found is not None:
                place, difference, smaller = candidate, found, True
                break
            if left <= 0:
                break
    return place, _simplify_values(rule, place, difference)


# ---- types -----------------------------------------------------------------------------------------


def smaller_types(types: Sequence[TensorType]) -> Iterator[list[TensorType]]:
    """Smaller types, boldest first: an axis dropped everywhere, a size made 1 everywhere, then one operand only."""
    shapes = [type.shape for type in types]
    for smaller in _smaller_shapes(shapes):
        if smaller != shapes:
            yield [TensorType(shape, type.dtype) for shape, type in zip(smaller, types, strict=True)]


def _smaller_shapes(shapes: list[Shape]) -> Iterator[list[Shape]]:
    yield [shape[1:] for shape in shapes]
    sizes = sorted({size for shape in shapes for size in shape if size > 1}, reverse=True)
    for size in sizes:
        for less in dict.fromkeys((1, 2, size - 1)):
            if less < size:
                yield [tuple(less if n == size else n for n in shape) for shape in shapes]
    for k, shape in enumerate(shapes):
        for axis in range(len(shape)):
            yield [*shapes[:k], (*shape[:axis], *shape[axis + 1 :]), *shapes[k + 1 :]]
            if shape[axis] > 1:
                yield [*shapes[:k], (*shape[:axis], 1, *shape[axis + 1 :]), *shapes[k + 1 :]]


def _reproduce(rule: AnyRule, place: RuleContext, difference: Difference) -> Difference | None:
    """The difference of the same kind at another place, at the same inputs cut to size or at new ones."""
    trial = run_trial(rule, place)
    if difference.kind == "loop":
        return nontermination(rule, trial.pair) if trial.pair is not None else None
    if trial.pair is None:
        found = trial.difference
        return found if found is not None and found.kind == difference.kind else None
    if not difference.arrays:
        return None
    rng = np.random.default_rng(0)
    inputs = list(_cropped_inputs(difference.arrays, place.types))
    for mood in FINITE_DISTRIBUTIONS[:MAX_DRAWS]:
        inputs.append([draw_values(rng, operand.type, mood, operand.span) for operand in place.operands])
    return next((found for arrays in inputs if (found := _same_kind(trial.pair, arrays, difference, rng))), None)


def _cropped_inputs(arrays: Sequence[np.ndarray], types: Sequence[TensorType]) -> Iterator[list[np.ndarray]]:
    """Arrays cut to smaller types: what is unusual in each first, then elements from one place on in all of them."""
    unusual = [np.flatnonzero(_is_special(array.reshape(-1))) for array in arrays]
    fronts = [int(places[0]) if places.size else 0 for places in unusual]
    places = dict.fromkeys([0, *(int(k) for found in unusual for k in found[:MAX_CROP_STARTS]), *range(MAX_CROP_STARTS)])
    for starts in (fronts, *([start] * len(arrays) for start in places)):
        yield [crop(*each) for each in zip(arrays, types, starts, strict=True)]


def crop(array: np.ndarray, type: TensorType, start: int = 0) -> np.ndarray:
    """The elements of an array from ``start`` on, round again at its end, that fill a smaller type.

    >>> from minigraph.core.types import float64
    >>> cut(np.array([1.0, 2.0, -0.0]), TensorType((2,), float64), 2)
    array([-0., 1.])
    """
    flat = array.reshape(-1) if array.size else np.zeros(1, array.dtype)
    return np.asarray(np.resize(np.roll(flat, -start), type.size).reshape(type.shape), type.dtype.numpy)


def _is_special(array: np.ndarray) -> np.ndarray:
    """Which elements are infinite, NaN, -0, or the least or largest integer."""
    if array.dtype.kind == "f":
        return np.asarray(~np.isfinite(array) | (np.signbit(array) & (array == 0)))
    if array.dtype.kind in "iu":
        return np.asarray((array == np.iinfo(array.dtype).max) | (array == np.iinfo(array.dtype).min))
    return np.zeros(array.shape, bool)


def _same_kind(
    pair: GraphPair, arrays: Sequence[np.ndarray], difference: Difference, rng: np.random.Generator
) -> Difference | None:
    gradient = difference.kind == "gradient"
    found = pair.compare_gradients(arrays, rng) if gradient else pair.compare_values(arrays)
    return found if found is not None and found.kind == difference.kind else None


# ---- values ----------------------------------------------------------------------------------------


def _simplify_values(rule: AnyRule, place: RuleContext, difference: Difference) -> Difference:
    pair = run_trial(rule, place).pair
    if pair is None or not difference.arrays:
        return difference
    rng = np.random.default_rng(0)
    if difference.kind == "gradient":
        difference = _with_ones(pair, difference) or difference
    for k in (*range(len(place.operands)), *range(len(place.operands))):  # twice, for one may wait for another
        for plain in simpler_arrays(difference.arrays[k]):
            arrays = [*difference.arrays[:k], plain, *difference.arrays[k + 1 :]]
            span = place.operands[k].span
            if span is not None and plain.size and not span[0] <= plain.min() <= plain.max() <= span[1]:
                continue
            found = _same_kind(pair, arrays, difference, rng)
            if found is not None:
                difference = _with_ones(pair, found) or found
                break
    return difference


def _with_ones(pair: GraphPair, difference: Difference) -> Difference | None:
    """The same difference in gradients with cotangents of ones, as ``grad`` takes them."""
    if difference.kind != "gradient":
        return None
    return pair.compare_at_cotangents(difference.arrays, [np.ones_like(seed) for seed in difference.cotangents])
