"""Test contexts: programs that contain a rule's pattern."""

import numpy as np
import pytest

from minigraph.core.op import apply
from minigraph.core.types import float32, float64
from passes import fuse
from passes.optimize.canonicalize import RULES as CANONICAL
from passes.optimize.fuse_conv_bn_relu import RULES as CONV
from passes.optimize.fuse_matmul_bias import RULES as MATMUL
from passes.validate.context_generation import generate_contexts
from passes.validate.rule_context import context_of

LIBRARY = (*CANONICAL, *MATMUL, *CONV)


def contexts_of(any_rule, attempts=48):
    """The test contexts of a rule."""
    return list(generate_contexts(any_rule, np.random.default_rng(0), attempts))


@pytest.mark.parametrize("any_rule", LIBRARY, ids=lambda r: r.name)
def test_a_shipped_rule_applies_in_many_of_its_contexts(any_rule):
    """Including its own examples, which a rule of several operators needs."""
    examples = map(context_of, any_rule.examples() if any_rule.examples else ())
    graphs = [context.graph() for context in (*examples, *contexts_of(any_rule, 96))]
    applied = 0
    for graph in graphs:
        before = set(graph)
        any_rule(graph)
        applied += set(graph) != before
    assert len(graphs) >= 40 and applied >= 3


def test_contexts_start_small_and_vary_in_shape_dtype_and_value():
    contexts = contexts_of(MATMUL[-1], 96)
    assert contexts[0].size <= 12
    assert len({context.types for context in contexts}) > 40
    assert {t.dtype for context in contexts for t in context.types} >= {float64, float32}
    assert any(t.ndim >= 3 for context in contexts for t in context.types)
    assert any(len(context.names) < 3 for context in contexts), "two variables are one, or one is a constant"


def test_both_orders_of_a_commutative_operator_occur():
    sides = set()
    for context in contexts_of(fuse("p", lambda x, y: apply("exp", x) + apply("tanh", y)), 40):
        graph = context.graph()
        (total,) = (node for node in graph if str(graph.op(node)) == "add")
        sides.add(tuple(str(graph.op(ref)) for ref in graph.ins(total)))
    assert {("exp", "tanh"), ("tanh", "exp")} <= sides


def test_operands_of_an_operator_with_more_axes_get_more_axes():
    """A pool needs four axes, so its relu operand must not have fewer."""
    any_rule = fuse("p", lambda x, y: apply("avg_pool2d", apply("relu", x) + y, kernel=2))
    assert len(contexts_of(any_rule)) >= 20
