"""User-defined gradients: pytrees, jit, passes, orders, errors."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, interpret, jit
from minigraph.capture.trace import trace
from minigraph.core.autodiff.custom_gradient import custom_gradient
from minigraph.core.autodiff.grad import UnusedParameterWarning
from tests.tables import every

X, Y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])

marked = custom_gradient(lambda x, y: x * y, lambda x, y, out, dout: (10 * y * dout, 100 * x * dout))


def lists(gradients):
    return [g.asnumpy().tolist() for g in gradients]


@every(
    around=[
        lambda f: grad(f, (0, 1)),
        lambda f: jit(grad(f, (0, 1))),
        lambda f: grad(jit(f), (0, 1)),
        lambda f: jit(grad(jit(f), (0, 1))),
        lambda f: grad(lambda x, y: interpret(trace(f, x, y), x, y)[0], (0, 1)),
    ]
)
def test_the_users_gradient_is_used_wherever_the_function_is_captured(around):
    assert lists(around(marked)(X, Y)) == [[30.0, 40.0], [100.0, 200.0]]
    assert lists(around(lambda x, y: marked(x * 1, y) + x)(X, Y)) == [[31.0, 41.0], [100.0, 200.0]]


def test_values_are_the_functions_and_results_share_no_memory():
    # the value is the functions
    assert marked(X, Y).asnumpy().tolist() == jit(marked)(X, Y).asnumpy().tolist() == [3.0, 8.0]
    # a function that returns its input or nothing
    assert lists([grad(custom_gradient(lambda x: x, lambda x, out, dout: dout * 7))(X)]) == [[7.0, 7.0]]
    assert custom_gradient(lambda x: None, lambda x, out, dout: dout)(X) is None
    # results share no memory with the functions
    pair = custom_gradient(lambda x: (x, x + 0), lambda x, out, dout: dout[0])
    x = Tensor([1.0, 2.0])
    first, second = pair(x)
    assert not np.shares_memory(first.asnumpy(), x.asnumpy())
    assert not np.shares_memory(first.asnumpy(), second.asnumpy())


def test_second_order_and_node_use_the_users_rule():
    # the second order differentiates the users rule
    cube = custom_gradient(lambda x: x**3, lambda x, out, dout: dout * 5 * x**2)
    assert lists([grad(cube)(X), grad(grad(cube))(X)]) == [[5.0, 20.0], [10.0, 20.0]]
    # the node names the rule in text and pictures
    graph = trace(marked, X, Y)
    assert any(graph.op(node).label_of(graph.attrs(node)).startswith("gradient of") for node in graph)
    assert "custom_gradient" in str(graph)


def test_pytrees_as_inputs_and_results(wrapped):
    def halves(pair, scale):
        return {"sum": (pair[0] + pair[1]) * scale, "rest": [pair[0]]}

    def gradient(pair, scale, out, dout):
        assert list(out) == list(dout) == ["sum", "rest"]
        return (dout["sum"] * 2, dout["rest"][0] * 3), None

    def total(x, y):
        result = custom_gradient(halves, gradient)((x, y), 0.5)
        return result["sum"].sum() + result["rest"][0].sum()

    assert lists(grad(wrapped(total), (0, 1))(X, Y)) == [[2.0, 2.0], [3.0, 3.0]]


def test_bprop_is_called_once_for_all_inputs():
    calls = []
    grad(custom_gradient(lambda x, y: x + y, lambda x, y, out, dout: (calls.append(dout), (dout, dout))[1]), (0, 1))(
        X, Y
    )
    assert len(calls) == 1
    short = custom_gradient(lambda x, y: x * y, lambda x, y, out, dout: dout)
    with pytest.raises(RuntimeError, match="Grad size should lager than forward inputs, but got 1 vs 2"):
        grad(short)(X, Y)


def test_weights_inside_get_no_gradient():
    w = Parameter(Tensor([2.0, 2.0]), name="w")
    scaled = custom_gradient(lambda x: x * w, lambda x, out, dout: dout)
    for f in (scaled, jit(scaled)):
        with pytest.warns(UnusedParameterWarning, match="'w'"):
            gradient = grad(lambda x, f=f: f(x), None, w)(X)
        assert not gradient.asnumpy().any()
