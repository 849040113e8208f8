"""The graph that programs are made from."""

import numpy as np

from minigraph import Tensor, grad, jit, ops, trace
from minigraph.accel.schedule.lowered import lowered
from minigraph.accel.schedule.plan import planned
from minigraph.ir.text import to_text

X = Tensor(np.ones((3, 4), np.float32))


def loss(x):
    return ops.tanh(x).mean() + x[0].exp().sum() + x[1].tanh().sum()


def test_it_is_a_copy_where_passes_find_something():
    graph = jit(grad(loss)).graph(X)
    before = to_text(graph)
    made = lowered(graph)
    assert made is not graph and to_text(graph) == before
    names = {str(made.op(node)) for node in made}
    assert "scatter_sum" in names and not {"fused", "index_add", "broadcast_to"} & names


def test_it_is_the_graph_itself_where_none_does():
    for graph in (jit(lambda x: ops.tanh(x @ x.T) + 1.0).graph(X), trace(lambda x: x * 1.0, X)):
        assert lowered(graph) is graph


def test_what_is_fused_is_looked_into():
    graph = jit(lambda x, row: ops.tanh(x + row.broadcast_to((3, 4)))).graph(X, X[0])
    assert "broadcast_to" not in {str(step.op) for step in planned(graph).steps}
