"""Broadcasts that elementwise operators do themselves."""

import numpy as np

from minigraph import Tensor, grad, interpret, jit, ops, trace
from passes import as_pipeline
from passes.numpy.drop_broadcasts import drop_broadcasts

X = Tensor(np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32))


def test_gradients_of_means_read_a_scalar():
    def loss(x):
        return ops.square(ops.tanh(x)).mean()

    graph = trace(grad(loss), X)
    want = interpret(graph, X)[0].asnumpy()
    as_pipeline("constant_fold,drop_broadcasts,dce").run(graph)
    assert "broadcast_to" not in [str(graph.op(node)) for node in graph]
    assert interpret(graph, X)[0].asnumpy().tobytes() == want.tobytes() == jit(grad(loss))(X).asnumpy().tobytes()


def test_a_broadcast_with_order_edges_stays():
    row = Tensor(np.arange(4, dtype=np.float32))

    def fn(x, row):
        wide = ops.depend(row.broadcast_to((3, 4)), ops.Print()(x))
        return x + wide

    graph = trace(fn, X, row)
    as_pipeline("lower_depend").run(graph)
    drop_broadcasts(graph)
    as_pipeline("dce").run(graph)
    assert "print" in {str(graph.op(node)).lower() for node in graph}
