"""Ordering edges and stopped gradients."""

import pytest

from minigraph import Tensor, grad, ops
from minigraph.capture.trace import trace


def depends(graph):
    return [node for node in graph.topological() if graph.op(node).role == "depend"]


@pytest.mark.parametrize("value", [True, None, 3, "text", (1, 2)])
def test_depend_returns_the_value_in_eager_mode(value):
    assert ops.depend(value, Tensor([1.0])) is value
    assert ops.depend(value, None) is value


def test_depend_orders_every_tensor_and_converts_numbers():
    # depend ties every tensor of the value to every tensor of the expression
    graph = trace(lambda x, y: ops.depend((x, [y, "s"]), {"a": x * y, "b": (y,)}), Tensor([1.0]), Tensor([2.0]))
    assert [len(graph.ins(node)) for node in depends(graph)] == [3, 3]
    # depend lifts a number while tracing
    graph = trace(lambda x: ops.depend(True, x * 2), Tensor([1.0]))
    assert len(depends(graph)) == 1
    assert not depends(trace(lambda x: (x, ops.depend(True, None))[0], Tensor([1.0])))


def test_stop_gradient():
    assert grad(lambda x: (ops.identity(x) * ops.stop_gradient(x * 3)).sum())(Tensor([2.0])).tolist() == [6.0]
