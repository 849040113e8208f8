"""Comparison of two graphs by running them."""

import numpy as np

from minigraph import Parameter, Tensor, ops, trace
from minigraph.core.op import apply
from passes.validate.difference import GraphPair, Tolerance, array_difference, perturb
from tests.tables import results

X = np.array([0.0, 1.0, -2.0])
RNG = np.random.default_rng(0)


def pair(first, second, claim=Tolerance()):  # noqa: B008 - a named tuple
    """Two functions of one vector as a pair of graphs."""
    return GraphPair(trace(first, Tensor(X)), trace(second, Tensor(X)), claim)


def kind_of(first, second, claim=Tolerance()):  # noqa: B008 - a named tuple
    """The kind of difference of two arrays, or ``None``."""
    difference = array_difference(np.asarray(first), np.asarray(second), claim)
    return difference and difference[0]


test_the_kind_of_a_difference = results(
    kind_of,
    (0.0, 0.0, None),
    (np.nan, -np.nan, None),
    (0.0, -0.0, "sign of zero"),
    (1.0, 1.0 + 2e-16, "rounding"),
    (1.0, 2.0, "value"),
    (1.0, np.nan, "value"),
    (np.inf, -np.inf, "value"),
    (np.inf, np.nan, "value"),
    (1 + 1e-17j, 1 + 0j, "rounding"),
    (1j, 2j, "value"),
    (np.int8(3), np.int8(4), "value"),
    (np.int8(3), np.int16(3), "type"),
    (np.zeros(2), np.zeros(3), "type"),
    (True, False, "value"),
)


test_a_tolerance_counts_only_what_is_finite_before = results(
    lambda first, second: kind_of(first, second, Tolerance(False, 1e-6)) is None,
    ([np.nan, 1.0], [5.0, 1.0 + 1e-8], True),
    ([5.0], [np.nan], False),
    ([1.0], [1.001], False),
    ([0.0], [-0.0], True),
    (np.array([1], np.int32), np.array([2], np.int32), False),
)


def test_a_tolerance_is_never_less_than_a_few_roundings():
    assert Tolerance(False, 0.0).tol_of(np.dtype(np.float16)) == 0.05
    assert Tolerance(False, 1e-3).tol_of(np.dtype(np.float64)) == 1e-3
    assert Tolerance(False, 1e-3).tol_of(np.dtype(np.int32)) == 0


def test_values_gradients_and_texts():
    difference = pair(lambda x: x * 2, lambda x: x * 3).compare_values([X])
    assert difference.kind == "value"
    assert difference.text == "the pattern gives 2.0 at [1], the replacement 3.0 at [1]"
    assert pair(ops.relu, ops.relu).compare_gradients([X], RNG) is None
    difference = pair(lambda x: x, ops.stop_gradient).compare_gradients([X], RNG)
    assert difference.kind == "gradient" and "the gradient of input 0 differs" in difference.text


def test_a_kink_vanishes_when_inputs_are_perturbed():
    def relu_from_abs(x):
        return (x + apply("abs", x)) * 0.5

    both = pair(ops.relu, relu_from_abs)
    assert both.compare_gradients([X], RNG).kind == "kink"
    assert both.compare_gradients([X + 0.1], RNG) is None
    assert both.compare_at_cotangents([X], [np.ones(3)]).kind == "gradient"


def test_a_failing_pattern_is_skipped_and_a_failing_replacement_is_a_difference():
    square = Tensor(np.ones((3, 3)))
    assert pair(lambda x: x @ square, lambda x: x).compare_values([np.zeros(4)]) is None
    difference = pair(lambda x: x, lambda x: x @ square).compare_values([np.zeros(4)])
    assert difference is not None and difference.text.startswith("the replacement fails")


def test_parameters_and_printed_text_are_compared():
    def program(value, text):
        weight = Parameter(Tensor(np.zeros(3)), name="w")

        def step(x):
            ops.Print()(text)
            return ops.assign(weight, x * value) * 0

        return trace(step, Tensor(X))

    def differ(*programs):
        difference = GraphPair(*programs, Tolerance(), ("before", "after")).compare_values([X])
        return difference and (difference.kind, difference.text)

    assert differ(program(1, "a"), program(1, "a")) is None
    assert differ(program(1, "a"), program(2, "a")) == ("value", "before gives 1.0 at [1], after 2.0 at [1]")
    kind, text = differ(program(1, "a"), program(1, "b"))
    assert kind == "effect" and "before prints 'a" in text


def test_only_the_given_positions_are_perturbed():
    moved = perturb([X, X], [1], np.random.default_rng(0))
    assert moved[0] is X and not np.array_equal(moved[1], X) and np.allclose(moved[1], X, atol=1e-2)
