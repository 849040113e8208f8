"""Runs of graphs: outputs, Parameters, printed text and gradients; the caller's Parameters stay unchanged."""

import numpy as np
import pytest

from minigraph import Parameter, Tensor, grad, ops, trace
from passes.validate.outcome import Runner

X = np.array([1.0, -2.0])


def counting_graph():
    """A program with every effect, and its Parameter."""
    counter = Parameter(Tensor(np.zeros(2)), name="counter")

    def step(x):
        total = ops.assign(counter, counter + x)
        ops.Print()(total)
        return total * 2

    return trace(step, Tensor(X)), counter


def test_an_outcome_has_outputs_parameters_and_printed_text():
    graph, counter = counting_graph()
    outcome = Runner(graph).outcome([X])
    assert outcome.outs[0].tolist() == [2.0, -4.0]
    assert outcome.params["counter"].tolist() == X.tolist()
    assert "-2" in outcome.printed
    assert counter.asnumpy().tolist() == [0.0, 0.0]
    outcome = Runner(graph).outcome([X], {"counter": np.array([10.0, 10.0])})
    assert outcome.params["counter"].tolist() == [11.0, 8.0]


def test_gradients_equal_grad():
    def wave(x, y):
        return ops.sin(x) * y

    y = np.array([3.0, 0.5])
    (dx, dy) = Runner(trace(wave, Tensor(X), Tensor(y))).gradients([X, y], [np.ones(2)]).values()
    expected = grad(wave, (0, 1))(Tensor(X), Tensor(y))
    assert np.array_equal(dx, expected[0].asnumpy()) and np.array_equal(dy, expected[1].asnumpy())


COTANGENTS = [
    pytest.param(lambda x: x * x, [1.0, 10.0], [2.0, -40.0], id="cotangents count"),
    pytest.param(ops.stop_gradient, [1.0, 1.0], [0.0, 0.0], id="what nothing reaches has gradient zero"),
]


@pytest.mark.parametrize(("fn", "cotangent", "gradient"), COTANGENTS)
def test_how_gradients_come_from_cotangents(fn, cotangent, gradient):
    (dx,) = Runner(trace(fn, Tensor(X))).gradients([X], [np.array(cotangent)]).values()
    assert dx.tolist() == gradient


def test_gradients_go_to_float_inputs_from_float_outputs(capsys):
    graph = trace(lambda x, n: (x * 2, n), Tensor(X), Tensor(np.array([1, 2])))
    runner = Runner(graph)
    assert runner.float_positions == ([0], [0])
    assert [g.tolist() for g in runner.gradients([X, np.array([1, 2])], [np.ones(2)]).values()] == [[2.0, 2.0]]
    effects, _ = counting_graph()
    gradients = Runner(effects).gradients([X], [np.ones(2)])  # the assigned value is a constant
    assert {key: g.tolist() for key, g in gradients.items()} == {"input 0": [0.0, 0.0], "'counter'": [2.0, 2.0]}
    assert capsys.readouterr().out == ""
