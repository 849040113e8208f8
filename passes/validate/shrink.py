"""Shrinks counterexamples: drops axes, reduces sizes to 1 and values to 0 and 1, while the difference remains.

This is greedy shrinking as in QuickCheck (Claessen and Hughes, 2000); the result is a local minimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from minigraph.core.types import Shape, TensorType
from passes.rewrite.driver import AnyRule
from passes.validate.difference import Difference, GraphPair
from passes.validate.input_values import FINITE_DISTRIBUTIONS, draw_values, simpler_arrays
from passes.validate.rule_context import RuleContext
from passes.validate.trial import nontermination, run_trial

MAX_TRIALS = 120  # smaller contexts tried
MAX_CROP_STARTS = 6  # offsets at which arrays are cropped to a smaller size
MAX_DRAWS = 4  # random inputs tried if the cropped ones show no difference


ContextDifference = tuple[RuleContext, Difference]


def shrink_counterexample(rule: AnyRule, context: RuleContext, difference: Difference) -> ContextDifference:
    """The smallest test context and inputs for which the rule still has a difference of this kind."""
    remaining = MAX_TRIALS
    is_smaller = True
    while is_smaller and remaining > 0:
        is_smaller = False
        for types in smaller_types(context.types):
            remaining -= 1
            candidate = context.with_types(types)
            reproduced = _reproduce(rule, candidate, difference)
            if reproduced is not None:
                context, difference, is_smaller = candidate, reproduced, True
                break
            if remaining <= 0:
                break
    return context, _simplify_values(rule, context, difference)


# ---- types -----------------------------------------------------------------------------------------


def smaller_types(types: Sequence[TensorType]) -> Iterator[list[TensorType]]:
    """Smaller types, largest step first: an axis less everywhere, a smaller size everywhere, then one operand only."""
    shapes = [type.shape for type in types]
    for smaller in _smaller_shapes(shapes):
        if smaller != shapes:
            yield [TensorType(shape, type.dtype) for shape, type in zip(smaller, types, strict=True)]


def _smaller_shapes(shapes: list[Shape]) -> Iterator[list[Shape]]:
    yield [shape[1:] for shape in shapes]
    sizes = sorted({size for shape in shapes for size in shape if size > 1}, reverse=True)
    for size in sizes:
        for new_size in dict.fromkeys((1, 2, size - 1)):
            if new_size < size:
                yield [tuple(new_size if n == size else n for n in shape) for shape in shapes]
    for k, shape in enumerate(shapes):
        for axis in range(len(shape)):
            yield [*shapes[:k], (*shape[:axis], *shape[axis + 1 :]), *shapes[k + 1 :]]
            if shape[axis] > 1:
                yield [*shapes[:k], (*shape[:axis], 1, *shape[axis + 1 :]), *shapes[k + 1 :]]


def _reproduce(rule: AnyRule, context: RuleContext, difference: Difference) -> Difference | None:
    """A difference of the same kind in another context, for the same inputs cropped to size or for random ones."""
    trial = run_trial(rule, context)
    if difference.kind == "loop":
        return nontermination(rule, trial.pair) if trial.pair is not None else None
    if trial.pair is None:
        other = trial.difference
        return other if other is not None and other.kind == difference.kind else None
    if not difference.arrays:
        return None
    rng = np.random.default_rng(0)
    inputs = list(_cropped_inputs(difference.arrays, context.types))
    for distribution in FINITE_DISTRIBUTIONS[:MAX_DRAWS]:
        inputs.append([draw_values(rng, operand.type, distribution, operand.span) for operand in context.operands])
    return next((other for arrays in inputs if (other := _same_kind(trial.pair, arrays, difference, rng))), None)


def _cropped_inputs(arrays: Sequence[np.ndarray], types: Sequence[TensorType]) -> Iterator[list[np.ndarray]]:
    """Arrays cropped to smaller types: from the first special element of each, then from a common offset."""
    special = [np.flatnonzero(_is_special(array.reshape(-1))) for array in arrays]
    first_special = [int(positions[0]) if positions.size else 0 for positions in special]
    offsets = [0, *(int(k) for positions in special for k in positions[:MAX_CROP_STARTS]), *range(MAX_CROP_STARTS)]
    for starts in (first_special, *([offset] * len(arrays) for offset in dict.fromkeys(offsets))):
        yield [crop(*cropping) for cropping in zip(arrays, types, starts, strict=True)]


def crop(array: np.ndarray, type: TensorType, start: int = 0) -> np.ndarray:
    """An array of a smaller type, filled with elements from ``start`` on; continues at the first after the last.

    >>> from minigraph.core.types import float64
    >>> crop(np.array([1.0, 2.0, -0.0]), TensorType((2,), float64), 2)
    array([-0., 1.])
    """
    flat = array.reshape(-1) if array.size else np.zeros(1, array.dtype)
    return np.asarray(np.resize(np.roll(flat, -start), type.size).reshape(type.shape), type.dtype.numpy)


def _is_special(array: np.ndarray) -> np.ndarray:
    """Whether each element is infinite, NaN, -0, or the least or largest integer."""
    if array.dtype.kind == "f":
        return np.asarray(~np.isfinite(array) | (np.signbit(array) & (array == 0)))
    if array.dtype.kind in "iu":
        return np.asarray((array == np.iinfo(array.dtype).max) | (array == np.iinfo(array.dtype).min))
    return np.zeros(array.shape, bool)


def _same_kind(
    pair: GraphPair, arrays: Sequence[np.ndarray], difference: Difference, rng: np.random.Generator
) -> Difference | None:
    is_gradient = difference.kind == "gradient"
    other = pair.compare_gradients(arrays, rng) if is_gradient else pair.compare_values(arrays)
    return other if other is not None and other.kind == difference.kind else None


# ---- values ----------------------------------------------------------------------------------------


def _simplify_values(rule: AnyRule, context: RuleContext, difference: Difference) -> Difference:
    pair = run_trial(rule, context).pair
    if pair is None or not difference.arrays:
        return difference
    rng = np.random.default_rng(0)
    if difference.kind == "gradient":
        difference = _try_unit_cotangents(pair, difference) or difference
    for k in (*range(len(context.operands)), *range(len(context.operands))):  # twice, as inputs may depend on others
        for simpler in simpler_arrays(difference.arrays[k]):
            arrays = [*difference.arrays[:k], simpler, *difference.arrays[k + 1 :]]
            span = context.operands[k].span
            if span is not None and simpler.size and not span[0] <= simpler.min() <= simpler.max() <= span[1]:
                continue
            other = _same_kind(pair, arrays, difference, rng)
            if other is not None:
                difference = _try_unit_cotangents(pair, other) or other
                break
    return difference


def _try_unit_cotangents(pair: GraphPair, difference: Difference) -> Difference | None:
    """The same difference in gradients for cotangents of ones, the default of ``grad``."""
    if difference.kind != "gradient":
        return None
    return pair.compare_at_cotangents(difference.arrays, [np.ones_like(seed) for seed in difference.cotangents])
