"""The rewrite limit: it permits the first rewrites and records the last one."""

import pytest

from minigraph.core.op import apply
from minigraph.ir.text import parse, to_text
from passes import rule
from passes.core.rewrite_limit import (
    RewriteEvent,
    RewriteLimit,
    limit_rewrites,
    retract_rewrite,
    should_rewrite,
    should_run_pass,
)
from passes.optimize.canonicalize import abs_neg, mul_one, neg_neg
from passes.rewrite.driver import apply_rules
from tests.passes.small_graphs import chain_graph

TEXT = to_text(chain_graph("neg", "neg", "neg", "abs", file="net.py"))

BROADCAST = """graph f(%0, %1)
  %0 = input() {name="c"} : bool[2]
  %1 = input() {name="x"} : f32[]
  %2 = where(%0, %1, %1) : f32[2]
  return %2
"""


widened = rule(lambda condition, x: (apply("where", condition, x, x), x))  # right for one shape; refused late


def rewrite(limit):
    """The program after ``limit`` rewrites, and the limit."""
    graph = parse(TEXT)
    graph.by = "tidy"
    with limit_rewrites(RewriteLimit(limit)) as rewrite_limit:
        apply_rules(graph, [neg_neg, abs_neg, mul_one])
    return graph, rewrite_limit


def test_without_a_limit_everything_is_permitted():
    assert should_rewrite(parse(TEXT), "rule", 1)
    assert should_run_pass("pass")
    retract_rewrite()
    graph, rewrite_limit = rewrite(None)
    assert [str(graph.op(node)) for node in graph] == ["input", "abs"]
    assert rewrite_limit.count == 2 and not rewrite_limit.is_reached


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_a_limited_run_is_the_beginning_of_the_full_run(limit):
    graph, rewrite_limit = rewrite(limit)
    assert rewrite_limit.count == min(limit, 2)
    assert rewrite_limit.is_reached == (limit <= 2)
    assert len(graph) == (5, 3, 2, 2)[limit]
    assert limit or to_text(graph) == TEXT


def test_the_last_step_has_pass_rule_node_and_lines():
    last = rewrite(1)[1].last_step
    assert last[:2] == ("tidy", "neg_neg") and last.loc == neg_neg.loc
    assert last.lines == ("net.py:4",) and last.node == 2
    assert str(last) == f"rule 'neg_neg' ({neg_neg.loc}) at %2 (net.py:4) in pass 'tidy'"
    assert str(RewriteEvent("dce")) == "pass 'dce'"


def test_a_rejected_rewrite_makes_no_step():
    graph = parse(BROADCAST)
    with limit_rewrites(RewriteLimit(1)) as rewrite_limit:
        apply_rules(graph, [widened])
    assert rewrite_limit.count == 0 and to_text(graph) == BROADCAST


def test_limits_nest_and_the_outer_one_is_restored():
    with limit_rewrites(RewriteLimit(0)):
        with limit_rewrites(RewriteLimit(1)):
            assert should_rewrite(parse(TEXT), "rule", 1) and not should_rewrite(parse(TEXT), "rule", 1)
        assert not should_run_pass("pass")
    assert should_run_pass("pass")


@pytest.mark.parametrize("begin", [lambda: should_run_pass("dce"), lambda: should_rewrite(parse(TEXT), "rule", 1)])
def test_a_retracted_step_is_not_counted(begin):
    with limit_rewrites(RewriteLimit(1)) as rewrite_limit:
        assert begin()
        retract_rewrite()
        assert (rewrite_limit.count, rewrite_limit.last_step) == (0, None)
        assert begin()
