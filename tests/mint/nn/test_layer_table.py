"""The table of the layers of ``mint.nn``."""

from minigraph import nn
from minigraph.mint import nn as mint_nn
from minigraph.mint.nn import layer_table


def test_every_layer_of_the_table_is_a_cell() -> None:
    assert set(layer_table.LAYER_BY_NAME) < set(mint_nn.__all__)
    assert all(issubclass(layer, nn.Cell) for layer in layer_table.LAYER_BY_NAME.values())


def test_shared_layers_are_layers_of_nn() -> None:
    assert mint_nn.ReLU is nn.ReLU and mint_nn.Softmax is not nn.Softmax
