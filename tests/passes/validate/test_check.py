"""The rule checker accepts correct rules, rejects wrong ones, and shrinks counterexamples."""

import numpy as np
import pytest

from minigraph import Tensor, trace
from minigraph.core.errors import RuleError
from minigraph.core.op import apply, op_named
from minigraph.core.types import float16
from passes import S, fuse, rule
from passes.validate.check import check, examine
from passes.validate.difference import Tolerance, array_difference
from tests.passes.small_graphs import named_rule
from tests.passes.validate.sample_rules import DESIGN, FAMILIES, NAMED, RIGHT, WRONG, cast, inexact, is_of_kind


def each(cases):
    """A test of every wrong rule among the cases, under its name."""
    return pytest.mark.parametrize("wrong", cases, ids=[wrong.rule.name for wrong in cases])


@each(WRONG)
def test_a_wrong_rule_is_caught_with_the_right_kind_and_a_small_counterexample(wrong):
    """At most two elements per axis where shapes are free, and only simple numbers."""
    counterexample = report_of(wrong.rule).counterexample
    assert counterexample is not None and counterexample.kind == wrong.kind, counterexample
    assert wrong.rule.name in counterexample.snippet
    arrays = [value for value in counterexample.inputs.values() if isinstance(value, np.ndarray)]
    assert all(array.size <= 8 for array in arrays)
    if wrong.kind == "gradient":
        assert all(float(element) in (-1, 0, 1, 2) for array in arrays for element in array.reshape(-1))


reports = {}


def report_of(any_rule):
    """The report on a rule, cached."""
    if any_rule.name not in reports:
        reports[any_rule.name] = examine(any_rule)
    return reports[any_rule.name]


@pytest.mark.parametrize("right", RIGHT, ids=[right.name for right in RIGHT])
def test_a_correct_rule_passes(right):
    report = report_of(right)
    assert report, str(report)
    assert report.contexts >= 12 and report.trials >= 70


def test_there_are_as_many_as_promised():
    assert len(DESIGN) == 14 and len(WRONG) >= 30 and len(RIGHT) >= 12
    wrong = {wrong.rule for wrong in WRONG}
    assert len({rule.name for rule in wrong}) == len(WRONG)
    assert all(len(rules) >= 2 and wrong.issuperset(rules) for rules in FAMILIES.values())


@pytest.mark.parametrize("rule", FAMILIES["NaN and infinity"] + FAMILIES["integer overflow"], ids=lambda r: r.name)
def test_rules_wrong_for_special_values_only_are_caught(rule):
    counterexample = report_of(rule).counterexample
    assert counterexample is not None and len(counterexample.inputs) <= 2
    edges = [value for value in counterexample.inputs.values() if isinstance(value, np.ndarray)]
    if rule in FAMILIES["integer overflow"]:
        assert all(array.item() in (np.iinfo(array.dtype).max, np.iinfo(array.dtype).min) for array in edges)
    else:
        assert any(not np.isfinite(array).all() or (array <= 0).any() for array in edges)


@each([wrong for wrong in WRONG if wrong.kind == "gradient"])
def test_rules_wrong_in_their_gradient_pass_every_test_of_values(wrong):
    report = examine(wrong.rule)
    assert report.trials > 0, "the values were compared first"
    assert report.counterexample is not None and report.counterexample.kind == "gradient"


def test_the_same_seed_finds_the_same():
    first, second = (examine(NAMED["sum_of_relus"], seed=3).counterexample for _ in range(2))
    assert first is not None and second is not None
    assert str(first) == str(second) and first.snippet == second.snippet


# ---- the report ------------------------------------------------------------------------------------


def test_the_error_of_a_wrong_rule_has_location_counterexample_and_program():
    message = r"^rule 'root_of_square' \(sample_rules.py:\d+\): the pattern gives 1.0, the replacement -1.0, where x"
    with pytest.raises(RuleError, match=message) as caught:
        check(NAMED["root_of_square"])
    (note,) = caught.value.__notes__
    assert note.startswith("# rule 'root_of_square'") and "apply('sqrt'" in note
    assert str(caught.value).count("\n") <= 2


def test_a_rule_checks_itself():
    assert NAMED["relu_relu"].check().contexts > 0
    with pytest.raises(RuleError, match="root_of_square"):
        NAMED["root_of_square"].check()


ADVICE = {
    "plus_zero": "exact=False if the sign of zero",
    "reciprocal_product": "exact=False, tol=",
    "kept_axes": "with where=",
    "relu_of_negative": "fix the replacement",
}


@pytest.mark.parametrize("name", ADVICE)
def test_the_advice_fits_the_mistake(name):
    assert ADVICE[name] in str(report_of(NAMED[name]))


def test_the_report_of_a_correct_rule_counts_trials_and_contexts():
    report = str(report_of(NAMED["relu_relu"]))
    assert "bit-identical results, equal gradients in 240 trials over 40 test contexts" in report
    assert "results within 1e-09" in str(report_of(inexact(NAMED["exp_of_sum"])))


# ---- contexts ----------------------------------------------------------------------------------------


def test_a_rule_that_applies_nowhere_fails():
    def abs_twice(x):
        return apply("abs", apply("abs", x))

    rare = named_rule("rare", lambda x: (abs_twice(x), apply("abs", x)), where=lambda m: m.x.shape == (7, 7, 7, 7))
    assert not examine(rare)
    with pytest.raises(RuleError, match="it applies in no generated test context"):
        check(rare)
    assert check(rare, examples=trace(abs_twice, Tensor(np.ones((7, 7, 7, 7), np.float32)))).contexts == 1


def test_where_is_part_of_the_rule():
    only_half = rule(where=lambda m: m.x.type == m.out.type and m.x.dtype is float16)
    assert check(only_half(lambda x: (cast(cast(x, float16), float16), x))).contexts > 0


def test_a_captured_attribute_is_tried_with_several_values():
    wrong = named_rule("sum_axis", lambda x: (apply("sum", x, axis=S.axis), apply("sum", x, axis=0)))
    assert examine(wrong).counterexample is not None
    assert check(rule(lambda x: (apply("softmax", apply("identity", x), axis=S.a), apply("softmax", x, axis=S.a))))


def test_kinks_are_reported_without_an_error():
    composed = rule(where=is_of_kind("f"))(lambda x: ((x + apply("abs", x)) * 0.5, apply("relu", x)))
    report = check(inexact(composed))
    assert report.kinks and "kinks" in str(report)


def test_a_fusion_rule_is_checked_as_its_body():
    assert check(fuse("ScaledMatMul", lambda q, k, s: (q @ k) * s)).contexts >= 20


def test_a_computed_rule_is_tried_on_its_operator_alone_and_on_others():
    def product(graph, node):
        """x * x."""
        (x,) = graph.ins(node)
        return graph.emit(op_named("mul"), (x, x))

    def cube(graph, node):
        """x * x * x."""
        return graph.emit(op_named("mul"), (product(graph, node), *graph.ins(node)))

    counterexample = examine(rule(root="square")(cube)).counterexample
    assert counterexample is not None and counterexample.kind == "value"
    assert check(rule(root="square")(product))


def test_results_differ_by_bits_or_by_tolerance():
    assert array_difference(np.array([1.0]), np.array([1.0 + 1e-12]), Tolerance(False, 1e-9)) is None
    assert array_difference(np.array([1.0]), np.array([1.0 + 1e-12]), Tolerance()) is not None
