"""Composite operators: everything but the function is derived."""

import numpy as np
import pytest

from minigraph import Tensor, errors, float32, grad
from minigraph.capture.trace import trace
from minigraph.core.op import apply, op_named
from minigraph.core.types import TensorType
from minigraph.operators.composite import as_forward, composite


@pytest.fixture
def swish():
    return composite("swish_for_test", lambda x, *, beta: x * apply("sigmoid", x * beta), doc="x sigmoid(beta x).")


X = Tensor(np.array([-1.0, 0.5, 2.0]))


def test_it_is_one_node_with_the_type_and_work_of_its_graph(swish):
    # it is one node
    graph = trace(lambda x: apply(swish, x, beta=2.0), X)
    assert [str(graph.op(node)) for node in graph.topological()] == ["input", "swish_for_test"]
    # type and work come from its graph
    t = TensorType((4, 4), float32)
    assert swish.infer(t, beta=2.0) == t
    work = swish.work(t, t, beta=2.0)
    total = op_named("sigmoid").work(t, t) + op_named("mul").work(t, t, t) + op_named("mul").work(t, t, t)
    assert work.lanes == total.lanes
    assert (work.read, work.written) == (64, 64)


def test_values_and_gradients_of_both_orders_equal_the_function(swish, wrapped):
    def slope(fn):
        return lambda x: grad(lambda x: fn(x).sum())(x)

    def one(x):
        return apply(swish, x, beta=2.0)

    def other_program(x):
        return x * apply("sigmoid", x * 2.0)

    assert wrapped(one)(X).tolist() == other_program(X).tolist()
    assert slope(one)(X).tolist() == slope(other_program)(X).tolist()
    assert slope(slope(one))(X).tolist() == slope(slope(other_program))(X).tolist()


def test_several_results_and_errors_inside():
    op = composite("both_for_test", lambda x: (x + 1, x * 2), doc="x + 1 and 2 x.")
    assert [t.tolist() for t in apply(op, X)] == [[0.0, 1.5, 3.0], [-2.0, 1.0, 4.0]]
    assert op.infer(X.type) == (X.type, X.type)
    assert grad(lambda x: sum(apply(op, x), Tensor(0.0)))(X).tolist() == [3.0, 3.0, 3.0]
    with pytest.raises(errors.ShapeError, match="matmul: inner sizes differ"):
        apply(composite("wrong_for_test", lambda x, y: x @ y, doc="x @ y."), X, Tensor(np.ones(4)))


def test_a_forward_is_neither_recorded_nor_traced():
    forward = as_forward(lambda x: x + x)
    seen = []
    graph = trace(lambda x: (seen.append(forward(np.ones(2))), x * x)[1], X)
    assert seen[0].tolist() == [2.0, 2.0]
    assert len(graph) == 2
