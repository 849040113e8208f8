"""The index of rules by root operator."""

import pytest

from minigraph.core.op import TABLE, apply
from minigraph.ir.graph import Graph
from passes import Statistics, chain, fuse, is_cheap, maybe, rule
from passes.rewrite.match import Match
from passes.rewrite.rule_index import RuleIndex
from tests.passes.small_graphs import graph_of, named_rule

SHORT_RULE = fuse("Small", lambda x: apply("exp", -x))
LONG_RULE = fuse("Large", lambda x: apply("exp", -apply("tanh", x)))
CHAINED = fuse("Chained", lambda x, w: chain(is_cheap, x @ w))


def accept(entry, variant, match):
    """Accepts every match."""
    return match


def index_of(graph, *rules, statistics=None):
    """The index of rules for a graph."""
    return RuleIndex(graph, rules, Statistics() if statistics is None else statistics, accept)


def test_larger_rules_come_first_and_each_at_its_operators_only():
    index = index_of(graph_of("matmul(%0, %1)", "tanh(%3)", "neg(%4)", "exp(%5)"), SHORT_RULE, LONG_RULE, CHAINED)
    assert [entry.rule.name for entry in index[TABLE["exp"]]] == ["Large", "Small", "Chained"]
    assert [entry.rule.name for entry in index[TABLE["tanh"]]] == ["Chained"]


def test_candidates_are_in_order_and_only_where_a_rule_may_start():
    graph = graph_of("exp(%0)", "neg(%3)", "exp(%4)", "tanh(%5)")
    assert index_of(graph, SHORT_RULE).candidates() == [3, 5]
    assert index_of(graph, CHAINED).candidates() == [], "there is no product to end on"
    graph.set_operands(4, (0,))
    graph.set_operands(3, (5,))
    assert index_of(graph, SHORT_RULE).candidates() == [5, 3]


def test_rules_whose_operators_are_absent_visit_no_node(monkeypatch):
    graph, statistics = graph_of("tanh(%0)", "neg(%3)"), Statistics()
    for reader in ("topological", "node_map", "op", "__iter__"):
        monkeypatch.setattr(Graph, reader, lambda *_: pytest.fail("a node is looked at"))
    assert index_of(graph, SHORT_RULE, LONG_RULE, statistics=statistics).candidates() == []
    assert not statistics


def test_tries_and_rejections_are_counted_once_per_node():
    either = fuse("Either", lambda x: maybe("exp", maybe("tanh", -x)), where=lambda m: False)
    statistics = Statistics()
    index = index_of(graph_of("neg(%0)", "tanh(%3)", "exp(%4)"), either, statistics=statistics)
    assert [index.rules_at(node)[0].try_at(node) for node in (3, 4, 5)] == [None] * 3
    assert statistics["Either"].tries == 3 and statistics["Either"].rejected == {"where": 3}


def test_the_maker_of_new_nodes_is_pass_and_rule():
    graph = graph_of("neg(%0)", "exp(%3)")
    for by, mark in (("tidy", "tidy/Small"), ("Small", "Small")):
        graph.by = by
        assert index_of(graph, SHORT_RULE).rules_at(4)[0].provenance == mark


def test_a_rule_of_numbers_needs_a_constant():
    once = rule(lambda x: (x * 1, x))
    scaled = graph_of("mul(%0, %0)", "const() {value=f32[]<1.0>} : f32[]", "mul(%3, %4)")
    assert once.variants[0].required_ops == {TABLE["mul"], TABLE["const"]}
    assert index_of(graph_of("mul(%0, %0)"), once).candidates() == []
    assert len(index_of(scaled, once).candidates()) == 2


def test_the_index_is_rebuilt_when_an_operator_appears():
    graph = graph_of("exp(%0)")
    index = index_of(graph, SHORT_RULE)
    assert index.rules_at(3) == []
    index.add_operators([3])
    assert index.rules_at(3) == []
    index.add_operators([graph.emit(TABLE["neg"], (0,))])
    assert [entry.rule.name for entry in index.rules_at(3)] == ["Small"]


def test_a_rule_has_the_node_at_which_it_starts():
    look = named_rule("look", lambda graph, node: None, root="exp")
    match = index_of(graph_of("exp(%0)"), look).rules_at(3)[0].try_at(3)
    assert isinstance(match, Match) and match.root == 3
