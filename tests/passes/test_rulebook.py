"""The table of rules: every rule in it is right, and passes apply them by name."""

import pytest

from minigraph.core.errors import DuplicateName, UnknownName, UsageError
from minigraph.core.op import apply
from minigraph.ir.text import parse
from passes import RULES, add_rules, as_pipeline, check, every_rule, fuse, fuse_groups, is_cheap, rules_named
from passes.rulebook import SETS_OF_SETS

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


CUBE = {rule for name, rule in every_rule() if rule.target == "cube" or name in SETS_OF_SETS["cube"]}


@pytest.mark.parametrize(("name", "subject"), list(every_rule()), ids=lambda value: getattr(value, "name", value))
def test_every_rule_in_the_table_is_right(name, subject):
    report = check(subject)
    assert report.places >= 5 and report.tries >= 30, str(report)


@pytest.mark.parametrize("name", RULES)
def test_the_rules_of_a_set_do_not_undo_each_other(name):
    graph = parse(TEXT)
    records = as_pipeline(f"rewrite{{rules={name}}},fuse{{rules={name}}},rewrite{{rules={name}}}").run(graph)
    assert not records[-1].changed


def test_names_in_the_table_are_told_apart():
    names = [rule.name for _, rule in every_rule()]
    assert len(set(names)) == len(names)
    assert not set(names) & {*RULES, *SETS_OF_SETS}
    assert all(one in RULES for sets in SETS_OF_SETS.values() for one in sets)


@pytest.mark.parametrize(
    ("names", "count"),
    [
        ("conv", len(RULES["conv"])),
        ("cube", len(CUBE)),
        ("MatMulBias", 1),
        (("MatMulBias", "matmul", "cube"), len(CUBE)),
        ((), 0),
    ],
)
def test_rules_are_named_by_set_and_by_own_name(names, count):
    assert len(rules_named(names)) == count


def test_fusion_by_name():
    graph = parse(TEXT)
    (record,) = as_pipeline("fuse{rules=MatMulBias}").run(graph)
    assert record.changed and [graph.attrs(n)["name"] for n in graph if graph.op(n).role == "fused"] == ["MatMulBias"]
    assert not as_pipeline("fuse{rules=conv}").run(parse(TEXT))[0].changed


def test_rewriting_by_name():
    graph = parse(TEXT)
    (record,) = as_pipeline("rewrite{rules=neg_neg}").run(graph)
    assert record.changed and "neg" not in {str(graph.op(node)) for node in graph}
    assert not as_pipeline("fuse{rules=canonical}").run(parse(TEXT))[0].changed


def test_rules_of_ones_own():
    tail = fuse("Tail", lambda x: apply("neg", -x))
    assert add_rules("tails", tail) == (tail,)
    assert as_pipeline("fuse{rules=tails}").run(parse(TEXT))[0].changed
    with pytest.raises(DuplicateName, match="rules 'tails' are already in the table"):
        add_rules("tails", [tail])
    with pytest.raises(DuplicateName, match="rules 'cube'"):
        add_rules("cube", [tail])
    with pytest.raises(UsageError, match="add_rules 'mine': 3 is no rule"):
        add_rules("mine", [3])


def test_rules_are_selected_by_what_they_are_meant_for():
    mine = fuse("Mine", lambda x: apply("neg", -x), target="cube")
    other = fuse("Other", lambda x: apply("exp", -x), target="scalar")
    add_rules("mine", (mine, other))
    assert {*rules_named("cube")} == {*CUBE, mine} and rules_named("scalar") == [other]
    assert rules_named("mine") == [mine, other] and len(rules_named(("cube", "mine"))) == len(CUBE) + 2
    (record,) = as_pipeline("fuse{rules=(scalar, Mine)}").run(parse(TEXT))
    assert {name: stats.rewrites for name, stats in record.rules.items()} == {"Mine": 1}


def test_groups_stand_in_the_table_too():
    pairs = fuse_groups(is_cheap, max_nodes=2, name="pairs")
    assert add_rules("mine", pairs) == (pairs,) and rules_named("pairs") == [pairs]
    graph = parse(TEXT)
    (record,) = as_pipeline("fuse{rules=(pairs, MatMulBias)}").run(graph)
    names = [graph.attrs(n)["name"] for n in graph if graph.op(n).role == "fused"]
    assert names == ["MatMulBias", "pairs"] and record.rules["pairs"].rewrites == 1
    assert check(pairs).places >= 5


def test_the_rules_of_the_table_do_what_the_passes_do():
    by_rule, by_pass = parse(TEXT), parse(TEXT)
    as_pipeline("fuse{rules=vector}").run(by_rule)
    as_pipeline("fuse_elementwise").run(by_pass)
    assert by_rule.same_as(by_pass)


def test_an_unknown_name_is_refused_when_the_pipeline_is_built():
    with pytest.raises(UnknownName, match="no rules 'MatMulBia'; did you mean 'MatMulBias'"):
        as_pipeline("fuse{rules=(conv, MatMulBia)}")
