"""The example programs of rules for the rule checker."""

import pytest

from minigraph.core.op import apply
from minigraph.core.types import float32, float64
from passes import every_rule
from passes.optimize.examples import examples
from passes.validate.trial import apply_rule

RULES_WITH_EXAMPLES = [rule for _, rule in every_rule() if rule.examples is not None]


def test_each_shape_is_captured_in_two_dtypes_on_demand():
    graphs = examples(lambda x, w: x @ w, ((2, 3), (3, 4)), ((1, 1), (1, 2)))()
    assert [graph.type(graph.outs[0]).dtype for graph in graphs] == [float64, float32] * 2
    assert [graph.type(graph.outs[0]).shape for graph in graphs] == [(2, 4), (2, 4), (1, 2), (1, 2)]
    calls = []
    later = examples(lambda x: calls.append(1) or apply("neg", x), ((1,),))
    assert not calls and len(later()) == 2 and len(calls) == 2


@pytest.mark.parametrize("rule", RULES_WITH_EXAMPLES, ids=lambda rule: rule.name)
def test_a_rule_applies_in_each_of_its_examples(rule):
    assert rule.examples is not None and all(apply_rule(rule, graph, 1) for graph in rule.examples())
