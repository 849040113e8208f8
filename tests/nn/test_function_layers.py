"""Layers of one function: both modes, gradients and printed form."""

from minigraph import Tensor
from tests.nn.function_layers import LAYERS
from tests.ops.functional.checks import check_gradient, in_both_modes
from tests.tables import every


def test_arguments_are_not_printed():
    # as MindSpore prints them
    assert [name for name, (layer, _) in LAYERS.items() if str(layer) != f"{name}()"] == [
        "AvgPool3d",
        "MaxPool3d",
        "Norm",
    ]


@every(name=LAYERS)
def test_both_modes_and_gradients(name):
    layer, x = LAYERS[name]
    assert in_both_modes(layer, Tensor(x)).shape == layer(Tensor(x)).shape
    check_gradient(layer, x[:1])
