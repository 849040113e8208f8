"""Cells compiled before their first call, and declared inputs."""

import pytest

import minigraph as ms
from minigraph import Tensor, nn


def test_a_compiled_cell_is_not_compiled_again():
    net = nn.ReLU()
    assert net.compile(Tensor([1.0, -2.0])) is None
    assert net.compile_and_run(Tensor([3.0, -4.0])).tolist() == [3.0, 0.0]
    ms.set_context(mode=ms.GRAPH_MODE)
    assert net(Tensor([5.0, -6.0])).tolist() == [5.0, 0.0]
    assert repr(net.compiled_program()) == "<jit ReLU, 1 compiled>"
    assert net.compile_and_run(Tensor([1.0])).tolist() == [1.0]
    assert repr(net.compiled_program()) == "<jit ReLU, 2 compiled>"


def test_declared_inputs_are_kept_and_have_no_effect():
    net = nn.Dense(2, 3)
    assert net.get_inputs() is None
    x = ms.ops.ones((4, 2))
    net.set_inputs(x)
    assert net.get_inputs() == (x,) and net(ms.ops.ones((5, 2))).shape == (5, 3)
    net.set_inputs(x=x)
    assert net.get_inputs() == {"x": x}
    with pytest.raises(ValueError, match="got both"):
        net.set_inputs(x, x=x)
