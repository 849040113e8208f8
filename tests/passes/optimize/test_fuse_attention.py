"""Attention as users write it, forward and backward, compared with the unfused program."""

import numpy as np
import pytest

from minigraph import Tensor, float32, grad, interpret, jit, nn, ops, value_and_grad
from minigraph.npu import cycles
from passes import as_pipeline
from tests.passes.comparison import assert_near, bits_of, optimize_exactly
from tests.passes.small_graphs import fused_names

RNG = np.random.default_rng(0)
Q, K, V = (Tensor(RNG.normal(size=(2, 3, 5, 4)).astype(np.float32)) for _ in range(3))
MASK = Tensor(np.triu(np.ones((5, 5), bool), 1))
ADDED = Tensor(np.where(MASK.asnumpy(), -1e9, 0).astype(np.float32))
PIPELINE = "lower_depend,canonicalize,cse,dce,fuse_attention,dce"

FORMS = {
    "plain": lambda s: s,
    "scaled": lambda s: s * 0.5,
    "scaled from the left": lambda s: 0.5 * s,
    "divided": lambda s: s / 2.0,
    "masked": lambda s: ops.where(MASK, float("-inf"), s),
    "masked the other way": lambda s: ops.where(ops.logical_not(MASK), s, float("-inf")),
    "scaled and masked": lambda s: ops.where(MASK, float("-inf"), s * 0.5),
    "scaled and added to": lambda s: s / 2.0 + ADDED,
    "masked, then scaled": lambda s: (ADDED + s) * 0.5,
}


def attention(change, q, k, v):
    """softmax(q k^T) v with a function of the scores."""
    return ops.softmax(change(q @ k.swapaxes(-2, -1)), -1) @ v


@pytest.mark.parametrize("how", FORMS)
def test_the_forward_pass_is_one_node_with_the_same_bits(how):
    graph = optimize_exactly(PIPELINE, lambda q, k, v: attention(FORMS[how], q, k, v), Q, K, V)
    assert fused_names(graph) == ["FlashAttention"]


@pytest.mark.parametrize("how", FORMS)
def test_the_backward_pass_is_one_node_without_stored_weights(how):
    step = value_and_grad(lambda q, k, v: ops.square(attention(FORMS[how], q, k, v)).sum(), (0, 1, 2))
    graph = jit(step, pipeline=PIPELINE).graph(Q, K, V)
    assert sorted(fused_names(graph)) == ["FlashAttention", "FlashAttentionGradTransposed"]
    direct = jit(step, pipeline=f"transpose_products,{PIPELINE}").graph(Q, K, V)
    assert sorted(fused_names(direct)) == ["FlashAttention", "FlashAttentionGrad"]
    table = (*Q.shape[:-1], K.shape[-2])
    assert all(type.shape != table for node in graph for type in graph.types(node) if not graph.op(node).is_leaf
               and graph.op(node).role != "fused" and type.dtype is float32)  # fmt: skip
    assert bits_of(jit(step, pipeline=PIPELINE)(Q, K, V)) == bits_of(jit(step, pipeline=())(Q, K, V))


def test_the_gradient_of_a_fused_node_equals_its_body():
    graph = jit(lambda q, k, v: attention(FORMS["scaled"], q, k, v), pipeline=PIPELINE).graph(Q, K, V)
    fused = grad(lambda *a: ops.square(interpret(graph, *a)[0]).sum(), (0, 1, 2))(Q, K, V)
    plain = grad(lambda *a: ops.square(attention(FORMS["scaled"], *a)).sum(), (0, 1, 2))(Q, K, V)
    assert_near(fused, plain, rtol=1e-5, atol=1e-6)


def test_the_backward_pass_with_transposed_keys():
    step = value_and_grad(lambda q, kt, v: ops.square(ops.softmax(q @ kt, -1) @ v).sum(), (0, 1, 2))
    transposed = Tensor(np.ascontiguousarray(K.array.swapaxes(-2, -1)))
    graph = jit(step, pipeline=PIPELINE).graph(Q, transposed, V)
    assert sorted(fused_names(graph)) == ["FlashAttention", "FlashAttentionGradTransposed"]


NO_ATTENTION = [
    lambda q, k, v: ops.softmax(q @ k.swapaxes(-2, -1), -2) @ v,
    lambda q, k, v: ops.softmax((q @ k.swapaxes(-2, -1)).swapaxes(-2, -1), -1) @ v,
    lambda q, k, v: ops.softmax(q[0] @ k.swapaxes(-2, -1), -1) @ v,
    lambda q, k, v: ops.softmax(q @ k.swapaxes(-2, -1), -1) @ v[0],
    lambda q, k, v: ops.dropout(ops.softmax(q @ k.swapaxes(-2, -1), -1), p=0.5) @ v,
    lambda q, k, v: (lambda expected: (expected @ v, expected))(ops.softmax(q @ k.swapaxes(-2, -1), -1)),
]


@pytest.mark.parametrize("illegal", NO_ATTENTION)
def test_graphs_other_than_attention_stay(illegal):
    assert fused_names(jit(illegal, pipeline=PIPELINE).graph(Q, K, V)) == []


def test_a_transformer_layer_has_one_and_costs_less():
    layer = nn.TransformerEncoderLayer(64, 4, 64, dropout=0.0, batch_first=True)
    layer.set_train(False)
    x = Tensor(RNG.normal(size=(8, 512, 64)).astype(np.float32))
    plain = jit(layer, pipeline="lower_depend,canonicalize,cse,dce").graph(x)
    fused = plain.clone()
    as_pipeline("fuse_attention").run(fused)
    assert fused_names(fused) == ["FlashAttention"]
    assert cycles(fused) < cycles(plain)
