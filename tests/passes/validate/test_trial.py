"""One rule in one test context: differences found without a run."""

import re

import numpy as np

from minigraph import Tensor, trace
from minigraph.core.op import apply
from passes.validate.rule_context import context_of
from passes.validate.trial import MAX_REWRITES, apply_rule, nontermination, rejected_type, run_trial
from tests.passes.validate.sample_rules import NAMED
from tests.tables import cases


def context_at(fn, *shapes, dtype=np.float64):
    """The test context of a function of arrays of these shapes."""
    return context_of(trace(fn, *(Tensor(np.ones(shape, dtype)) for shape in shapes)))


def test_a_trial_has_two_graphs_if_the_rule_applies():
    trial = run_trial(NAMED["relu_relu"], context_at(lambda x: apply("relu", apply("relu", x)), (2,)))
    assert trial.applies and trial.difference is None
    assert (len(trial.pair.before.graph), len(trial.pair.after.graph)) == (4, 3)
    trial = run_trial(NAMED["relu_relu"], context_at(lambda x: apply("relu", x), (2,)))
    assert not trial.applies and trial == (None, None)


def test_an_invalid_program_has_no_trial():
    context = context_at(lambda x, y: apply("relu", apply("relu", x @ y)), (2, 2), (2, 2))
    types = [context.types[0], context.with_types(context.types).types[1]]
    wrong = context.with_types([types[0], context_at(lambda x: x, (5, 5)).types[0]])
    assert run_trial(NAMED["relu_relu"], wrong) == (None, None)


def test_another_type_is_a_difference_at_small_ranks_and_left_to_the_driver_elsewhere():
    def plus(x, y):
        return x + y * 0

    difference = run_trial(NAMED["plus_zeros_like"], context_at(plus, (), (2,))).difference
    assert (difference.kind, difference.text) == ("type", "the pattern gives f64[2], the replacement f64[]")
    assert run_trial(NAMED["plus_zeros_like"], context_at(plus, (), (1, 1, 2))) == (None, None)
    assert run_trial(NAMED["plus_zeros_like"], context_at(plus, (), (2,), dtype=np.float16)) == (None, None)
    assert rejected_type(NAMED["plus_zeros_like"], context_at(plus, (2,), (2,)).graph()) is None


def test_effects_and_rejections_by_the_driver():
    difference = run_trial(NAMED["prints_first"], context_at(lambda x: apply("tanh", x), (2,))).difference
    assert difference.kind == "effect" and "the replacement writes 'io', the pattern does not" in difference.text
    difference = run_trial(NAMED["other_dtype"], context_at(lambda x: apply("neg", x), (2,))).difference
    assert difference.kind == "driver"
    assert re.search(r"f64\[2\] of %1 = neg \(test_trial.py:\d+\) would become f16\[2\]", difference.text)


def test_only_the_first_rewrite_is_compared():
    graph = context_at(lambda x: apply("relu", apply("relu", apply("relu", x))), (2,)).graph()
    assert apply_rule(NAMED["relu_relu"], graph, 1) == 1
    assert apply_rule(NAMED["relu_relu"], graph, 9) == 1


@cases(("sorted_operands", lambda x: x * apply("exp", x)), ("ever_more_signs", lambda x: -x))
def test_a_rule_that_does_not_terminate(name, program):
    trial = run_trial(NAMED[name], context_at(program, (2,)))
    assert nontermination(NAMED[name], trial.pair).kind == "loop"
    settled = run_trial(NAMED["relu_relu"], context_at(lambda x: apply("relu", apply("relu", x)), (2,)))
    assert nontermination(NAMED["relu_relu"], settled.pair) is None
    assert MAX_REWRITES > 10
