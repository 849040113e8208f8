"""Rule definitions: fusions, rewrites and computed rules."""

import numpy as np
import pytest

from minigraph import Tensor, jit, ops
from minigraph.core.op import TABLE, apply
from passes import S, as_pipeline, fuse, rule
from passes.optimize import canonicalize, fuse_conv_bn_relu, fuse_matmul_bias
from tests.passes.small_graphs import counts, fused_names, named_rule, names

LIBRARY = (*canonicalize.RULES, *fuse_matmul_bias.RULES, *fuse_conv_bn_relu.RULES)


def scaled_product(x, w):
    """Something with a product in it."""
    return ops.exp((x @ w) * 0.5)


ARGS = (Tensor(np.eye(3, dtype=np.float32)), Tensor(np.ones((3, 3), np.float32)))


def test_a_fusion_rule_is_one_line_and_a_step_of_a_pipeline():
    rescale = fuse("ScaledMatMul", lambda q, k, s: (q @ k) * s)
    assert fused_names(jit(scaled_product).graph(*ARGS, pipeline=(rescale,))) == ["ScaledMatMul"]
    assert str(as_pipeline(("default", rescale))).endswith(",ScaledMatMul")
    assert str(rescale) == "ScaledMatMul: mul(matmul(q, k), s) -> fused"
    assert (rescale.name, rescale.size, rescale.depth) == ("ScaledMatMul", 2, 2)
    assert rescale.loc.startswith("test_rule.py:")


@pytest.mark.parametrize(("rows", "refused"), [(2, {}), (3, {"where": 1})])
def test_a_predicate_decides(rows, refused):
    wide = fuse("S", lambda q, k, s: (q @ k) * s, where=lambda m: m.q.shape[0] > rows)
    graph = jit(scaled_product).graph(*ARGS, pipeline=())
    (record,) = as_pipeline((wide,)).run(graph)
    assert counts(record.rules) == {"S": refused or {"rewrites": 1}} and record.changed is not bool(refused)


def test_a_rewriting_rule_inserts_its_replacement():
    half = named_rule("half", lambda x: (x * 0.5, x / 2))
    assert "div" in names(jit(scaled_product).graph(*ARGS, pipeline=(half,)))


def test_attributes_are_copied_from_the_pattern_to_the_replacement():
    @rule
    def sum_neg(x):
        """The sign moves out of the sum."""
        axes, keep = S.axes, S.keep
        return apply("sum", -x, axis=axes, keepdims=keep), -apply("sum", x, axis=axes, keepdims=keep)

    graph = jit(lambda x, w: ops.sum(-x, 1, keepdim=True) + w).graph(*ARGS, pipeline=(sum_neg, "dce"))
    attributes = [dict(graph.attrs(node)) for node in graph if str(graph.op(node)) == "sum"]
    assert attributes == [{"axis": (1,), "keepdims": True}]


def test_a_local_rule_is_called_at_every_node_of_its_operator():
    seen = []
    look = rule(root=TABLE["exp"])(lambda graph, node: seen.append(node))
    graph = jit(scaled_product).graph(*ARGS, pipeline=())
    (record,) = as_pipeline((look,)).run(graph)
    assert [str(graph.op(node)) for node in seen] == ["exp"]
    assert counts(record.rules) == {} and not record.changed


@pytest.mark.parametrize("known", LIBRARY, ids=lambda r: r.name)
def test_every_rule_of_the_library_states_its_rewrite_and_its_reason(known):
    assert known.name and known.text.startswith(known.name) and ".py:" in known.loc
    assert known.is_fusion or known.doc
