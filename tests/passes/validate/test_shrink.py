"""Shrunk counterexamples are small and remain counterexamples."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.op import apply
from minigraph.core.types import TensorType, float64
from passes.validate.check import examine
from passes.validate.difference import Difference
from passes.validate.rule_context import context_of
from passes.validate.shrink import crop, shrink_counterexample, smaller_types
from passes.validate.trial import run_trial
from tests.passes.validate.sample_rules import NAMED

RNG = np.random.default_rng(0)


def large_context(fn, *shapes):
    """A test context with large operands."""
    return context_of(trace(fn, *(Tensor(np.ones(shape)) for shape in shapes)))


def shrunk_from(any_rule, context):
    """The shrunk difference of a rule for random values of a context."""
    arrays = [RNG.normal(size=type.shape) for type in context.types]
    pair = run_trial(any_rule, context).pair
    difference = pair.compare_values(arrays) or pair.compare_gradients(arrays, RNG)
    return shrink_counterexample(any_rule, context, difference)


SIZES = {
    "root_of_square": (lambda x: apply("sqrt", x * x), [(4, 5)], 1),
    "sum_of_relus": (lambda x, y: apply("relu", x) + apply("relu", y), [(3, 4), (4,)], 1),
    "held_product": (lambda x, w: apply("stop_gradient", x @ w), [(6, 5), (5, 7)], 1),
    "pooled_then_relu": (lambda x: apply("avg_pool2d", apply("relu", x), kernel=2), [(2, 3, 4, 4)], 4),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes_shrink_to_the_minimum(name):
    fn, shapes, size = SIZES[name]
    context, difference = shrunk_from(NAMED[name], large_context(fn, *shapes))
    assert max(type.size for type in context.types) == size
    pair = run_trial(NAMED[name], context).pair
    again = pair.compare_values(difference.arrays)
    again = again or pair.compare_at_cotangents(difference.arrays, difference.cotangents)
    assert again.kind == difference.kind


def test_elements_become_simple_numbers_and_cotangents_ones():
    _, difference = shrunk_from(NAMED["root_of_square"], large_context(lambda x: apply("sqrt", x * x), (3, 3)))
    assert [float(array) for array in difference.arrays] == [-1.0]
    _, difference = shrunk_from(NAMED["drop_stop_gradient"], large_context(lambda x: apply("stop_gradient", x), (3,)))
    assert all((seed == 1).all() for seed in difference.cotangents)


def test_a_difference_in_type_is_shrunk_too():
    context = large_context(lambda x, y: x + y * 0, (4,), (5, 4))
    context, difference = shrink_counterexample(NAMED["plus_zeros_like"], context, Difference("type", ""))
    assert sorted(type.size for type in context.types) == [1, 1]
    assert difference.text == "the pattern gives f64[1], the replacement f64[]"


def test_smaller_types_are_smaller_and_keep_dtypes():
    types = [TensorType((4, 2), float64), TensorType((2,), float64)]
    candidates = list(smaller_types(types))
    assert [t.shape for t in candidates[0]] == [(2,), ()]
    assert all(sum(t.size + t.ndim for t in c) < 8 + 2 + 2 + 1 for c in candidates)
    assert [(1, 2), (2,)] in [[t.shape for t in c] for c in candidates]
    assert list(smaller_types([TensorType((), float64)])) == []


def test_a_crop_takes_elements_from_an_offset_on():
    array = np.array([1.0, 2.0, np.inf, -0.0])
    assert crop(array, TensorType((2,), float64)).tolist() == [1.0, 2.0]
    assert crop(array, TensorType((2,), float64), 2).tolist() == array[2:4].tolist()
    assert crop(np.zeros((0, 2)), TensorType((2,), float64), 1).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("any_rule", [NAMED["plus_zero"], NAMED["times_zero"], NAMED["product_of_exps"]])
def test_a_difference_at_one_element_of_many_becomes_a_scalar(any_rule):
    counterexample = examine(any_rule).counterexample
    assert counterexample is not None and all(value.shape == () for value in counterexample.inputs.values())
