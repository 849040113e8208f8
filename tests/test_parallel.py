"""``AutoParallel`` on one device."""

import pytest
from minigraph.parallel.auto_parallel import AutoParallel

import minigraph as ms
from minigraph import Tensor, nn, parallel


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_it_is_the_network(mode):
    ms.set_context(mode=mode)
    network = nn.Dense(2, 2, weight_init="ones")
    divided = AutoParallel(network, "recursive_programming")
    x = Tensor([[1.0, 2.0]])
    assert divided(x).asnumpy().tolist() == network(x).asnumpy().tolist()
    assert [p.name for p in divided.trainable_params()] == ["weight", "bias"]
    assert str(divided).startswith("AutoParallel(\n  (network): Dense(")
    assert ms.grad(divided)(x).asnumpy().tolist() == [[2, 2]]


@pytest.mark.parametrize("setting", parallel.SETTINGS)
def test_settings_have_no_effect(setting):
    assert getattr(AutoParallel(nn.ReLU()), setting)("any", values=3) is None


def test_another_mode_raises():
    with pytest.raises(ValueError, match="'parallel_mode' must be one of .* but got the value : x"):
        AutoParallel(nn.ReLU(), "x")
