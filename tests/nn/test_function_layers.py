"""Layers that are one function: MindSpore's numbers are on record; here both modes, gradients and text."""

from minigraph import Tensor
from tests.nn.function_layers import LAYERS
from tests.ops.functional.checks import in_both_modes, check_gradient
from tests.tables import every


def test_arguments_are_not_printed():
    assert all(str(layer) == f"{name}()" for name, (layer, _) in LAYERS.items())  # as MindSpore prints them


@every(name=LAYERS)
def test_both_modes_and_slopes(name):
    layer, x = LAYERS[name]
    assert in_both_modes(layer, Tensor(x)).shape == layer(Tensor(x)).shape
    check_gradient(layer, x[:1])
