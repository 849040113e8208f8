"""Parameters without memory."""

import pytest

import minigraph as ms
from minigraph import Tensor, nn, simulate
from minigraph.core.tensor.abstract import abstract_array, is_abstract

LAYERS = {
    "Dense": (lambda: nn.Dense(1 << 15, 1 << 15, dtype=ms.float16), (4, 1 << 15)),
    "Conv2d": (lambda: nn.Conv2d(1 << 12, 1 << 12, 3, dtype=ms.float16), (1, 1 << 12, 8, 8)),
    "LayerNorm": (lambda: nn.LayerNorm((1 << 15,), dtype=ms.float16), (4, 1 << 15)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_parameters_take_no_memory_and_are_simulated(name):
    build, shape = LAYERS[name]
    with ms.abstract_parameters():
        layer = build()
    assert not any(any(parameter.array.strides) for parameter in layer.get_parameters())
    assert not is_abstract()
    report = simulate(layer, Tensor.from_numpy(abstract_array(shape, ms.float16)))
    assert report.us > 0


def test_other_tensors_keep_their_data_and_networks_outside_have_values():
    with ms.abstract_parameters():
        assert Tensor([1.0, 2.0]).asnumpy().tolist() == [1.0, 2.0]
        assert nn.Dense(2, 3).weight.shape == (3, 2)
    assert nn.Dense(20, 30).weight.asnumpy().any()


def test_the_graphs_of_abstract_and_of_real_networks_cost_the_same():
    x = Tensor.from_numpy(abstract_array((8, 64), ms.float32))
    with ms.abstract_parameters():
        abstract = nn.Dense(64, 256)
    assert simulate(abstract, x).us == simulate(nn.Dense(64, 256), x).us
