"""The table of rules: every rule is correct, and passes apply rules by name."""

import pytest

from minigraph.core.errors import DuplicateNameError, UnknownNameError, UsageError
from minigraph.core.op import apply
from minigraph.ir.text import parse
from passes import RULES, add_rules, as_pipeline, check, every_rule, fuse, fuse_groups, is_cheap, rules_named
from passes.rulebook import SET_UNIONS
from tests.passes.small_graphs import fused_names, labels, names
from tests.tables import results

TEXT = """graph f(%0, %1, %2)
  %0 = input() {name="x"} : f32[2,3]
  %1 = input() {name="w"} : f32[3,4]
  %2 = input() {name="b"} : f32[4]
  %3 = matmul(%0, %1) : f32[2,4]
  %4 = add(%3, %2) : f32[2,4]
  %5 = neg(%4) : f32[2,4]
  %6 = neg(%5) : f32[2,4]
  %7 = relu(%6) : f32[2,4]
  return %7
"""


CUBE = {rule for name, rule in every_rule() if rule.target == "cube" or name in SET_UNIONS["cube"]}


@pytest.mark.parametrize(("name", "any_rule"), list(every_rule()), ids=lambda value: getattr(value, "name", value))
def test_every_rule_in_the_table_is_right(name, any_rule):
    report = check(any_rule)
    assert report.contexts >= 5 and report.trials >= 30, str(report)


@pytest.mark.parametrize("name", RULES)
def test_the_rules_of_a_set_do_not_undo_each_other(name):
    graph = parse(TEXT)
    records = as_pipeline(f"rewrite{{rules={name}}},fuse{{rules={name}}},rewrite{{rules={name}}}").run(graph)
    assert not records[-1].changed


def test_names_in_the_table_are_of_one_set_each():
    """Rules of one set may have the name of one kernel; then they are at different lines."""
    names = {rule.name for _, rule in every_rule()}
    assert len({(owner, rule.name) for owner, rule in every_rule()}) == len(names)
    assert len({(rule.name, rule.loc) for _, rule in every_rule()}) == len(list(every_rule()))
    assert not set(names) & {*RULES, *SET_UNIONS}
    assert all(member in RULES for sets in SET_UNIONS.values() for member in sets)


test_rules_are_named_by_set_and_by_own_name = results(
    lambda names: len(rules_named(names)),
    ("conv", len(RULES["conv"])),
    ("cube", len(CUBE)),
    ("MatMulBias", 1),
    (("MatMulBias", "matmul", "cube"), len(CUBE)),
    ((), 0),
)


def test_fusion_and_rewriting_by_name():
    for pipeline, left in (
        ("fuse{rules=MatMulBias}", ["MatMulBias", "neg", "neg", "relu"]),
        ("rewrite{rules=neg_neg}", ["matmul", "add", "relu"]),
        ("fuse{rules=conv}", names(parse(TEXT))),
        ("fuse{rules=canonical}", names(parse(TEXT))),
    ):
        graph = parse(TEXT)
        (record,) = as_pipeline(pipeline).run(graph)
        assert labels(graph) == left and record.changed is (left != names(parse(TEXT)))


def test_user_rules():
    tail = fuse("Tail", lambda x: apply("neg", -x))
    assert add_rules("tails", tail) == (tail,)
    assert as_pipeline("fuse{rules=tails}").run(parse(TEXT))[0].changed
    for name, rules, error, message in (
        ("tails", [tail], DuplicateNameError, "rules 'tails' are already registered"),
        ("cube", [tail], DuplicateNameError, "rules 'cube'"),
        ("mine", [3], UsageError, "add_rules 'mine': 3 is not a rule"),
    ):
        with pytest.raises(error, match=message):
            add_rules(name, rules)


def test_rules_are_selected_by_target():
    mine = fuse("Mine", lambda x: apply("neg", -x), target="cube")
    other = fuse("Other", lambda x: apply("exp", -x), target="scalar")
    add_rules("mine", (mine, other))
    assert {*rules_named("cube")} == {*CUBE, mine} and rules_named("scalar") == [other]
    assert rules_named("mine") == [mine, other] and len(rules_named(("cube", "mine"))) == len(CUBE) + 2
    (record,) = as_pipeline("fuse{rules=(scalar, Mine)}").run(parse(TEXT))
    assert {name: stats.rewrites for name, stats in record.rules.items()} == {"Mine": 1}


def test_groups_are_in_the_table_too():
    pairs = fuse_groups(is_cheap, max_nodes=2, name="pairs")
    assert add_rules("mine", pairs) == (pairs,) and rules_named("pairs") == [pairs]
    graph = parse(TEXT)
    (record,) = as_pipeline("fuse{rules=(pairs, MatMulBias)}").run(graph)
    assert fused_names(graph) == ["MatMulBias", "pairs"] and record.rules["pairs"].rewrites == 1
    assert check(pairs).contexts >= 5


def test_the_rules_of_the_table_equal_the_passes():
    by_rule, by_pass = parse(TEXT), parse(TEXT)
    as_pipeline("fuse{rules=vector}").run(by_rule)
    as_pipeline("fuse_elementwise").run(by_pass)
    assert by_rule.same_as(by_pass)


def test_an_unknown_name_is_an_error_when_the_pipeline_is_built():
    with pytest.raises(UnknownNameError, match="no rules 'MatMulBia'; did you mean 'MatMulBias'"):
        as_pipeline("fuse{rules=(conv, MatMulBia)}")
