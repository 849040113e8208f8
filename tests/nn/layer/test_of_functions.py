"""Layers that are one function: MindSpore's numbers are on record; here both modes, slopes and refusals."""

import inspect

import numpy as np

from minigraph import Tensor, nn, ops
from minigraph.nn.layer import of_functions as layers_of_functions
from tests.ops.functional.checks import both_ways, check_slope
from tests.tables import every, refusals

RANDOM = np.random.default_rng(13)
IMAGES, ROWS = RANDOM.standard_normal((2, 4, 4, 6)), RANDOM.standard_normal((2, 3, 6))
PADDED = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}

LAYERS = {
    "PixelShuffle": (nn.PixelShuffle(2), IMAGES),
    "PixelUnshuffle": (nn.PixelUnshuffle(2), IMAGES),
    "ChannelShuffle": (nn.ChannelShuffle(2), IMAGES),
    "Upsample": (nn.Upsample(size=(3, 8), mode="bilinear"), IMAGES),
    "LPPool1d": (nn.LPPool1d(2.0, 2), np.abs(ROWS) + 0.1),
    "LPPool2d": (nn.LPPool2d(2.0, 2, ceil_mode=True), np.abs(IMAGES) + 0.1),
    "LRN": (nn.LRN(1, alpha=0.5), IMAGES),
    "Threshold": (nn.Threshold(0.1, -5.0), IMAGES),
    "GLU": (nn.GLU(1), IMAGES),
    "Softmax2d": (nn.Softmax2d(), IMAGES),
    "Unflatten": (nn.Unflatten(1, (2, 2)), IMAGES),
    "ConstantPad1d": (nn.ConstantPad1d((1, 2), 0.5), ROWS),
    "ConstantPad2d": (nn.ConstantPad2d(1, 0.5), IMAGES),
    "ConstantPad3d": (nn.ConstantPad3d((1, 0, 0, 2, 1, 1), 0.5), IMAGES),
    "ZeroPad2d": (nn.ZeroPad2d((1, 0, 0, 1)), IMAGES),
    "ReflectionPad1d": (nn.ReflectionPad1d((1, 2)), ROWS),
    "ReflectionPad2d": (nn.ReflectionPad2d((1, 0, 2, 1)), IMAGES),
    "ReplicationPad1d": (nn.ReplicationPad1d(2), ROWS),
    "ReplicationPad2d": (nn.ReplicationPad2d((1, 0, 2, 1)), IMAGES),
}
BORDERS = [name for name, (layer, _) in LAYERS.items() if isinstance(layer, layers_of_functions.BorderPad)]


def test_every_layer_is_here():
    classes = inspect.getmembers(layers_of_functions, lambda one: inspect.isclass(one) and issubclass(one, nn.Cell))
    here = {name for name, one in classes if one.__module__ == layers_of_functions.__name__}
    assert here - {"BorderPad"} == set(LAYERS)
    assert all(str(layer) == f"{name}()" for name, (layer, _) in LAYERS.items())  # as MindSpore prints them


@every(name=LAYERS)
def test_both_modes_and_slopes(name):
    layer, x = LAYERS[name]
    assert both_ways(layer, Tensor(x)).shape == layer(Tensor(x)).shape
    check_slope(layer, x[:1])


@every(name=BORDERS)
def test_borders_are_numpys(name):
    layer, x = LAYERS[name]
    pairs = [layer.padding[at : at + 2] for at in range(0, len(layer.padding), 2)][::-1]
    widths = [(0, 0)] * (x.ndim - len(pairs)) + pairs
    value = {"constant_values": layer.value} if layer.mode == "constant" else {}
    np.testing.assert_array_equal(layer(Tensor(x)).asnumpy(), np.pad(x, widths, PADDED[layer.mode], **value))


def test_shuffles_undo_each_other_and_channels_add_up_to_one():
    # shuffles undo each other
    shuffled = nn.PixelShuffle(2)(Tensor(IMAGES))
    assert shuffled.shape == (2, 1, 8, 12)
    np.testing.assert_array_equal(nn.PixelUnshuffle(2)(shuffled).asnumpy(), IMAGES)
    np.testing.assert_array_equal(nn.ChannelShuffle(2)(Tensor(IMAGES)).asnumpy(), IMAGES[:, [0, 2, 1, 3]])
    # channels of a pixel add up to one
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(IMAGES)).asnumpy().sum(1), 1)
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(IMAGES[0])).asnumpy().sum(0), 1)


test_wrong_arguments_are_refused = refusals(
    (lambda: nn.PixelShuffle(0), ValueError, "'upscale_factor' must be int and must > 0, but got '0'"),
    (lambda: nn.ChannelShuffle(1.5), TypeError, "'groups' must be int, but got 'float'"),
    (lambda: nn.Softmax2d()(ops.ones((2, 3))), ValueError, r"must have 3 or 4 dims, but got shape \[2, 3\]"),
    (lambda: nn.ConstantPad1d((1, 2, 3), 0.5), ValueError, "the padding is a number or 2 of them, but got"),
    (lambda: nn.ReflectionPad1d("a"), TypeError, "'padding' must be an integer or tuple, but got str"),
    (lambda: nn.Upsample(mode="bogus", size=3)(Tensor(ROWS)), ValueError, "no mode 'bogus'"),
)
