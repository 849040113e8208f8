"""The graph that programs are made from."""

import numpy as np

from minigraph import Tensor, grad, jit, ops, trace
from minigraph.accel.schedule.lowered import lowered
from minigraph.ir.text import to_text
from minigraph.operators.views import TRANSPOSE
from passes.optimize import turn_products

X = Tensor(np.ones((3, 4), np.float32))


def loss(x):
    return ops.tanh(x).mean() + x[0].exp().sum() + x[1].tanh().sum()


def test_it_is_a_copy_where_passes_find_something():
    graph = jit(grad(loss)).graph(X)
    before = to_text(graph)
    made = lowered(graph)
    assert made is not graph and to_text(graph) == before
    names = {str(made.op(node)) for node in made}
    assert "scatter_sum" in names and "index_add" not in names


def test_it_is_the_graph_itself_where_none_does():
    for graph in (jit(lambda x: ops.tanh(x @ x) + 1.0).graph(X[:, :3]), trace(lambda x: x * 1.0, X)):
        assert lowered(graph) is graph


def test_what_is_fused_stays_so_where_no_pass_looks_into_it():
    graph = jit(lambda x: ops.tanh(x @ x.T) + 1.0).graph(X)
    assert lowered(graph) is not graph and to_text(lowered(graph)) == to_text(graph)


def test_the_gradient_of_a_dense_layer_is_one_product(monkeypatch):
    weight = Tensor(np.ones((5, 4), np.float32))
    graph = jit(grad(lambda x, w: ops.tanh(x @ w.T).sum(), 1)).graph(X, weight)
    for is_exact, transposes in ((True, 2), (False, 3)):
        monkeypatch.setattr(turn_products, "is_exact_transposed", lambda *types, found=is_exact: found)
        made = lowered(graph)
        assert sum(made.op(node) is TRANSPOSE for node in made) == transposes
