"""A recomputed call has the results and gradients of the call."""

import pytest

import minigraph as ms
from minigraph import Tensor, nn


def test_results_and_gradients_are_those_of_the_call():
    net, x = nn.SequentialCell(nn.Dense(2, 2, "ones", "zeros"), nn.Sigmoid()), Tensor([[1.0, 2.0]])
    assert ms.recompute(net, x).tolist() == net(x).tolist()
    gradient = ms.grad(lambda x: ms.recompute(net, x))(x)
    assert gradient.tolist() == ms.grad(net)(x).tolist()
    assert ms.jit(lambda x: ms.recompute(net, x))(x).tolist() == net(x).tolist()


def test_a_function_needs_a_keyword():
    assert ms.recompute(lambda x: x * 2, Tensor(1.0), use_reentrant=False).item() == 2.0
    with pytest.raises(TypeError, match="inherited from Cell when use_reentrant=True! Got function"):
        ms.recompute(lambda x: x, Tensor(1.0))
