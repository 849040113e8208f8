"""Making rules: fuse, rewrite, local; and the errors of a rule that cannot be right."""

import numpy as np
import pytest

from minigraph import Tensor, jit, ops
from minigraph.core.op import TABLE, apply
from passes import S, as_pipeline, fuse, rule
from passes.optimize import canonicalize, fuse_conv_bn_relu, fuse_matmul_bias
from tests.passes.finding import counts

LIBRARY = (*canonicalize.RULES, *fuse_matmul_bias.RULES, *fuse_conv_bn_relu.RULES)


def scaled(x, w):
    """Something with a product in it."""
    return ops.exp((x @ w) * 0.5)


ARGS = (Tensor(np.eye(3, dtype=np.float32)), Tensor(np.ones((3, 3), np.float32)))


def fused_names(pipeline, fn=scaled):
    """The names of the fused nodes a pipeline leaves."""
    graph = jit(fn).graph(*ARGS, pipeline=pipeline)
    return [graph.attrs(node)["name"] for node in graph if graph.op(node).role == "fused"]


def test_a_fusion_rule_is_one_line_and_a_step_of_a_pipeline():
    rescale = fuse("ScaledMatMul", lambda q, k, s: (q @ k) * s)
    assert fused_names((rescale,)) == ["ScaledMatMul"]
    assert str(as_pipeline(("default", rescale))).endswith(",ScaledMatMul")
    assert str(rescale) == "ScaledMatMul: mul(matmul(q, k), s) -> fused"
    assert (rescale.name, rescale.size, rescale.depth) == ("ScaledMatMul", 2, 2)
    assert rescale.loc.startswith("test_rule.py:")


def test_a_predicate_decides():
    assert fused_names((fuse("S", lambda q, k, s: (q @ k) * s, where=lambda m: m.q.shape[0] > 2),)) == ["S"]
    small = fuse("S", lambda q, k, s: (q @ k) * s, where=lambda m: m.q.shape[0] > 3)
    graph = jit(scaled).graph(*ARGS, pipeline=())
    (record,) = as_pipeline((small,)).run(graph)
    assert counts(record.rules) == {"S": {"where": 1}} and not record.changed


def test_a_rewriting_rule_gives_its_replacement():
    @rule
    def half(x):
        """Dividing by 2 is exact, as is multiplying by a half."""
        return x * 0.5, x / 2

    graph = jit(scaled).graph(*ARGS, pipeline=(half,))
    assert "div" in [str(graph.op(node)) for node in graph]
    assert str(half) == "half: mul(x, 0.5) -> div(x, 2)"
    assert half.doc.startswith("Dividing")


def test_attributes_are_carried_from_the_pattern_to_the_replacement():
    @rule
    def sum_neg(x):
        """The sign moves out of the sum."""
        axes, keep = S.axes, S.keep
        return apply("sum", -x, axis=axes, keepdims=keep), -apply("sum", x, axis=axes, keepdims=keep)

    def fn(x, w):
        return ops.sum(-x, 1, keepdim=True) + w

    graph = jit(fn).graph(*ARGS, pipeline=(sum_neg, "dce"))
    kept = [dict(graph.attrs(node)) for node in graph if str(graph.op(node)) == "sum"]
    assert kept == [{"axis": (1,), "keepdims": True}]


def test_a_local_rule_is_called_at_every_node_of_its_operator():
    seen = []

    @rule(root=TABLE["exp"])
    def look(graph, node):
        """Looks."""
        seen.append(node)
        return None

    graph = jit(scaled).graph(*ARGS, pipeline=())
    (record,) = as_pipeline((look,)).run(graph)
    assert [str(graph.op(node)) for node in seen] == ["exp"]
    assert counts(record.rules) == {} and not record.changed


@pytest.mark.parametrize("known", LIBRARY, ids=lambda r: r.name)
def test_every_rule_of_the_library_says_what_and_why(known):
    assert known.name and known.text.startswith(known.name) and ".py:" in known.loc
    assert known.outlines or known.doc


@pytest.mark.parametrize("rules", [canonicalize.RULES, fuse_matmul_bias.RULES, fuse_conv_bn_relu.RULES])
def test_rules_have_names_of_their_own(rules):
    assert len({r.name for r in rules}) == len(rules)
