"""Lowering: the graph that programs are made from."""

import numpy as np

from minigraph import Tensor, grad, jit, ops, trace
from minigraph.accel.schedule.lowering import lower_graph
from minigraph.ir.text import to_text
from minigraph.operators.views import TRANSPOSE
from passes.optimize import transpose_products as transpose_products

X = Tensor(np.ones((3, 4), np.float32))


def loss(x):
    return ops.tanh(x).mean() + x[0].exp().sum() + x[1].tanh().sum()


def test_the_graph_is_copied_where_passes_apply():
    graph = jit(grad(loss)).graph(X)
    before = to_text(graph)
    lowered = lower_graph(graph)
    assert lowered is not graph and to_text(graph) == before
    names = {str(lowered.op(node)) for node in lowered}
    assert "scatter_sum" in names and "index_add" not in names


def test_the_graph_is_not_copied_where_no_pass_applies():
    for graph in (jit(lambda x: ops.tanh(x @ x) + 1.0).graph(X[:, :3]), trace(lambda x: x * 1.0, X)):
        assert lower_graph(graph) is graph


def test_fused_nodes_stay_where_no_pass_applies_to_their_bodies():
    graph = jit(lambda x: ops.tanh(x @ x.T) + 1.0).graph(X)
    assert lower_graph(graph) is not graph and to_text(lower_graph(graph)) == to_text(graph)


def test_the_gradient_of_a_dense_layer_is_one_product(monkeypatch):
    weight = Tensor(np.ones((5, 4), np.float32))
    graph = jit(grad(lambda x, w: ops.tanh(x @ w.T).sum(), 1)).graph(X, weight)
    for is_exact, transposes in ((True, 2), (False, 3)):
        monkeypatch.setattr(transpose_products, "is_exact_transposed", lambda *types, answer=is_exact: answer)
        lowered = lower_graph(graph)
        assert sum(lowered.op(node) is TRANSPOSE for node in lowered) == transposes
