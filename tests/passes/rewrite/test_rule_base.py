"""Rules of all kinds share name, text and location."""

import pytest

import passes
from passes.rewrite.rule_base import RuleBase


@passes.rule
def double(x):
    return x * 2, x + x


def is_cheap(graph, node):
    return graph.op(node).family == "elementwise"


RULES = {
    "double": (double, "mul(x, 2) -> add(x, x)"),
    "Sum": (passes.fuse("Sum", lambda x, y: x + y), "add(x, y) -> fused"),
    "cheap": (passes.fuse_groups(is_cheap, name="cheap"), "group(is_cheap, max_nodes=64) -> fused"),
}


@pytest.mark.parametrize("name", RULES)
def test_rules_of_all_kinds_have_name_text_and_location(name):
    rule, summary = RULES[name]
    assert isinstance(rule, RuleBase) and rule.__name__ == rule.name == name
    assert rule.summary == summary and str(rule) == rule.text == f"{name}: {summary}"
    assert rule.label == f"rule '{name}' ({rule.loc})" and rule.loc.startswith("test_rule_base.py:")
